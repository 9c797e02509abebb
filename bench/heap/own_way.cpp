// An allocation and a free of a task on its own core, as functions whose code tests/system/test_heap_path.py reads:
// without a lock, an atomic instruction or a call.
#include <cstddef>

#include "kernel/memory/heap/heap.hpp"

extern "C" {
[[gnu::noinline, gnu::used]] void* mxk_heap_allocate(std::size_t bytes) {
    return mxk::heap::allocate_unchecked(bytes, mxk::heap::min_alignment);
}
[[gnu::noinline, gnu::used]] void mxk_heap_deallocate(void* object, std::size_t bytes) {
    mxk::heap::deallocate_unchecked(object, bytes, mxk::heap::min_alignment);
}
}

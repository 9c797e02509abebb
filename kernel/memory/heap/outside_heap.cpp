#include "kernel/memory/heap/outside_heap.hpp"

#include <new>

#include "arch/sections.hpp"
#include "base/spin_lock.hpp"
#include "kernel/memory/heap/heap.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::heap {
namespace {

// Taken before the pools, whose locks its heap takes.
constinit SpinLock shared_lock{lock_bands::memory.rank(8)};
constinit CoreHeap* heap_of_all = nullptr; // under the lock

// With the lock held. Null: no memory.
CoreHeap* shared_heap() {
    if (heap_of_all != nullptr) return heap_of_all;
    auto const room = memory::allocate(sizeof(CoreHeap), alignof(CoreHeap), node_id(0));
    if (!room) return nullptr;
    heap_of_all = new (static_cast<void*>(room.value().address)) CoreHeap(node_id(0));
    return heap_of_all;
}

// The heap of the core that the caller runs on, which it keeps meanwhile; null: it runs on none that has one.
class HeldHeap {
  public:
    HeldHeap() { arch::hold_core(); }
    ~HeldHeap() { arch::release_core(); }
    HeldHeap(HeldHeap const&) = delete;
    HeldHeap& operator=(HeldHeap const&) = delete;
    [[nodiscard]] CoreHeap* get() const { return static_cast<CoreHeap*>(arch::heap_of_core()); }
};

} // namespace

void* allocate_outside(std::size_t bytes, std::size_t alignment) {
    {
        HeldHeap const own;
        if (own.get() != nullptr) return own.get()->allocate(bytes, alignment);
    }
    LockGuard const guard(shared_lock);
    CoreHeap* const heap = shared_heap();
    return heap != nullptr ? heap->allocate(bytes, alignment) : nullptr;
}

void deallocate_outside(void* object, std::size_t bytes, std::size_t alignment) {
    {
        HeldHeap const own;
        if (own.get() != nullptr) return own.get()->deallocate(object, bytes, alignment);
    }
    CoreHeap::send_back(object, bytes, alignment);
}

void tend_outside(CoreHeap& heap) {
    LockGuard const guard(shared_lock);
    heap.take_back_returned();
}

void forget_outside() {
    LockGuard const guard(shared_lock);
    heap_of_all = nullptr;
}

void visit_outside(void (*visit)(CoreHeap& heap, void* context), void* context) {
    LockGuard const guard(shared_lock);
    if (heap_of_all != nullptr) visit(*heap_of_all, context);
}

} // namespace mxk::heap

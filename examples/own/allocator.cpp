// An allocator of one's own for mxk-peers: a list of free objects for each thread and size, above malloc.
//
//     g++ -std=c++20 -O2 -shared -fPIC -I peers/include examples/own/allocator.cpp -o own_allocator.so
//     build/linux/mxk-peers --load ./own_allocator.so 'bench heap micro --heap own-heap,glibc'
#include <mxk/own.hpp>

#include <array>
#include <cstddef>
#include <cstdlib>

namespace {

struct Heap {
    static void* allocate(std::size_t bytes) {
        std::size_t const size = size_of(bytes);
        if (size >= lists.size()) return std::malloc(bytes);
        Free* const first = lists[size];
        if (first == nullptr) return std::malloc((size + 1) * step);
        lists[size] = first->next;
        return first;
    }
    // On any thread, which keeps the object.
    static void deallocate(void* place, std::size_t bytes) {
        std::size_t const size = size_of(bytes);
        if (size >= lists.size()) return std::free(place);
        auto* const free = static_cast<Free*>(place);
        free->next = lists[size];
        lists[size] = free;
    }

  private:
    struct Free {
        Free* next;
    };
    static constexpr std::size_t step = 16; // bytes
    static std::size_t size_of(std::size_t bytes) { return bytes == 0 ? 0 : (bytes - 1) / step; }

    static inline thread_local std::array<Free*, 64> lists{};
};

} // namespace

MXK_OWN_ALLOCATOR(Heap, "own-heap", "examples/own (2026)", "a list of free objects for each thread and size")

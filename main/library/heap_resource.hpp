// mxk::heap (kernel/memory/heap/heap.hpp) as a memory resource of the C++ library: containers of std::pmr whose memory
// comes from the heap of the core that runs, and goes back to it from wherever it is freed.
//
//     std::pmr::vector<int> numbers(mxk::heap::resource());
//
// While a Runtime lives: what was allocated must be freed before it ends. Tasks, and any thread of the program
// (heap.hpp says what these pay).
#pragma once

#include <memory_resource>
#include <new>

#include "kernel/memory/heap/heap.hpp"

namespace mxk::heap {

class Resource final : public std::pmr::memory_resource {
  private:
    // Throws std::bad_alloc if no node has the memory.
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        void* const place = heap::allocate(bytes, alignment);
        if (place == nullptr) throw std::bad_alloc();
        return place;
    }
    void do_deallocate(void* place, std::size_t bytes, std::size_t alignment) override {
        heap::deallocate(place, bytes, alignment);
    }
    // All are one heap.
    [[nodiscard]] bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override {
        return dynamic_cast<Resource const*>(&other) != nullptr;
    }
};

// The one there is.
inline std::pmr::memory_resource* resource() {
    static Resource the_resource;
    return &the_resource;
}

} // namespace mxk::heap

// Memory that a peer has of its own, from the system and not from MXK.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace mxk::bench {

// In large pages where the system gives them, and at the start of one. It lies on the node of the thread that touches
// it first.
class PlainMemory {
  public:
    // Throws std::bad_alloc.
    explicit PlainMemory(std::size_t bytes)
        : mapped_(bytes + 2 * large_page) {
        place_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (place_ == MAP_FAILED) throw std::bad_alloc();
        madvise(place_, mapped_, MADV_HUGEPAGE);
    }
    PlainMemory(PlainMemory const&) = delete;
    PlainMemory& operator=(PlainMemory const&) = delete;
    ~PlainMemory() { munmap(place_, mapped_); }

    // T's lifetimes begin when they are written.
    template <typename T> [[nodiscard]] T* start_as() const {
        auto const address = reinterpret_cast<std::uintptr_t>(place_);
        return reinterpret_cast<T*>((address + large_page - 1) / large_page *
                                    large_page); // NOLINT(performance-no-int-to-ptr)
    }

  private:
    static constexpr std::size_t large_page = std::size_t{2} << 20;

    std::size_t mapped_;
    void* place_ = nullptr;
};

} // namespace mxk::bench

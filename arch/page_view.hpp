// Memory through pages of a size that one chooses: what a miss of the TLB costs depends on it. The memory of a node is
// mapped by the largest pages that there are.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"

namespace mxk::arch {

class PageView {
  public:
    // None.
    PageView() = default;

    // `memory`: of a node, whole pages, aligned to them, which nobody else uses while this lives; what it holds is
    // lost, then and afterwards. `page_size`: 4 KiB, 2 MiB or 1 GiB. Errors: what keeps it from being mapped so. The
    // console's core.
    static Result<PageView> create(std::span<std::byte> memory, std::size_t page_size);

    PageView(PageView&& other) noexcept
        : memory_(std::exchange(other.memory_, {}))
        , start_(std::exchange(other.start_, nullptr)) {}
    PageView& operator=(PageView&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(start_, other.start_);
        return *this;
    }
    ~PageView(); // NOLINT(performance-trivially-destructible): one platform has something to undo

    // Where the memory is to be reached through these pages.
    [[nodiscard]] std::byte* start() const { return start_; }

  private:
    PageView(std::span<std::byte> memory, std::byte* start)
        : memory_(memory)
        , start_(start) {}

    std::span<std::byte> memory_;
    std::byte* start_ = nullptr;
};

} // namespace mxk::arch

// The sizes of pages that page tables have, and what may be done with a page.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::mapping {

// By the level of the page table that has the page's entry.
enum class PageSize : std::uint8_t { Small = 1, Large = 2, Huge = 3 }; // 4 KiB, 2 MiB, 1 GiB

constexpr unsigned level(PageSize size) {
    return static_cast<unsigned>(size);
}
constexpr std::size_t bytes(PageSize size) {
    return 4 * KiB << 9 * (level(size) - 1);
}

enum class Rights : std::uint8_t { Read, ReadWrite };

} // namespace mxk::mapping

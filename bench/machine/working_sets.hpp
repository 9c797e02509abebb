// The sizes of memory by which the latency of a load is measured: powers of two, and three quarters of the next one
// between, so that the step from each cache to the next is seen. And which cache a size fits into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/core_levels.hpp"
#include "base/units.hpp"

namespace mxk::bench {

class WorkingSets {
  public:
    static constexpr std::size_t smallest = 4 * KiB;
    static constexpr std::size_t capacity = 64;

    // 4, 6, 8, 12, 16 KiB and so on, none larger than `largest` bytes, which is 4 KiB or more.
    static WorkingSets up_to(std::size_t largest);

    [[nodiscard]] std::span<std::size_t const> bytes() const { return {bytes_.data(), size_}; }

  private:
    std::array<std::size_t, capacity> bytes_{};
    std::size_t size_ = 0;
};

// "L1", "L2" and so on: the first cache of the core that a set of so many bytes fits into; "memory": none. Empty where
// the processor does not say what caches it has.
std::string_view level_of(CoreLevels const& levels, std::size_t bytes);

// The last cache of the core that is known; 0 bytes: none.
CacheDomain last_cache(CoreLevels const& levels);

} // namespace mxk::bench

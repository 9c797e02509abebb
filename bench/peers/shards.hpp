// Which of many shards a key belongs to, for tables that take one writer at a time: by the high bits of the key, which
// look random; the low ones choose the place inside a shard.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace mxk::bench {

class Shards {
  public:
    // So many for each core that two cores seldom want the same one, rounded up to a power of two.
    static constexpr std::size_t per_core = 64;

    explicit Shards(std::size_t cores)
        : bits_(static_cast<int>(std::bit_width(cores * per_core - 1))) {}

    [[nodiscard]] std::size_t count() const { return std::size_t{1} << bits_; }
    [[nodiscard]] std::size_t of(std::uint64_t key) const { return key >> (64 - bits_); }

    // Keys that one of `count()` shards gets of `keys` that are spread at random: the mean and eight deviations.
    [[nodiscard]] std::size_t max_keys(std::size_t keys) const {
        double const mean = static_cast<double>(keys) / static_cast<double>(count());
        return static_cast<std::size_t>(mean + 8 * std::sqrt(mean)) + 8;
    }

  private:
    int bits_;
};

} // namespace mxk::bench

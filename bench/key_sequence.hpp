// Keys that look random, are all different and never 0: a bijection of numbers that never reach 0.
#pragma once

#include <cstdint>

#include "bench/random.hpp"

namespace mxk::bench {

class KeySequence {
  public:
    static constexpr std::uint64_t most_keys = std::uint64_t{1} << 62;

    explicit KeySequence(std::uint64_t seed)
        : start_(std::uint64_t{1} << 63 | Random::mixed(seed) >> 2) {}
    // `index` < most_keys.
    std::uint64_t operator()(std::uint64_t index) const { return Random::mixed(start_ + index); }

  private:
    std::uint64_t start_;
};

} // namespace mxk::bench

// splitmix64 (Steele, Lea, Flood 2014): good enough to shuffle and to draw with, and its output function is a
// bijection.
#pragma once

#include <cstdint>

#include "hashtable/fraction.hpp"

namespace mxk::bench {

class Random {
  public:
    explicit Random(std::uint64_t seed)
        : state_(seed) {}
    std::uint64_t next() { return mixed(state_ += 0x9e37'79b9'7f4a'7c15); }
    // Below `limit`, which must not be 0.
    std::uint64_t below(std::uint64_t limit) { return high_product(next(), limit); }
    // From 0 up to, not including, 1, a multiple of 2^-53.
    double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    static constexpr std::uint64_t mixed(std::uint64_t value) {
        value = (value ^ value >> 30) * 0xbf58'476d'1ce4'e5b9;
        value = (value ^ value >> 27) * 0x94d0'49bb'1331'11eb;
        return value ^ value >> 31;
    }

  private:
    std::uint64_t state_;
};

} // namespace mxk::bench

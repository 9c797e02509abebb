// splitmix64 (Steele, Lea, Flood 2014): good enough to shuffle and to draw with, and its output function is a
// bijection.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hashtable/fraction.hpp"
#include "hashtable/modulo.hpp"

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

// A permutation of the numbers below n that looks random to those who do not know it, and needs no memory:
// (a i + b) mod n with random a and b, a coprime to n.
class Permutation {
  public:
    // `count` below 2^32.
    Permutation(std::uint64_t count, std::uint64_t seed)
        : modulo_(std::max<std::uint64_t>(1, count)) {
        Random random(seed);
        do factor_ = 1 + random.below(modulo_.divisor());
        while (gcd(factor_, modulo_.divisor()) != 1);
        start_ = random.below(modulo_.divisor());
    }

    // `i` below the count.
    [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const { return modulo_(modulo_(factor_ * i) + start_); }

  private:
    static constexpr std::uint64_t gcd(std::uint64_t a, std::uint64_t b) { return b == 0 ? a : gcd(b, a % b); }

    Modulo modulo_;
    std::uint64_t factor_ = 1;
    std::uint64_t start_ = 0;
};

} // namespace mxk::bench

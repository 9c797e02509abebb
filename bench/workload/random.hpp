// Numbers that look random, by splitmix64, and an order of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/splitmix.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/modulo.hpp"

namespace mxk::bench {

class Random {
  public:
    explicit Random(std::uint64_t seed)
        : state_(seed) {}
    std::uint64_t next() { return splitmix(state_ += splitmix_step); }
    // Below `limit`, which must not be 0.
    std::uint64_t below(std::uint64_t limit) { return high_product(next(), limit); }
    // From 0 up to, not including, 1, a multiple of 2^-53.
    double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

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

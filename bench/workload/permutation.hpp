// A permutation of the numbers below n that looks random to whoever knows nothing of it and needs no memory:
// (a i + b) mod n with random a and b, a coprime to n.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bench/workload/random.hpp"
#include "hashtable/modulo.hpp"

namespace mxk::bench {

class Permutation {
  public:
    // `count` below 2^32.
    Permutation(std::uint64_t count, std::uint64_t seed)
        : modulo_(std::max<std::uint64_t>(1, count)) {
        Random random(seed);
        do factor_ = 1 + random.below(modulo_.divisor());
        while (greatest_common_divisor(factor_, modulo_.divisor()) != 1);
        start_ = random.below(modulo_.divisor());
    }

    // `i` below the count.
    [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const { return modulo_(modulo_(factor_ * i) + start_); }

  private:
    static constexpr std::uint64_t greatest_common_divisor(std::uint64_t a, std::uint64_t b) {
        return b == 0 ? a : greatest_common_divisor(b, a % b);
    }

    Modulo modulo_;
    std::uint64_t factor_ = 1;
    std::uint64_t start_ = 0;
};

} // namespace mxk::bench

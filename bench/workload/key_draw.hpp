// Which of a number of keys an operation uses, drawn by a Distribution. Which key has which rank is random
// (Permutation), but for `latest`, where the rank is how many keys are newer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bench/workload/distribution.hpp"
#include "bench/workload/random.hpp"

namespace mxk::bench {

class KeyDraw {
  public:
    // Of `count` keys, below 2^32; of none nothing may be drawn. `seed`: of the ranks.
    KeyDraw(Distribution const& distribution, std::uint64_t count, std::uint64_t seed);

    // A key's number, counted from 0 in the order of inserting.
    std::uint64_t operator()(Random& random) const { return (*this)(random, count_); }
    // The same when only the first `known` keys are there, no fewer than half of them.
    std::uint64_t operator()(Random& random, std::uint64_t known) const;

  private:
    [[nodiscard]] std::uint64_t any(Random& random) const;

    Distribution::Kind kind_;
    std::uint64_t count_;
    std::uint64_t hot_; // keys of the hot set
    double hot_share_;  // of the operations
    Permutation of_rank_;
    Zipf ranks_;
};

} // namespace mxk::bench

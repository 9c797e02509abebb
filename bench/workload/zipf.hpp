// Ranks by Zipf's law: of n things, the one of rank k (1 to n) is drawn with a probability proportional to k^-theta,
// for any theta > 0. Drawn exactly, by rejection-inversion (Hörmann and Derflinger, Rejection-inversion to generate
// variates from monotone discrete distributions, ACM TOMACS 6(3), 1996): invert the integral of x^-theta, round, and
// now and then draw again. It needs no table: the 24 M entries of a cumulative or an alias table would want as much
// memory as the instructions, and for each entry the same power that is computed here for each draw.
#pragma once

#include <cstdint>

#include "bench/workload/random.hpp"

namespace mxk::bench {

class Zipf {
  public:
    // `count` > 0, below 2^53; min_theta <= `theta` <= max_theta.
    Zipf(std::uint64_t count, double theta);
    static constexpr double min_theta = 0.001;
    static constexpr double max_theta = 10;

    // 1 to count.
    std::uint64_t operator()(Random& random) const;

  private:
    [[nodiscard]] double weight(double x) const;     // x^-theta
    [[nodiscard]] double integral(double x) const;   // of the weight, from 1 to x
    [[nodiscard]] double inverse(double area) const; // of the integral

    std::uint64_t count_;
    double theta_;
    double first_area_ = 0; // where the areas of all ranks begin: rank 1's is its weight, 1
    double last_area_ = 0;  // and where they end
    double shortcut_ = 0;   // a rank that is so little larger than the inverse needs no further look
};

} // namespace mxk::bench

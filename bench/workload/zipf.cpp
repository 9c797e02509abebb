#include "bench/workload/zipf.hpp"

#include <algorithm>

#include "base/panic.hpp"
#include "bench/workload/elementary.hpp"

namespace mxk::bench {
namespace {

// Below this, a few terms of a series are more exact than a difference of nearly equal numbers.
constexpr double small = 1e-3;

constexpr bool is_small(double x) {
    return x > -small && x < small;
}

// (e^x - 1) / x and ln(1 + x) / x, which are 1 at 0: theta = 1 is no special case.
double growth(double x) {
    if (is_small(x)) return 1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5)));
    return (exponential(x) - 1) / x;
}
double growth_inverse(double x) {
    if (is_small(x)) return 1 - x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x / 5)));
    return natural_logarithm(1 + x) / x;
}

} // namespace

// The areas. Rank k's is as large as its weight and ends where the integral up to k + 1/2 does; since x^-theta is
// convex, it lies within that of its interval [k - 1/2, k + 1/2], and what of the interval lies before it is rejected.
Zipf::Zipf(std::uint64_t count, double theta)
    : count_(count)
    , theta_(theta) {
    expect(count > 0 && count < std::uint64_t{1} << 53, "ranks that a double can count");
    expect(theta >= min_theta && theta <= max_theta, "a theta for which a double is exact enough");
    first_area_ = integral(1.5) - 1;
    last_area_ = integral(static_cast<double>(count) + 0.5);
    shortcut_ = 2 - inverse(integral(2.5) - weight(2));
}

std::uint64_t Zipf::operator()(Random& random) const {
    for (;;) {
        double const area = last_area_ + random.fraction() * (first_area_ - last_area_);
        double const x = inverse(area);
        double const rounded = std::clamp(x + 0.5, 1.0, static_cast<double>(count_));
        auto const rank = static_cast<std::uint64_t>(rounded);
        auto const k = static_cast<double>(rank);
        if (k - x <= shortcut_ || area >= integral(k + 0.5) - weight(k)) return rank;
    }
}

double Zipf::weight(double x) const {
    return exponential(-theta_ * natural_logarithm(x));
}

// (x^(1 - theta) - 1) / (1 - theta), or ln x.
double Zipf::integral(double x) const {
    double const logarithm = natural_logarithm(x);
    return growth((1 - theta_) * logarithm) * logarithm;
}

// (1 + (1 - theta) area)^(1 / (1 - theta)), or e^area.
double Zipf::inverse(double area) const {
    constexpr double min = -1 + 0x1p-53; // rounding must not ask for the logarithm of 0
    double const bent = std::max((1 - theta_) * area, min);
    return exponential(growth_inverse(bent) * area);
}

} // namespace mxk::bench

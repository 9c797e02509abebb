#include "bench/workload/elementary.hpp"

#include <bit>
#include <cstdint>

#include "base/panic.hpp"

namespace mxk::bench {
namespace {

// ln 2 in two parts: the first has so few digits that its product with any exponent of a double is exact.
constexpr double ln2_high = 0x1.62e42fefap-1;
constexpr double ln2_low = 0x1.cf79abc9e3b39p-40;

constexpr int mantissa_bits = 52;
constexpr std::int64_t exponent_bias = 1023;

} // namespace

// x = m 2^k with m between sqrt(1/2) and sqrt(2); with s = (m - 1) / (m + 1), |s| < 0.172,
//
//     ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...)
double natural_logarithm(double x) {
    constexpr int last_power = 23; // 2 * 0.172^24 / 25 is below 1e-19
    auto const bits = std::bit_cast<std::uint64_t>(x);
    std::int64_t exponent = static_cast<std::int64_t>(bits >> mantissa_bits) - exponent_bias;
    double m = std::bit_cast<double>((bits & 0x000f'ffff'ffff'ffff) | std::uint64_t{0x3ff} << mantissa_bits);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m /= 2;
        ++exponent;
    }
    double const s = (m - 1) / (m + 1);
    double const square = s * s;
    double series = 0;
    for (int power = last_power; power > 1; power -= 2) series = (series + 1.0 / power) * square;
    auto const k = static_cast<double>(exponent);
    return k * ln2_high + (2 * s + (2 * s * series + k * ln2_low));
}

// x = k ln 2 + r with |r| <= ln 2 / 2: 2^k times the exponential series of r.
double exponential(double x) {
    constexpr int last_term = 14; // 0.347^15 / 15! is below 1e-19
    expect(x >= -700 && x <= 700, "an exponential that a double can hold");
    double const turns = x / (ln2_high + ln2_low);
    auto const k = static_cast<std::int64_t>(turns < 0 ? turns - 0.5 : turns + 0.5);
    double const r = x - static_cast<double>(k) * ln2_high - static_cast<double>(k) * ln2_low;
    double series = 1;
    for (int term = last_term; term > 0; --term) series = 1 + series * r / term;
    return series * std::bit_cast<double>(static_cast<std::uint64_t>(k + exponent_bias) << mantissa_bits);
}

} // namespace mxk::bench

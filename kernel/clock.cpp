#include "kernel/clock.hpp"

#include <cstdint>

namespace mxk::clock {
namespace {

constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;

std::uint64_t scale(std::uint64_t value, std::uint64_t numerator, std::uint64_t denominator) {
    // Whole and remainder apart: exact, and free of a 128-bit division, for denominators below 2^34.
    return value / denominator * numerator + value % denominator * numerator / denominator;
}

} // namespace

Nanoseconds to_nanoseconds(Cycles cycles) {
    return static_cast<Nanoseconds>(scale(raw(cycles), nanoseconds_per_second, arch::timestamp_frequency()));
}

Cycles to_cycles(Nanoseconds time) {
    return static_cast<Cycles>(scale(raw(time), arch::timestamp_frequency(), nanoseconds_per_second));
}

Nanoseconds now() {
    return to_nanoseconds(timestamp());
}

} // namespace mxk::clock

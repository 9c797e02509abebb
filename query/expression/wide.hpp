// Arithmetic of 128 bits that says whether it has overflowed. The compiler's own checked multiplication, and its
// division, are functions that a kernel does not have.
#pragma once

#include <cstdint>

#include "query/expression/type.hpp"

namespace mxk::query::wide {

__extension__ using Unsigned = unsigned __int128;

// True: overflow, and `result` is of no use.
[[nodiscard]] inline bool add(Int128 a, Int128 b, Int128& result) {
    return __builtin_add_overflow(a, b, &result);
}
[[nodiscard]] inline bool subtract(Int128 a, Int128 b, Int128& result) {
    return __builtin_sub_overflow(a, b, &result);
}
inline Unsigned magnitude(Int128 value) {
    return value < 0 ? -static_cast<Unsigned>(value) : static_cast<Unsigned>(value);
}
[[nodiscard]] inline bool multiply(Int128 a, Int128 b, Int128& result) {
    Unsigned const x = magnitude(a);
    Unsigned const y = magnitude(b);
    auto const high_x = static_cast<std::uint64_t>(x >> 64);
    auto const high_y = static_cast<std::uint64_t>(y >> 64);
    auto const low_x = static_cast<std::uint64_t>(x);
    auto const low_y = static_cast<std::uint64_t>(y);
    if (high_x != 0 && high_y != 0) return true;
    Unsigned const crossed = Unsigned{high_x} * low_y + Unsigned{high_y} * low_x; // one of them is 0
    Unsigned const low = Unsigned{low_x} * low_y;
    if (crossed >> 64 != 0) return true;
    Unsigned const product = low + (crossed << 64);
    if (product < low) return true;
    bool const is_negative = (a < 0) != (b < 0);
    Unsigned const limit = static_cast<Unsigned>(int128_max) + (is_negative ? 1 : 0);
    if (product > limit) return true;
    result = static_cast<Int128>(is_negative ? -product : product);
    return false;
}

// The nearest double, but for one unit in its last place where more than 64 bits are used.
inline double to_double(Int128 value) {
    if (value >= INT64_MIN && value <= INT64_MAX) return static_cast<double>(static_cast<std::int64_t>(value));
    return static_cast<double>(static_cast<std::int64_t>(value >> 64)) * 0x1p64 +
           static_cast<double>(static_cast<std::uint64_t>(value));
}

// By which a decimal's number is divided: 10^scale, exact up to 10^22.
inline double unit_of(unsigned scale) {
    double unit = 1;
    for (unsigned digit = 0; digit < scale; ++digit) unit *= 10;
    return unit;
}

} // namespace mxk::query::wide

// Numbers from 0 to 1 in fixed point, 64 bits behind the point: how hashes place keys. What a fraction is of n is a
// whole part, which of n equal shares it is in, and a fraction again, where in that share.
#pragma once

#include <cstdint>

namespace mxk {

// 2^64 divided by the golden ratio, odd: multiples of it lie far apart, those of neighbours, too (Knuth 6.4).
constexpr std::uint64_t golden_ratio = 0x9e37'79b9'7f4a'7c15;

constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
}

} // namespace mxk

// splitmix64 (Steele, Lea, Flood 2014): good enough to shuffle and to draw with.
#pragma once

#include <cstdint>

namespace mxk {

// Between the states of the generator.
inline constexpr std::uint64_t splitmix_step = 0x9e37'79b9'7f4a'7c15;

// Its output function, a bijection.
constexpr std::uint64_t splitmix(std::uint64_t state) {
    state = (state ^ state >> 30) * 0xbf58'476d'1ce4'e5b9;
    state = (state ^ state >> 27) * 0x94d0'49bb'1331'11eb;
    return state ^ state >> 31;
}

} // namespace mxk

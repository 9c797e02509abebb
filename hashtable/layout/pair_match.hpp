// Four remainders of a line (pair_line.hpp) compared at once.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace mxk {

// The places that hold the low 48 bits of this hash, a bit for each. No branch, because where a key stands cannot be
// predicted. Not checked for races: a core that is not the owner may see a key that is being written, and finds by the
// line's link that it has to look again. That rests on the order of loads, which x86 keeps.
[[nodiscard, gnu::no_sanitize_thread]] inline unsigned
matching_places(std::array<std::uint32_t, 4> const& low, std::array<std::uint16_t, 4> const& high, std::uint64_t hash) {
    // The processor's vectors, SSE2: every x86-64 has them.
    using Low [[gnu::vector_size(16)]] = std::uint32_t;
    using High [[gnu::vector_size(8)]] = std::uint16_t;
    using Truth [[gnu::vector_size(16)]] = std::int32_t;
    using Signs [[gnu::vector_size(16)]] = float;
    auto const equal_low = __builtin_bit_cast(Low, low) == (Low{} + static_cast<std::uint32_t>(hash));
    auto const equal_high = __builtin_bit_cast(High, high) == (High{} + static_cast<std::uint16_t>(hash >> 32));
    // Each 16-bit truth twice makes a 32-bit one.
    auto const widened = __builtin_shufflevector(equal_high, equal_high, 0, 0, 1, 1, 2, 2, 3, 3);
    auto const equal = equal_low & __builtin_bit_cast(Truth, widened);
    return static_cast<unsigned>(__builtin_ia32_movmskps(__builtin_bit_cast(Signs, equal)));
}

} // namespace mxk

// One cache line of four pairs: the unit of a Bucketed table. Of a key only the remainder is stored, 48 bits that tell
// it from all others of its bucket (multiplicative_cut.hpp); this is what makes room for a fourth pair and a link. The
// first half of the line is all that a search reads.
//
//     byte  0                    16             24     32                            64
//           | 4 x low 32 bits    | 4 x high 16  | link | 4 x value                   |
//
// Which of the places are taken is not said by what they hold: it stands in the link (bucketed.hpp).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk {

class alignas(cache_line_bytes) PairLine {
  public:
    static constexpr std::size_t places = 4;
    // A set of places: a bit for each.
    static constexpr unsigned all_places = (1U << places) - 1;

    // The places that hold the low 48 bits of this hash, taken or not. No branch, because where a key stands cannot be
    // predicted.
    [[nodiscard]] unsigned places_of(std::uint64_t hash) const {
        auto const equal_low = low_ == (Low{} + static_cast<std::uint32_t>(hash));
        auto const equal_high = high_ == (High{} + static_cast<std::uint16_t>(hash >> 32));
        // Each 16-bit truth twice makes a 32-bit one.
        auto const widened = __builtin_shufflevector(equal_high, equal_high, 0, 0, 1, 1, 2, 2, 3, 3);
        auto const equal = equal_low & std::bit_cast<Truth>(widened);
        return static_cast<unsigned>(__builtin_ia32_movmskps(std::bit_cast<Signs>(equal)));
    }

    [[nodiscard]] std::uint64_t remainder(std::size_t place) const {
        return std::uint64_t{high_[place]} << 32 | low_[place];
    }

    void put(std::size_t place, std::uint64_t hash, std::uint64_t value) {
        low_[place] = static_cast<std::uint32_t>(hash);
        high_[place] = static_cast<std::uint16_t>(hash >> 32);
        values[place] = value;
    }

  private:
    // The processor's vectors, SSE2: every x86-64 has them.
    using Low [[gnu::vector_size(16)]] = std::uint32_t;
    using High [[gnu::vector_size(8)]] = std::uint16_t;
    using Truth [[gnu::vector_size(16)]] = std::int32_t;
    using Signs [[gnu::vector_size(16)]] = float;

    Low low_{};
    High high_{};

  public:
    std::uint64_t link = 0;
    std::array<std::uint64_t, places> values{};
};
static_assert(sizeof(PairLine) == cache_line_bytes);

} // namespace mxk

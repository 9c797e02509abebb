// One cache line of pairs: the unit of a Bucketed table. The first half of the line is all that a search reads.
//
//     byte  0     8     16    24      32    40    48    56
//           | key | key | key | link | value ...       | filter |
//
// A key of 0: the place is empty.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk {

struct alignas(cache_line_bytes) PairLine {
    static constexpr std::size_t places = 3;

    std::array<std::uint64_t, places> keys{};
    std::uintptr_t link = 0; // the next line of the chain; a first line's has more in it (bucketed.hpp)
    std::array<std::uint64_t, places> values{};
    std::uint64_t filter = 0; // of a first line: which keys may stand in the lines behind it

    // The places with this key, a bit for each: no branch, because where a key stands cannot be predicted.
    [[nodiscard]] unsigned places_of(std::uint64_t key) const {
        return static_cast<unsigned>(keys[0] == key) | static_cast<unsigned>(keys[1] == key) << 1 |
               static_cast<unsigned>(keys[2] == key) << 2;
    }

    void put(std::size_t place, std::uint64_t key, std::uint64_t value) {
        keys[place] = key;
        values[place] = value;
    }
};
static_assert(sizeof(PairLine) == cache_line_bytes);

} // namespace mxk

// The processors of the machine, by what they share, from /sys: for locks for nodes, and for how far a mutex was handed
// over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "locks/fabric/lock_topology.hpp"

namespace mxk::preload {

// The number at the beginning of a text, and how many characters it has; 0: there is none.
struct ReadNumber {
    std::uint32_t value = 0;
    std::size_t length = 0;
};
constexpr ReadNumber read_number(std::string_view text) {
    ReadNumber number;
    for (char const digit : text) {
        if (digit < '0' || digit > '9' || number.length == 9) break;
        number.value = number.value * 10 + static_cast<std::uint32_t>(digit - '0');
        ++number.length;
    }
    return number;
}

enum class Distance : std::uint8_t { SameThread, SameCore, SameCache, SameNode, OtherNode };
inline constexpr std::size_t distances = 5;

// Finds them. `made_up_nodes`: they are cut into so many nodes, in the order of their numbers; 0: as they are. Once,
// before all below.
void find_processors(std::size_t made_up_nodes);
// Lives as long as the program.
locks::LockTopology const& processors_topology();
// Where the calling thread runs at this moment.
std::uint32_t current_processor();
// Of two processors: SameCore or farther.
Distance distance_between(std::uint32_t a, std::uint32_t b);

} // namespace mxk::preload

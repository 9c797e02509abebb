// Which of several boxes alike gets the next envelope.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxk::dataflow {

inline constexpr std::uint32_t not_wanted = UINT32_MAX; // a load: it gets none
inline constexpr std::size_t no_box = SIZE_MAX;

// One of 0 to `count` - 1 that is idle, with a load of 0, else one with the smallest load; of equal ones the next
// behind `last`, in turn. no_box: none is wanted. load(number) is not asked for more than is needed: it may cost the
// line of another core.
template <typename Load> std::size_t shortest_queue(std::size_t count, std::size_t last, Load load) {
    std::size_t best = no_box;
    std::uint32_t smallest = not_wanted;
    for (std::size_t step = 1; step <= count && smallest != 0; ++step) {
        std::size_t const at = (last + step) % count;
        std::uint32_t const its_load = load(at);
        if (its_load >= smallest) continue;
        smallest = its_load;
        best = at;
    }
    return best;
}

} // namespace mxk::dataflow

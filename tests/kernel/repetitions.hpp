// How often the tests repeat what is contended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tasks/workers.hpp"

namespace mxk {

// On more than four cores so many fewer that all of them together do as much: where they are more than their host has,
// each hand-over waits for a turn.
inline std::uint32_t fewer_on_many_cores(std::uint32_t repetitions) {
    std::size_t const cores = std::max<std::size_t>(workers::count(), 4);
    return static_cast<std::uint32_t>(std::max<std::size_t>(repetitions * std::size_t{4} / cores, 1));
}

} // namespace mxk

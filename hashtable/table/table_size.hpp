#pragma once

#include <cstddef>
#include <optional>

namespace mxk {

// How large a table begins, and when it grows.
struct TableSize {
    std::size_t slots;               // places for keys
    std::optional<double> load = {}; // the part of a block's slots that makes it crowded; none: the layout's own.
                                     // More than the layout can bear counts as that much.
};

} // namespace mxk

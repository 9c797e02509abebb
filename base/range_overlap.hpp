// Whether a range has any byte of a set of ranges.
#pragma once

#include <algorithm>

#include "base/range_set.hpp"

namespace mxk {

// Any core; does not block.
inline bool overlaps(RangeSet const& set, MemoryRange range) {
    MemoryRange const wanted = clamped(range);
    return std::any_of(set.ranges().begin(), set.ranges().end(),
                       [&](MemoryRange const& each) { return intersection(each, wanted).bytes > 0; });
}

} // namespace mxk

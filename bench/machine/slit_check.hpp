// Whether the firmware's distances (ACPI SLIT) order nodes as they were measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace mxk::bench {

// Columns of a row: firmware says that `nearer` is nearer than `farther`, but it takes longer to get there.
struct SlitContradiction {
    std::size_t nearer;
    std::size_t farther;

    bool operator==(SlitContradiction const&) const = default;
};

// What the runs of a measurement were between. 0: not measured.
struct Range {
    double min;
    double max;
};

// Of one node's distances and what was measured to the same nodes: the contradiction that is the largest, beyond 1.2,
// by the quotient of the nearer one's minimum and the farther one's maximum, so that a disturbed run is none. None: all
// is in order.
std::optional<SlitContradiction> find_slit_contradiction(std::span<std::uint8_t const> slit,
                                                         std::span<Range const> measured);

} // namespace mxk::bench

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

// Of one node's distances and what was measured to the same nodes (0: not measured): the contradiction that is the
// largest by the quotient of the two measured, beyond 1.2. None: all is in order.
std::optional<SlitContradiction> find_slit_contradiction(std::span<std::uint8_t const> slit,
                                                         std::span<double const> measured);

} // namespace mxk::bench

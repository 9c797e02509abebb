// What a holder hands to the next one of its node together with a lock, if that is the lock of a node beneath a lock of
// all (cohort_lock.hpp): how often the upper lock has been passed on within the node, or that the next holder must
// acquire it. Locks that stand alone hand on acquire_upper, and nobody looks.
#pragma once

#include <cstdint>

#include "locks/fabric/lock_topology.hpp"

namespace mxk::locks {

using Handed = std::uint32_t;
inline constexpr Handed acquire_upper = 0;
inline constexpr Handed default_passes = 50;
inline constexpr Handed max_passes = 254;
inline constexpr Handed still_waits = 255;

// How often a lock may be passed on within a group while others wait, by the group's level.
struct MaxPasses {
    constexpr MaxPasses() = default;
    constexpr MaxPasses(Handed of_each) // NOLINT(google-explicit-constructor): the same at each level
        : MaxPasses(of_each, of_each) {}
    constexpr MaxPasses(Handed in_its_cache, Handed in_its_node)
        : in_cache(in_its_cache)
        , in_node(in_its_node) {}
    [[nodiscard]] constexpr Handed of(Level level) const { return level == Level::Cache ? in_cache : in_node; }

    Handed in_cache = default_passes;
    Handed in_node = default_passes;
};

} // namespace mxk::locks

// What a holder hands to the next one of its node together with a lock, if that is the lock of a node beneath a lock of
// all (cohort_lock.hpp): how often the upper lock has been passed on within the node, or that the next holder must
// acquire it. Locks that stand alone hand on acquire_upper, and nobody looks.
#pragma once

#include <cstdint>

namespace mxk::locks {

using Handed = std::uint32_t;
inline constexpr Handed acquire_upper = 0;
inline constexpr Handed default_passes = 50;
inline constexpr Handed max_passes = 254;
inline constexpr Handed still_waits = 255;

} // namespace mxk::locks

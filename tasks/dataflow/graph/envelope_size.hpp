// How many rows an envelope should have (Falt 2010, section 6.6): so few that a box finds them in the cache that is its
// core's own, so many that what is done once for an envelope costs little for a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::dataflow {

// The thesis found more than this to be no better on any machine.
constexpr std::size_t max_recommended_bytes = 200 * KiB;

// Of all columns and scalar data together: a physical core's share of the second-level cache, up to
// max_recommended_bytes; the smallest one where cores differ. The hardware threads of a physical core count once: the
// thesis' 200 kB on a machine with 256 kB for two of them would be 128 kB otherwise. Where the processor does not say,
// max_recommended_bytes. Any core, never blocks.
std::size_t recommended_bytes(std::span<topology::Core const> cores);
// Of this machine.
std::size_t recommended_bytes();

// One, or more. `scalar_bytes`: of what an envelope holds once, not for each row.
std::uint32_t rows_in(std::size_t bytes, std::size_t row_bytes, std::size_t scalar_bytes = 0);

// What a box does that is told how many rows its envelopes are to have: 0 is the recommended number.
std::uint32_t rows_or_recommended(std::uint32_t rows, std::size_t row_bytes, std::size_t scalar_bytes = 0);

} // namespace mxk::dataflow

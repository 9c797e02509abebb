// Which proximity domain each piece of RAM belongs to: the boot loader's map cut along the SRAT's ranges. A part of
// discover() (kernel/topology/topology.hpp), nobody else's business.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "kernel/acpi/srat.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::topology {

struct PlacedMemory {
    std::uint64_t start;
    std::uint64_t end;                             // first byte after it; > start
    std::optional<std::uint32_t> proximity_domain; // none: no SRAT range covers it
};

// Ascending and disjoint. With `usable` empty these are the SRAT's ranges. Warns if ranges of different domains
// overlap; the one that begins first keeps what they share.
Result<std::span<PlacedMemory const>> place_memory(std::span<acpi::MemoryAffinity const> affinities,
                                                   std::span<MemoryRange const> usable, acpi::WarningSink& warnings,
                                                   Arena& arena);

// The pieces without what the SRAT calls non-volatile; a warning if there is any of it in them, and `lost`: its bytes.
// Where nothing else would be left, the pieces as they are, with a warning.
Result<std::span<PlacedMemory const>> without_non_volatile(std::span<PlacedMemory const> pieces,
                                                           std::span<acpi::MemoryAffinity const> non_volatile,
                                                           std::uint64_t& lost, acpi::WarningSink& warnings,
                                                           Arena& arena);

} // namespace mxk::topology

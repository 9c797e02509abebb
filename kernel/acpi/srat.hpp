// The system resource affinity table (ACPI 6.5 section 5.2.16): which proximity domain a processor and a range of
// memory belong to. Proximity domains are the firmware's numbers, sparse and 32 bit wide. Generic initiators and ports
// are not read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

struct ProcessorAffinity {
    ApicId apic_id;
    std::uint32_t proximity_domain;
};

struct MemoryAffinity {
    PhysicalAddress start;
    std::uint64_t bytes; // > 0; start + bytes does not overflow
    std::uint32_t proximity_domain;
};

// Enabled entries only. Both as in the table: ids may repeat, ranges may overlap, and may be address space that is kept
// free for memory to be plugged in.
struct Affinities {
    std::span<ProcessorAffinity const> processors;
    std::span<MemoryAffinity const> memory;
    std::span<MemoryAffinity const> non_volatile; // no RAM, whatever the memory map says
};

// Nothing without an SRAT. The only error is lack of memory. Boot core; does not block.
Result<std::optional<Affinities>> affinities(Tables const& tables, Arena& arena);

} // namespace mxk::acpi

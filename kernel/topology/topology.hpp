// What the machine consists of: cores, NUMA nodes with their memory, and how far these are from each other. Found once
// at boot from the firmware's static tables (kernel/acpi), then constant. No constant limits cores or nodes.
// Memory-less and core-less nodes are legal; a node with neither is none. Below a node, each core knows its package,
// its caches and its physical core (SMT), as far as the processor tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "base/core_levels.hpp"
#include "base/json.hpp"
#include "base/range_set.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::topology {

// The ACPI processor UID of a core that the firmware does not list.
constexpr std::uint32_t unknown_acpi_uid = 0xffff'ffff;

struct Core {
    CoreId id;
    ApicId apic_id;
    NodeId node;
    std::uint32_t acpi_uid;
    CoreLevels levels{}; // the processor's own word; unknown for a machine that is only looked at
};

struct Node {
    NodeId id;
    std::uint32_t proximity_domain;
    std::span<MemoryRange const> memory; // ascending, disjoint, neighbours merged
    std::span<CoreId const> cores;       // ascending

    [[nodiscard]] std::uint64_t memory_bytes() const;
};

// What else can stand in a MemoryPerformance: the firmware does not say; it says that there is no way.
constexpr std::uint64_t unknown_performance = 0;
constexpr std::uint64_t unreachable = UINT64_MAX;

// The firmware's figures (ACPI HMAT) for accesses from a core of one node to the memory of another.
struct MemoryPerformance {
    std::uint64_t read_latency = unknown_performance; // picoseconds
    std::uint64_t write_latency = unknown_performance;
    std::uint64_t read_bandwidth = unknown_performance; // MB/s, of 10^6 bytes
    std::uint64_t write_bandwidth = unknown_performance;

    bool operator==(MemoryPerformance const&) const = default;
};

struct Topology {
    std::span<Core const> cores; // cores[i].id == i; core 0 is the boot core, the others in MADT order until
                                 // they run: keep_cores()
    std::span<Node const> nodes; // nodes[i].id == i, in the order of their proximity domains; no less than one
    std::span<std::uint8_t const> distances; // nodes x nodes, row "from"; 10 is local, 255 unreachable
    bool distances_are_known = true;         // false: 10 and 20 are assumed, since several nodes have no others
    std::size_t listed_cores = 0;            // what the firmware lists, those included that cannot be used
    bool memory_is_known = true;             // false: a machine only looked at, of whose memory nothing is said
    std::uint64_t non_volatile_bytes = 0;    // RAM by the memory map, non-volatile by the SRAT: of no node
    std::span<MemoryPerformance const> performance{}; // nodes x nodes, row "from"; empty: the firmware has no figures

    [[nodiscard]] std::uint8_t distance(NodeId from, NodeId to) const {
        return distances[index(from) * nodes.size() + index(to)];
    }
    [[nodiscard]] std::uint64_t memory_bytes() const;
};

// `tables`: null if the machine has no usable ACPI. `boot_core`: the APIC id of the core that runs. `usable_memory`:
// RAM from the boot loader's map, in any order; every byte of it ends up in exactly one node. Empty, for a machine that
// is only looked at, it lets the nodes have the SRAT's ranges as they are.
//
// Where the firmware is silent or contradicts itself, one WARN and the safest reading: the boot core always exists; a
// core without an SRAT entry belongs to node 0; RAM outside all SRAT ranges belongs to the boot core's node, which is
// the one that needs memory first; without distances a node is 10 from itself and 20 from the others. The only error is
// lack of memory. Boot core; does not block.
Result<Topology> discover(acpi::Tables const* tables, ApicId boot_core, std::span<MemoryRange const> usable_memory,
                          Arena& arena);

// The topology after bring-up: the cores of `order`, each once, which become cores 0, 1, ...; core 0, which runs this,
// is the first of them. Nodes keep their ids, even without a core. Shares memory with `before`.
Result<Topology> keep_cores(Topology const& before, std::span<std::size_t const> order, Arena& arena);

// For people: nodes with their memory and cores, APIC ids in the order of the cores, the matrices.
void print(TextSink& sink, Topology const& topology);

// For tools: fields of the object that is open: "listed_cores", "memory_known", "cores", "nodes".
void write_json(JsonWriter& json, Topology const& topology);

} // namespace mxk::topology

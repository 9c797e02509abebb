// The machine below the program, as hwloc sees it: the processors that this process may use, and the NUMA nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/linux/control_group.hpp"
#include "base/core_levels.hpp"
#include "base/units.hpp"

namespace mxk::arch {

struct HostCpu {
    int number;       // the operating system's
    ApicId apic_id;   // the number again where the system does not tell
    std::size_t node; // index in Host::nodes
    unsigned sibling; // 0: the first of those that share a physical core
    CoreLevels levels{};
};

struct HostNode {
    int number;                 // the operating system's, -1: it has no nodes
    std::uint64_t memory_bytes; // 0 in all nodes: not known
};

struct Host {
    std::vector<HostCpu> cpus;           // first one of each physical core, node by node, then their siblings
    std::vector<HostNode> nodes;         // no less than one
    std::vector<std::uint8_t> distances; // nodes x nodes, as in a SLIT; empty: not known
};

// Throws std::runtime_error if hwloc cannot say anything.
Host read_host();

// What the process may still allocate: the minimum of the system's available memory and of what the control groups and
// the limits of address space leave. Nothing: a system that says none of these.
std::optional<std::uint64_t> available_memory_bytes(ControlGroup const& group = read_control_group());

} // namespace mxk::arch

// Which cores and nodes a Runtime gets: those of the host, or the pretended ones that its options ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/linux/host.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "main/library/runtime.hpp"

namespace mxk::arch {

inline constexpr std::size_t max_cores = 4096;

struct ShapeCore {
    int cpu; // the operating system's number
    ApicId apic_id;
    NodeId node;
    CoreLevels levels{};
};

struct ShapeNode {
    int system_node; // the operating system's number, -1: pretended, or it has none
    std::uint64_t memory_bytes;
};

struct Shape {
    std::vector<ShapeCore> cores;
    std::vector<ShapeNode> nodes;
    std::vector<std::uint8_t> distances; // nodes x nodes
    bool distances_assumed = false;      // those of several nodes that are pretended, or of which the host says none
    bool shares_cpus = false;            // more cores than processors
    bool nodes_unknown = false;          // the host does not say how much memory its nodes have: there is one, with all
    bool memory_guessed = false;         // nor how much there is
};

// `available`: bytes that may be used, if the options do not say; nothing: not known, 1 GiB is tried. Errors: more
// cores than max_cores, more nodes than cores, too little memory.
Result<Shape> make_shape(RuntimeOptions const& options, Host const& host, std::optional<std::uint64_t> available);

} // namespace mxk::arch

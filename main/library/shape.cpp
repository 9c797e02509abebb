#include "main/library/shape.hpp"

#include <algorithm>

#include "kernel/acpi/slit.hpp"
#include "kernel/memory/frame_allocator.hpp"

namespace mxk::arch {
namespace {

constexpr std::uint8_t remote_distance = 20;
constexpr std::uint64_t guessed_memory = 1 * GiB;  // of a system that says nothing
constexpr std::uint64_t min_node_bytes = 16 * MiB; // workers, slabs, and something to measure

// Equal parts, cores in blocks: 8 cores on 2 nodes are 0-3 and 4-7.
void pretend_nodes(Shape& shape, std::uint32_t count, std::uint64_t memory) {
    shape.nodes.assign(count, {-1, align_down(memory / count, 2 * MiB)});
    for (std::size_t i = 0; i < shape.cores.size(); ++i) shape.cores[i].node = node_id(i * count / shape.cores.size());
}

// Cores that take turns on a processor share nothing that pretended hardware would share: each is a physical core, a
// node is a package, and of caches nothing is known.
void pretend_levels(Shape& shape) {
    for (std::size_t i = 0; i < shape.cores.size(); ++i) {
        auto const package = static_cast<std::uint32_t>(index(shape.cores[i].node));
        shape.cores[i].levels = {.physical_core = static_cast<std::uint32_t>(i), .package = package};
    }
}

double memory_of(Host const& host) {
    double whole = 0;
    for (HostNode const& node : host.nodes) whole += static_cast<double>(node.memory_bytes);
    return whole;
}

// The host's, with the memory shared out as the host has it.
void take_nodes(Shape& shape, Host const& host, std::uint64_t memory) {
    double const whole = memory_of(host);
    int const only = -1; // where there is one node, there is nothing to bind to
    for (HostNode const& node : host.nodes) {
        double const share = static_cast<double>(node.memory_bytes) / whole;
        auto const bytes = static_cast<std::uint64_t>(share * static_cast<double>(memory));
        shape.nodes.push_back({host.nodes.size() > 1 ? node.number : only, align_down(bytes, 2 * MiB)});
    }
    shape.distances = host.distances;
}

std::vector<std::uint8_t> plain_distances(std::size_t nodes) {
    std::vector<std::uint8_t> result(nodes * nodes, remote_distance);
    for (std::size_t i = 0; i < nodes; ++i) result[i * nodes + i] = acpi::local_distance;
    return result;
}

} // namespace

Result<Shape> make_shape(RuntimeOptions const& options, Host const& host, std::optional<std::uint64_t> available) {
    std::uint64_t const memory =
        options.memory_bytes != 0 ? options.memory_bytes : available.value_or(guessed_memory) / 10 * 9;
    std::size_t const cores = options.cores != 0 ? options.cores : host.cpus.size();
    if (cores > max_cores) return Error::of("expected up to {} cores, got {}", max_cores, cores);
    if (options.nodes > cores)
        return Error::of("expected up to as many nodes as cores, got {} nodes for {} cores", options.nodes, cores);
    bool const nodes_unknown = options.nodes == 0 && memory_of(host) <= 0;
    std::size_t const nodes = options.nodes != 0 ? options.nodes : nodes_unknown ? 1 : host.nodes.size();
    if (memory < nodes * min_node_bytes)
        return Error::of("expected no less than {} MiB of memory for {} nodes, got {} MiB",
                         nodes * min_node_bytes / MiB, nodes, memory / MiB);

    Shape shape;
    shape.nodes_unknown = nodes_unknown;
    shape.memory_guessed = options.memory_bytes == 0 && !available;
    shape.shares_cpus = cores > host.cpus.size();
    for (std::size_t i = 0; i < cores; ++i) {
        HostCpu const& cpu = host.cpus[i % host.cpus.size()];
        // Cores that share a processor cannot have its APIC id, too: pretended cores get pretended ids.
        shape.cores.push_back({cpu.number, shape.shares_cpus ? ApicId(i) : cpu.apic_id, node_id(cpu.node), cpu.levels});
    }
    if (options.nodes != 0)
        pretend_nodes(shape, options.nodes, memory);
    else if (nodes_unknown)
        pretend_nodes(shape, 1, memory);
    else
        take_nodes(shape, host, memory);
    for (std::size_t i = 0; i < nodes; ++i)
        if (shape.nodes[i].memory_bytes > FrameAllocator::max_bytes)
            return Error::of("expected less than 8 TiB of memory for each node, got {} GiB for node {}",
                             shape.nodes[i].memory_bytes / GiB, i);
    if (shape.shares_cpus) pretend_levels(shape);
    if (shape.distances.empty()) {
        shape.distances = plain_distances(nodes);
        shape.distances_assumed = nodes > 1;
    }
    return shape;
}

} // namespace mxk::arch

#include "bench/machine/measured_memory.hpp"

#include <algorithm>
#include <limits>

#include "arch/machine.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/working_sets.hpp"
#include "kernel/console/values.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {
namespace {

void touch(std::span<std::byte> memory) {
    for (std::size_t at = 0; at < memory.size(); at += FrameAllocator::frame_bytes) {
        // As a volatile object: the compiler must not leave it out.
        static_cast<std::byte volatile&>(memory[at]) = std::byte{0};
    }
}

// The last caches of a node together: each domain once.
std::size_t cache_bytes(topology::Topology const& topology, topology::Node const& node) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < node.cores.size(); ++i) {
        CacheDomain const cache = last_cache(topology.cores[index(node.cores[i])].levels);
        auto const before = node.cores.first(i);
        bool const is_counted = std::any_of(before.begin(), before.end(), [&](CoreId other) {
            return last_cache(topology.cores[index(other)].levels) == cache;
        });
        if (!is_counted) sum += cache.bytes;
    }
    return sum;
}

} // namespace

NodeId memory_node_of(CoreId core) {
    topology::Topology const& topology = system_topology();
    NodeId const own = topology.cores[index(core)].node;
    NodeId nearest = own;
    for (topology::Node const& node : topology.nodes) {
        if (memory::use(node.id).total == 0) continue;
        bool const is_first = memory::use(nearest).total == 0;
        if (is_first || topology.distance(own, node.id) < topology.distance(own, nearest)) nearest = node.id;
    }
    return nearest;
}

Result<MeasuredMemory> MeasuredMemory::create(std::size_t bytes, NodeId node) {
    if (index(node) >= memory::node_count())
        return Error::of("expected nodes 0 to {}, those of this machine, got {}", memory::node_count() - 1, node);
    memory::NodeUse const use = memory::use(node);
    Error const lacking = Error::of("node {} has no {} KiB of free memory in one piece", node, bytes / KiB);
    if (use.total - use.used < bytes) return lacking; // asking for it would be a WARN, and memory of another node
    auto array = NodeArray<std::byte>::create(bytes, node);
    if (!array || array.value().node() != node) return lacking;
    touch(array.value().span());
    return MeasuredMemory(std::move(array).value());
}

Words MeasuredMemory::words() const {
    return {reinterpret_cast<std::uint64_t*>(start()), bytes() / sizeof(std::uint64_t)};
}

Result<MeasuredMemory> MeasuredMemory::create_up_to(std::size_t bytes, NodeId node) {
    for (;; bytes = align_down(bytes / 2, FrameAllocator::frame_bytes)) {
        auto memory = create(bytes, node);
        if (memory || bytes <= WorkingSets::smallest) return memory;
    }
}

Result<PagedMemory> PagedMemory::create(std::size_t wanted, std::size_t page_bytes, NodeId node) {
    for (std::size_t pages = wanted; pages > 0; pages /= 2) {
        memory::NodeUse const use = memory::use(node);
        std::size_t const bytes = pages * page_bytes;
        if (use.total - use.used < bytes) continue; // asking for it would be a WARN, and memory of another node
        auto const block = memory::allocate(bytes, page_bytes, node);
        if (!block) continue;
        PagedMemory memory(block.value(), page_bytes);
        if (block.value().node != node) continue;
        memory.view_ = MXK_TRY(arch::PageView::create({block.value().address, bytes}, page_bytes));
        return memory;
    }
    return Error::of("node {} has no {} of free memory in one piece, aligned to it", node,
                     byte_text(page_bytes).view());
}

void print_emulated(TextSink& out, std::size_t largest_bytes, bool was_given) {
    if (!arch::describe_machine().is_emulated()) return;
    out.write("emulated: shows function, not the hardware; sets of up to ");
    console::print_count(out, largest_bytes);
    out.write(was_given ? " bytes\n" : " bytes, so that it takes seconds\n");
}

std::size_t default_set_bytes() {
    if (arch::describe_machine().is_emulated()) return emulated_set_bytes;
    topology::Topology const& topology = system_topology();
    std::size_t caches = 0;
    std::size_t node_bytes = std::numeric_limits<std::size_t>::max();
    for (topology::Node const& node : topology.nodes) {
        caches = std::max(caches, cache_bytes(topology, node));
        if (std::size_t const bytes = memory::use(node.id).total; bytes != 0) node_bytes = std::min(node_bytes, bytes);
    }
    std::size_t const bytes = std::clamp(4 * caches, 64 * MiB, GiB);
    return std::max(align_down(std::min(bytes, node_bytes / 16), 2 * MiB), 2 * MiB);
}

} // namespace mxk::bench

#include "kernel/memory/memory.hpp"

#include <algorithm>
#include <atomic>
#include <tuple>

#include "base/log.hpp"
#include "base/panic.hpp"
#include "base/refusal.hpp"
#include "kernel/memory/heap/superblock_pool.hpp"
#include "kernel/memory/zones.hpp"

namespace mxk::memory {
namespace {

struct Node {
    FrameAllocator* frames = nullptr;
    std::span<NodeId const> nearest_first; // every node, itself at the head
    std::atomic<std::size_t> spilled{0};   // a counter: relaxed, it orders nothing
};

constinit std::span<Node> nodes;

template <typename T> std::span<T> boot_array(Arena& arena, std::size_t count) {
    auto array = arena.array<T>(count);
    if (!array.ok()) panic("no memory for the list of nodes: {}", array.error().message());
    return array.value();
}

// Itself first whatever the firmware says about it; equal distances by id, so that the order is the same every boot.
void sort_by_distance(std::span<NodeId> order, std::size_t self, std::span<std::uint8_t const> distances) {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = node_id(i);
    std::sort(order.begin(), order.end(), [&](NodeId a, NodeId b) {
        return std::tuple(index(a) != self, distances[index(a)], a) <
               std::tuple(index(b) != self, distances[index(b)], b);
    });
}

using SizeText = FixedText<32>;

SizeText size_text(std::size_t bytes) {
    struct Unit {
        std::size_t bytes;
        char const* name;
    };
    SizeText text;
    for (Unit const unit : {Unit{GiB, "GiB"}, Unit{MiB, "MiB"}, Unit{KiB, "KiB"}}) {
        if (bytes < unit.bytes) continue;
        if (bytes % unit.bytes == 0) {
            format(text, "{} {}", bytes / unit.bytes, unit.name);
        } else {
            format(text, "{:.1} {}", static_cast<double>(bytes) / static_cast<double>(unit.bytes), unit.name);
        }
        return text;
    }
    format(text, "{} bytes", bytes);
    return text;
}

Error out_of_memory(std::size_t bytes, std::size_t alignment, NodeId wanted) {
    std::size_t largest = 0;
    for (Node const& node : nodes) largest = std::max(largest, node.frames->largest_free_extent());
    SizeText aligned; // said only where it must be the reason
    if (largest >= bytes) format(aligned, " aligned to {}", size_text(alignment).view());
    return Error::of("out of memory: {}{} wanted on node {}; largest free extent there {}, on any node {}",
                     size_text(bytes).view(), aligned.view(), wanted,
                     size_text(nodes[index(wanted)].frames->largest_free_extent()).view(), size_text(largest).view());
}

void count_spill(Node& wanting, std::size_t bytes, NodeId wanted, NodeId giver) {
    if (wanting.spilled.fetch_add(bytes, std::memory_order_relaxed) != 0) return;
    log::warn("node {} cannot give {}: node {} does (said once per node)", wanted, size_text(bytes).view(), giver);
}

} // namespace

void configure(std::span<FrameAllocator> per_node, std::span<std::uint8_t const> distances, Arena& arena) {
    std::size_t const count = per_node.size();
    expect(distances.size() == count * count, "memory wants a distance for every pair of nodes");
    std::span<Node> const configured = boot_array<Node>(arena, count);
    for (std::size_t i = 0; i < count; ++i) {
        std::span<NodeId> const order = boot_array<NodeId>(arena, count);
        sort_by_distance(order, i, distances.subspan(i * count, count));
        configured[i].frames = &per_node[i];
        configured[i].nearest_first = order;
    }
    nodes = configured;
    heap::configure_pools(count, arena);
}

void be_alone() {
    for (Node const& node : nodes) node.frames->be_alone();
}

void let_others_come() {
    for (Node const& node : nodes) node.frames->let_others_come();
}

bool is_shared() {
    return std::ranges::any_of(nodes, [](Node const& node) { return node.frames->is_locked_by_all(); });
}

Result<Block> allocate(std::size_t bytes, std::size_t alignment, NodeId node) {
    if (index(node) >= nodes.size()) return Error::of("no node {}: there are {}", node, nodes.size());
    if (inject::refuses_memory())
        return Error::of("out of memory: {} refused on node {}", size_text(bytes).view(), node);
    Node& wanting = nodes[index(node)];
    for (NodeId const giver : wanting.nearest_first) {
        FrameAllocator& frames = *nodes[index(giver)].frames;
        void* place = frames.allocate(bytes, alignment);
        // Before another node is asked, what heaps only keep.
        while (place == nullptr && heap::pool_of(giver).release(bytes) != 0) place = frames.allocate(bytes, alignment);
        if (place == nullptr) continue;
        if (giver != node) count_spill(wanting, bytes, node, giver);
        return Block{static_cast<std::byte*>(place), bytes, giver};
    }
    return out_of_memory(bytes, alignment, node);
}

void free(Block const& block) {
    expect(index(block.node) < nodes.size(), "a block lies on a node that exists");
    nodes[index(block.node)].frames->free(block.address, block.bytes);
}

std::optional<NodeId> find_node(void const* address) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].frames->has(address)) return node_id(i);
    return std::nullopt;
}
NodeId node_of(void const* address) {
    if (auto const node = find_node(address)) [[likely]]
        return *node;
    panic("the memory at {} is no node's", address);
}

NodeUse use(NodeId node) {
    expect(index(node) < nodes.size(), "memory use of a node that does not exist");
    Node const& of = nodes[index(node)];
    std::size_t const total = of.frames->total_bytes();
    std::size_t const kept = heap::pool_of(node).use().kept_bytes; // an allocation can have it
    return {.total = total,
            .used = total - of.frames->free_bytes() - kept,
            .peak = total - of.frames->lowest_free_bytes(),
            .spilled = of.spilled.load(std::memory_order_relaxed)};
}

void begin_peak(NodeId node) {
    expect(index(node) < nodes.size(), "the peak of a node that does not exist");
    nodes[index(node)].frames->begin_peak();
}

std::size_t largest_free_block(NodeId node) {
    expect(index(node) < nodes.size(), "the largest free block of a node that does not exist");
    return nodes[index(node)].frames->largest_free_extent();
}

std::size_t node_count() {
    return nodes.size();
}

} // namespace mxk::memory

// Which node a new request goes to (Falt 2010, section 6.3.1), as a function of what is known of the nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mxk::dataflow {

// A moment's figures of a node.
struct NodeLoad {
    std::uint32_t waiting = 0;    // requests in its input queue
    std::uint32_t unfinished = 0; // requests that it has accepted and not ended, those that wait among them
    std::uint32_t cores = 1;
    std::uint32_t awake = 0;            // of these
    std::uint64_t memory_total = 1;     // bytes
    std::uint64_t memory_available = 0; // of these
    double speed = 1;                   // of its memory: the fastest node's distance to itself by this one's

    [[nodiscard]] double core_load() const { return static_cast<double>(awake) / cores; }
    [[nodiscard]] double memory_load() const {
        return 1 -
               static_cast<double>(memory_available) / static_cast<double>(std::max<std::uint64_t>(memory_total, 1));
    }
};

// Whether a resource with that measured load has room for two more requests of average size: 1 - u > 2 u / n, where u
// is the load and n the node's requests. A request that has not got going yet shows in no measured load: each is taken
// to fill a core, so u is no less than n / cores. Written here without a division, which would round. Without requests
// anything below full is room.
constexpr bool has_room(NodeLoad const& node, double measured) {
    std::uint32_t const requests = node.unfinished;
    if (requests == 0) return measured < 1;
    return requests + 2 < node.cores && measured * (requests + 2) < requests;
}

// The place of the node in `nodes`, one or more, of which one has cores; nodes without cores are never
// chosen. `random` breaks ties.
constexpr std::size_t choose_node(std::span<NodeLoad const> nodes, std::uint64_t random) {
    std::uint32_t shortest = UINT32_MAX;
    for (NodeLoad const& node : nodes)
        if (node.cores != 0) shortest = std::min(shortest, node.waiting);
    auto const is_candidate = [&](NodeLoad const& node) { return node.cores != 0 && node.waiting == shortest; };
    auto const fits = [&](NodeLoad const& node) {
        return is_candidate(node) && has_room(node, node.core_load()) && has_room(node, node.memory_load());
    };
    double fastest = 0;
    std::size_t ties = 0;
    for (NodeLoad const& node : nodes) {
        if (!fits(node) || node.speed < fastest) continue;
        ties = node.speed > fastest ? 1 : ties + 1;
        fastest = node.speed;
    }
    if (ties != 0) {
        std::size_t left = random % ties;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (fits(nodes[i]) && nodes[i].speed == fastest && left-- == 0) return i;
    }
    std::size_t best = nodes.size();
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (is_candidate(nodes[i]) &&
            (best == nodes.size() || nodes[i].memory_available > nodes[best].memory_available))
            best = i;
    return best;
}

} // namespace mxk::dataflow

#include "kernel/topology/core_order.hpp"

#include <algorithm>
#include <array>

namespace mxk::topology {
namespace {

// A core's place in the machine, the widest level first: node, package, caches from the largest, physical core. An
// unknown level is the same for all, so it decides nothing.
constexpr std::size_t depth = 3 + CoreLevels::cache_levels;
using Path = std::array<std::uint32_t, depth>;

Path path_of(Core const& core) {
    Path path{static_cast<std::uint32_t>(index(core.node)), core.levels.package};
    for (std::size_t i = 0; i < CoreLevels::cache_levels; ++i)
        path[2 + i] = core.levels.caches[CoreLevels::cache_levels - 1 - i].domain;
    path[depth - 1] = core.levels.physical_core;
    return path;
}

bool shares(Path const& a, Path const& b, std::size_t levels) {
    return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(levels), b.begin());
}

struct Candidate {
    CoreId core;
    Path path;
    bool taken = false;
    // How many cores were taken that share the first i + 1 levels with this one.
    std::array<std::uint32_t, depth> near{};

    [[nodiscard]] bool is_freer_than(Candidate const& other) const {
        if (near.back() != other.near.back()) return near.back() < other.near.back(); // on the physical core
        return near < other.near;
    }
};

Result<NodeVector<Candidate>> candidates_of(Topology const& topology, NodeId home) {
    auto candidates = MXK_TRY(NodeVector<Candidate>::create(topology.cores.size(), home));
    for (Core const& core : topology.cores) candidates.emplace(Candidate{core.id, path_of(core)});
    return candidates;
}

Result<NodeVector<CoreId>> ids_of(std::span<Candidate const> candidates, NodeId home) {
    auto ids = MXK_TRY(NodeVector<CoreId>::create(candidates.size(), home));
    for (Candidate const& candidate : candidates) ids.emplace(candidate.core);
    return ids;
}

// Physical cores are numbered for all cores or for none that matters here.
Result<void> expect_physical_cores(Topology const& topology) {
    bool const known = std::all_of(topology.cores.begin(), topology.cores.end(),
                                   [](Core const& core) { return core.levels.physical_core != unknown_domain; });
    if (!known) return Error("this machine does not say which cores are threads of one physical core");
    return {};
}

} // namespace

Result<NodeVector<CoreId>> spread_order(Topology const& topology, NodeId home) {
    auto candidates = MXK_TRY(candidates_of(topology, home));
    auto order = MXK_TRY(NodeVector<CoreId>::create(candidates.size(), home));
    while (order.size() < candidates.size()) {
        // One whose SMT siblings are free, then the one with the fewest cores taken near it, where the widest level
        // counts first; of equals the lowest id.
        Candidate* best = nullptr;
        for (Candidate& candidate : candidates) {
            if (!candidate.taken && (best == nullptr || candidate.is_freer_than(*best))) best = &candidate;
        }
        best->taken = true;
        order.emplace(best->core);
        for (Candidate& candidate : candidates) {
            for (std::size_t level = 0; level < depth && shares(candidate.path, best->path, level + 1); ++level)
                ++candidate.near[level];
        }
    }
    return order;
}

Result<NodeVector<CoreId>> pack_order(Topology const& topology, NodeId home) {
    auto candidates = MXK_TRY(candidates_of(topology, home));
    std::sort(candidates.begin(), candidates.end(), [](Candidate const& a, Candidate const& b) {
        return a.path != b.path ? a.path < b.path : a.core < b.core;
    });
    return ids_of(candidates.span(), home);
}

Result<NodeVector<CoreId>> physical_order(Topology const& topology, NodeId home) {
    MXK_TRY(expect_physical_cores(topology));
    auto order = MXK_TRY(NodeVector<CoreId>::create(topology.cores.size(), home));
    for (Core const& core : topology.cores) {
        bool const is_there = std::any_of(order.begin(), order.end(), [&](CoreId other) {
            return topology.cores[index(other)].levels.physical_core == core.levels.physical_core;
        });
        if (!is_there) order.emplace(core.id);
    }
    return order;
}

Result<NodeVector<CoreId>> sibling_order(Topology const& topology, NodeId home) {
    MXK_TRY(expect_physical_cores(topology));
    auto const first = MXK_TRY(physical_order(topology, home));
    auto order = MXK_TRY(NodeVector<CoreId>::create(topology.cores.size(), home));
    for (CoreId const leader : first) {
        auto const is_sibling = [&](Core const& core) {
            return core.levels.physical_core == topology.cores[index(leader)].levels.physical_core;
        };
        if (std::count_if(topology.cores.begin(), topology.cores.end(), is_sibling) < 2) continue;
        for (Core const& core : topology.cores) {
            if (is_sibling(core)) order.emplace(core.id);
        }
    }
    if (order.size() == 0) return Error("no physical core of this machine has more than one thread");
    return order;
}

} // namespace mxk::topology

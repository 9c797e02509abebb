#include "locks/fabric/stored_topology.hpp"

#include <cstdint>

#include "arch/lock_user.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::locks {
namespace {

constexpr std::uint32_t not_yet = 0xffff'ffff;

// The largest cache that the core shares with others, as far as is known.
std::uint32_t cache_of(topology::Core const& core) {
    for (std::size_t level = CoreLevels::cache_levels; level-- > 0;)
        if (core.levels.caches[level].domain != unknown_domain) return core.levels.caches[level].domain;
    return unknown_domain;
}

} // namespace

Result<StoredTopology> StoredTopology::create() {
    auto const& cores = system_topology().cores;
    NodeId const here = cores[index(arch::lock_core())].node;
    StoredTopology stored;
    stored.workers_ = MXK_TRY(NodeVector<LockTopology::Worker>::create(cores.size(), here));
    stored.first_in_cache_ = MXK_TRY(NodeVector<WorkerNumber>::create(cores.size(), here));
    stored.first_in_node_ = MXK_TRY(NodeVector<WorkerNumber>::create(cores.size(), here));
    for (auto const& core : cores)
        stored.workers_.emplace(LockTopology::Worker{.cache = not_yet, .node = not_yet, .memory = core.node});
    return stored;
}

Result<StoredTopology> StoredTopology::of_machine() {
    StoredTopology stored = MXK_TRY(create());
    auto const& cores = system_topology().cores;
    // A group's number is that of its first core's turn.
    for (std::size_t i = 0; i < cores.size(); ++i) {
        LockTopology::Worker& worker = stored.workers_[i];
        for (std::size_t before = 0; before < i && worker.cache == not_yet; ++before) {
            if (cores[before].node != cores[i].node) continue;
            worker.node = stored.workers_[before].node;
            if (cache_of(cores[before]) == cache_of(cores[i])) worker.cache = stored.workers_[before].cache;
        }
        auto const number = static_cast<WorkerNumber>(i);
        if (worker.node == not_yet) worker.node = add(stored.first_in_node_, number);
        if (worker.cache == not_yet) worker.cache = add(stored.first_in_cache_, number);
    }
    return stored;
}

Result<StoredTopology> StoredTopology::made_up(std::span<CoreId const> users, std::size_t nodes) {
    if (nodes == 0 || nodes > users.size())
        return Error::of("expected 1 to {} nodes, as many as there are workers, got {}", users.size(), nodes);
    StoredTopology stored = MXK_TRY(create());
    for (std::size_t node = 0; node < nodes; ++node) {
        auto const in_node =
            users.subspan(users.size() * node / nodes, users.size() * (node + 1) / nodes - users.size() * node / nodes);
        std::uint32_t const node_number = add(stored.first_in_node_, static_cast<WorkerNumber>(index(in_node[0])));
        std::uint32_t cache = not_yet;
        for (std::size_t i = 0; i < in_node.size(); ++i) {
            auto const number = static_cast<WorkerNumber>(index(in_node[i]));
            if (i == 0 || i == in_node.size() / 2) cache = add(stored.first_in_cache_, number);
            stored.workers_[number].node = node_number;
            stored.workers_[number].cache = cache;
        }
    }
    for (LockTopology::Worker& worker : stored.workers_) {
        if (worker.node != not_yet) continue;
        worker.node = 0;
        worker.cache = 0;
    }
    return stored;
}

std::uint32_t StoredTopology::add(NodeVector<WorkerNumber>& firsts, WorkerNumber first) {
    firsts.emplace(first);
    return static_cast<std::uint32_t>(firsts.size() - 1);
}

} // namespace mxk::locks

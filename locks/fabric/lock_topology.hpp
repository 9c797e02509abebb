// How near to each other the workers are that use a lock. A worker is a core here, a rank over MPI; it is known by its
// number. Workers that share a cache are a group, and so are those of a node and those of the machine. What a lock puts
// into the memory of a group is on the node of the group's first worker. Only a view: the storage is its maker's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.hpp"

namespace mxk::locks {

using WorkerNumber = std::uint32_t;

enum class Level : std::uint8_t { Cache, Node, Machine };

class LockTopology {
  public:
    struct Worker {
        std::uint32_t cache; // numbers of its groups, dense and in the order of workers
        std::uint32_t node;
        NodeId memory; // that is nearest to it
    };

    LockTopology() = default;
    // `first_in_cache[g]`, `first_in_node[g]`: the first worker of group g.
    LockTopology(std::span<Worker const> workers, std::span<WorkerNumber const> first_in_cache,
                 std::span<WorkerNumber const> first_in_node)
        : workers_(workers)
        , first_in_cache_(first_in_cache)
        , first_in_node_(first_in_node) {}

    [[nodiscard]] std::size_t workers() const { return workers_.size(); }
    [[nodiscard]] std::size_t groups(Level level) const {
        switch (level) {
        case Level::Cache: return first_in_cache_.size();
        case Level::Node: return first_in_node_.size();
        case Level::Machine: break;
        }
        return 1;
    }
    [[nodiscard, gnu::always_inline]] std::uint32_t group_of(Level level, WorkerNumber worker) const {
        switch (level) {
        case Level::Cache: return workers_[worker].cache;
        case Level::Node: return workers_[worker].node;
        case Level::Machine: break;
        }
        return 0;
    }
    [[nodiscard]] std::uint32_t node_of(WorkerNumber worker) const { return workers_[worker].node; }
    [[nodiscard]] WorkerNumber first_of(Level level, std::size_t group) const {
        switch (level) {
        case Level::Cache: return first_in_cache_[group];
        case Level::Node: return first_in_node_[group];
        case Level::Machine: break;
        }
        return 0;
    }
    [[nodiscard]] NodeId memory_of(WorkerNumber worker) const { return workers_[worker].memory; }

  private:
    std::span<Worker const> workers_;
    std::span<WorkerNumber const> first_in_cache_;
    std::span<WorkerNumber const> first_in_node_;
};

} // namespace mxk::locks

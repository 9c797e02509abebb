// Lock topologies with their storage: the machine's, or one that is made up, so that locks for nodes can be tested on
// any machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_vector.hpp"
#include "locks/fabric/lock_topology.hpp"

namespace mxk::locks {

class StoredTopology {
  public:
    // Of all cores that run, by their nodes and by their largest shared cache. Errors: no memory. Any core.
    static Result<StoredTopology> of_machine();
    // Of all cores that run; those of `users`, in this order, are cut into so many nodes of equal size, or nearly, and
    // each node into two groups with a cache of their own. Other cores are of node 0. Errors: no memory; more nodes
    // than users. Any core.
    static Result<StoredTopology> made_up(std::span<CoreId const> users, std::size_t nodes);

    [[nodiscard]] LockTopology view() const { return {workers_.span(), first_in_cache_.span(), first_in_node_.span()}; }

  private:
    static Result<StoredTopology> create();
    static std::uint32_t add(NodeVector<WorkerNumber>& firsts, WorkerNumber first);

    NodeVector<LockTopology::Worker> workers_;
    NodeVector<WorkerNumber> first_in_cache_;
    NodeVector<WorkerNumber> first_in_node_;
};

} // namespace mxk::locks

// Ranks as workers of locks (locks/fabric/lock_topology.hpp): equal parts of them are nodes, and the ranks of a
// node are two caches if there are four of them or more, so that locks of three levels have three.
#pragma once

#include <vector>

#include "locks/fabric/lock_topology.hpp"

namespace mxk::mpi {

class RankTopology {
  public:
    // `nodes` divides `ranks`.
    RankTopology(locks::WorkerNumber ranks, locks::WorkerNumber nodes) {
        locks::WorkerNumber const of_node = ranks / nodes;
        locks::WorkerNumber const of_cache = of_node >= 4 && of_node % 2 == 0 ? of_node / 2 : of_node;
        for (locks::WorkerNumber rank = 0; rank < ranks; ++rank) {
            if (rank % of_node == 0) first_in_node_.push_back(rank);
            if (rank % of_cache == 0) first_in_cache_.push_back(rank);
            workers_.push_back({.cache = rank / of_cache, .node = rank / of_node, .memory = node_id(rank / of_node)});
        }
        view_ = locks::LockTopology(workers_, first_in_cache_, first_in_node_);
    }
    RankTopology(RankTopology const&) = delete;
    RankTopology& operator=(RankTopology const&) = delete;
    [[nodiscard]] locks::LockTopology const& view() const { return view_; }

  private:
    std::vector<locks::LockTopology::Worker> workers_;
    std::vector<locks::WorkerNumber> first_in_cache_;
    std::vector<locks::WorkerNumber> first_in_node_;
    locks::LockTopology view_;
};

} // namespace mxk::mpi

// A topology of workers that are cut into nodes and caches in their order: so many on each node, or of as many as share
// a cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "locks/fabric/lock_topology.hpp"

namespace mxk::test {

class GroupedWorkers {
  public:
    GroupedWorkers(std::size_t count, std::size_t on_each_node, std::size_t in_each_cache) {
        for (std::size_t i = 0; i < count; ++i) {
            auto const node = static_cast<std::uint32_t>(i / on_each_node);
            auto const cache = static_cast<std::uint32_t>(i / std::min(on_each_node, in_each_cache));
            workers_.push_back({.cache = cache, .node = node, .memory = node_id(0)});
            if (first_in_cache_.size() == cache) first_in_cache_.push_back(static_cast<locks::WorkerNumber>(i));
            if (first_in_node_.size() == node) first_in_node_.push_back(static_cast<locks::WorkerNumber>(i));
        }
    }
    [[nodiscard]] locks::LockTopology view() const { return {workers_, first_in_cache_, first_in_node_}; }

  private:
    std::vector<locks::LockTopology::Worker> workers_;
    std::vector<locks::WorkerNumber> first_in_cache_;
    std::vector<locks::WorkerNumber> first_in_node_;
};

} // namespace mxk::test

// Numbers of cores in the order of the machine's hierarchy: the threads of a physical core one after the other, then
// its neighbours at the same cache, the package, the node. So neighbours in number are near each other, which sets by
// clusters go by (cluster_mask.hpp); ids of cores have second threads far behind the first ones.
#pragma once

#include <cstddef>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/core_order.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::topology {

// Any core may read it.
class ProcessorNumbers {
  public:
    // In memory of `home`. Errors: no memory. Any core; blocks for the allocator's lock.
    static Result<ProcessorNumbers> create(Topology const& topology, NodeId home) {
        auto cores = MXK_TRY(pack_order(topology, home));
        auto numbers = MXK_TRY(NodeVector<std::size_t>::create(cores.size(), home));
        for (std::size_t i = 0; i < cores.size(); ++i) numbers.emplace(std::size_t{0});
        for (std::size_t number = 0; number < cores.size(); ++number) numbers[index(cores[number])] = number;
        return ProcessorNumbers(std::move(cores), std::move(numbers));
    }

    [[nodiscard]] std::size_t size() const { return cores_.size(); }
    [[nodiscard]] std::size_t number(CoreId core) const { return numbers_[index(core)]; }
    [[nodiscard]] CoreId core(std::size_t number) const { return cores_[number]; }

  private:
    ProcessorNumbers(NodeVector<CoreId> cores, NodeVector<std::size_t> numbers)
        : cores_(std::move(cores))
        , numbers_(std::move(numbers)) {}

    NodeVector<CoreId> cores_;        // by number
    NodeVector<std::size_t> numbers_; // by id
};

} // namespace mxk::topology

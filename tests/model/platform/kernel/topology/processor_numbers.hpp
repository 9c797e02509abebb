// kernel/topology/processor_numbers.hpp for the model checker: a core's number is its id.
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/topology/topology.hpp"

namespace mxk::topology {

class ProcessorNumbers {
  public:
    static Result<ProcessorNumbers> create(Topology const& /*topology*/, NodeId /*home*/) { return ProcessorNumbers(); }
    [[nodiscard]] static std::size_t number(CoreId core) { return index(core); }
    [[nodiscard]] static CoreId core(std::size_t number) { return core_id(number); }
};

} // namespace mxk::topology

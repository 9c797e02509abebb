// tasks/worker.hpp for the model checker: which core it is. Queues are the harness's.
#pragma once

#include "base/units.hpp"
#include "tasks/task.hpp"

namespace mxk {

class Worker {
  public:
    explicit Worker(CoreId core)
        : core_(core) {}
    [[nodiscard]] CoreId core() const { return core_; }
    [[nodiscard]] NodeId node() const { return NodeId{}; }

  private:
    CoreId core_;
};

} // namespace mxk

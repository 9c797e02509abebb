// The discipline CoreFifo (scheduler.hpp): every task runs on the core that it belongs to, in the FIFO of that core's
// worker, as MxTasks do. Bound and unbound are the same.
#pragma once

#include "tasks/dataflow/core_scheduler.hpp"

namespace mxk::dataflow {

class FifoCore final : public CoreScheduler {
  public:
    using CoreScheduler::CoreScheduler;

    void enqueue(ReschedulableTask& task, Binding /*binding*/) override {
        counts_.unbound.add(1);
        worker().append(task, task.home);
    }
};

} // namespace mxk::dataflow

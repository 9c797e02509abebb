// A core of the dataflow's scheduler that runs what is enqueued on it, one after the other.
#pragma once

#include "tasks/dataflow/core_scheduler.hpp"
#include "tasks/queue/task_list.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {

class RunningCore : public dataflow::CoreScheduler {
  public:
    RunningCore(dataflow::Scheduler& scheduler, Worker& worker, bool reruns_bound = false)
        : CoreScheduler(scheduler, worker, index(worker.core()), 0, reruns_bound) {}
    virtual ~RunningCore() = default;
    void enqueue(dataflow::ReschedulableTask& task, dataflow::Binding /*binding*/) override {
        WeakMemory::current().check(queue_->empty(), "a task is queued twice");
        queue_->append(task); // by its link, which the core that had it last has read
    }
    void run_all() {
        while (Task* const task = queue_->take()) task->body(worker(), *task);
    }

  private:
    TaskList* queue_ = ModelMemory::make<TaskList>();
};

} // namespace mxk::test

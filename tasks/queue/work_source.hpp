// Where a core's worker looks for work besides its own FIFO: between two rounds of tasks, and when there are none. The
// seam for other disciplines than one FIFO for each core (tasks/dataflow/). All functions are called by the worker of
// the core that it is on.
#pragma once

namespace mxk {

class Worker;

class WorkSource {
  public:
    WorkSource() = default;
    WorkSource(WorkSource const&) = delete;
    WorkSource& operator=(WorkSource const&) = delete;

    // Runs some of the work that is there: about as much as a round of tasks, and no more once the core's attention is
    // asked for. False: there was none.
    virtual bool run(Worker& worker) = 0;
    // While the core polls: whether run() is worth a call. Cheap.
    virtual bool has_work() = 0;
    // The core has polled long enough and is about to halt; false if it must not, since there is work after all. From
    // then on, a core that makes work for it wakes it (arch::wake).
    virtual bool begin_sleep() = 0;
    // It is awake again, for whatever reason.
    virtual void end_sleep() = 0;

  protected:
    ~WorkSource() = default;
};

} // namespace mxk

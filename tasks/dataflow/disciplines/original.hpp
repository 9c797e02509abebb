// The discipline Original (scheduler.hpp): each core has a stack of bound tasks that nobody else takes from, and a FIFO
// of unbound ones, which a core without bound tasks takes as a whole, its own first (Falt 2010, section 5.3). A core
// sleeps by a semaphore whose value is the number of FIFOs that are not empty: who gets past it finds one.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/lock_rank.hpp"
#include "base/spin_lock.hpp"
#include "tasks/dataflow/core_scheduler.hpp"
#include "tasks/dataflow/sleepers.hpp"
#include "tasks/queue/task_list.hpp"
#include "tasks/queue/work_source.hpp"

namespace mxk::dataflow {

// What its cores share.
struct OriginalQueues {
    Sleepers sleepers;
    alignas(cache_line_bytes) std::atomic<std::int32_t> non_empty{0}; // FIFOs that are not promised to a core
};

class OriginalCore final : public CoreScheduler, public WorkSource {
  public:
    static constexpr unsigned turn_tasks = 32;

    OriginalCore(Scheduler& scheduler, Worker& worker, std::size_t place, OriginalQueues& queues)
        : CoreScheduler(scheduler, worker, place, 0, true)
        , queues_(queues) {}

    void enqueue(ReschedulableTask& task, Binding binding) override;
    // A request begins here: the body of a task that the scheduler sends.
    void enqueue_beginning(ReschedulableTask& task) { private_.prepend(task); }

    bool run(Worker& worker) override;
    bool has_work() override;
    bool begin_sleep() override;
    void end_sleep() override;

  private:
    ReschedulableTask* next();
    bool take_public(OriginalCore& victim);

    OriginalQueues& queues_;
    TaskList private_;
    SpinLock lock_{lock_bands::waking.rank(6)}; // what is public
    TaskList public_;
};

} // namespace mxk::dataflow

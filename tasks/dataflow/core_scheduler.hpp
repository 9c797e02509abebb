// The scheduler of one core, as tasks of dataflow requests see it: the calling core's. Which discipline is behind it is
// the scheduler's choice (scheduler.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tasks/dataflow/request.hpp"
#include "tasks/dataflow/reschedulable_task.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/worker.hpp"

namespace mxk::dataflow {

class Scheduler;

// What a core has done so far. Any core may read it.
struct CoreCounts {
    OwnerCounter bound;       // tasks run that it took from its own stack
    OwnerCounter unbound;     // that it took from queues of its node
    OwnerCounter stolen;      // from another core's stack
    OwnerCounter admitted;    // requests it began
    OwnerCounter reruns;      // tasks that were asked for while they ran
    OwnerCounter foreign;     // tasks run of requests that another node was responsible for
    OwnerCounter left;        // times it had helped with a request and left it to the core that leads it
    OwnerCounter locks;       // of requests, taken for unbound tasks
    OwnerCounter sleeps;      // times it began to sleep
    OwnerCounter own_rises;   // of these, how many ended without a waker: by mail or an interrupt
    OwnerCounter empty_turns; // searches that found nothing

    [[nodiscard]] std::uint64_t tasks() const { return bound.value() + unbound.value() + stolen.value(); }
};

class alignas(cache_line_bytes) CoreScheduler {
  public:
    CoreScheduler(Scheduler& scheduler, Worker& worker, std::size_t place, std::uint16_t node, bool reruns_bound)
        : scheduler_(scheduler)
        , worker_(worker)
        , place_(place)
        , node_(node)
        , reruns_bound_(reruns_bound) {}
    CoreScheduler(CoreScheduler const&) = delete;
    CoreScheduler& operator=(CoreScheduler const&) = delete;

    [[nodiscard]] Worker& worker() const { return worker_; }
    [[nodiscard]] Scheduler& scheduler() const { return scheduler_; }
    [[nodiscard]] CoreId core() const { return worker_.core(); }
    // Which of the scheduler's cores this is, and which of its nodes it belongs to.
    [[nodiscard]] std::size_t place() const { return place_; }
    [[nodiscard]] std::uint16_t node_place() const { return node_; }
    [[nodiscard]] CoreCounts const& counts() const { return counts_; }

    // For ReschedulableTask, on this core: the task is scheduled and in no queue.
    virtual void enqueue(ReschedulableTask& task, Binding binding) = 0;
    void enqueue_again(ReschedulableTask& task, bool asked_bound) {
        counts_.reruns.add(1);
        enqueue(task, asked_bound && reruns_bound_ ? Binding::Bound : Binding::Unbound);
    }

  protected:
    ~CoreScheduler() = default;
    CoreCounts counts_;

  private:
    Scheduler& scheduler_;
    Worker& worker_;
    std::size_t place_;
    std::uint16_t node_;
    bool reruns_bound_;
};

inline void ReschedulableTask::schedule(CoreScheduler& here, Binding binding) {
    State state = state_.load(std::memory_order_relaxed);
    for (;;) {
        if (state == State::Ended) return;
        State asked = State::Scheduled;
        if (state != State::Idle)
            asked = state == State::AgainBound || binding == Binding::Bound ? State::AgainBound : State::Again;
        inject::point();
        // acq_rel: release for the run, see the head of the file; acquire: a core had it in a queue before
        if (state_.compare_exchange_weak(state, asked, std::memory_order_acq_rel, std::memory_order_relaxed)) break;
    }
    if (state == State::Idle) here.enqueue(*this, binding);
}

inline Outcome ReschedulableTask::run_body(CoreScheduler& here) {
    // What was asked for until now, this run does. acquire: all changes are read-modify-writes, so this one pairs with
    // all before it that release, of those that asked and of the run before
    if (state_.load(std::memory_order_acquire) != State::Scheduled) [[unlikely]]
        state_.exchange(State::Scheduled, std::memory_order_acquire);
    inject::point();
    return run_(here, *this);
}

inline void ReschedulableTask::end(CoreScheduler& here) {
    Request& request = request_;
    state_.store(State::Ended, std::memory_order_release);
    request.end_task(here);
}

inline bool ReschedulableTask::try_rest() {
    State state = State::Scheduled;
    // Idle: another core may run it, and even end it, from now on. release: for that core
    return state_.compare_exchange_strong(state, State::Idle, std::memory_order_release, std::memory_order_relaxed);
}

inline void ReschedulableTask::queue_again(CoreScheduler& here) {
    inject::point();
    State const state = state_.exchange(State::Scheduled, std::memory_order_relaxed); // the run acquires
    here.enqueue_again(*this, state == State::AgainBound);
}

// It remains Scheduled, or marked: what others ask for meanwhile, the next run does. If their mark comes after that one
// has begun, it is found at its end.
inline void ReschedulableTask::go_on(CoreScheduler& here) {
    here.enqueue_again(*this, state_.load(std::memory_order_relaxed) == State::AgainBound);
}

inline void ReschedulableTask::execute(CoreScheduler& here) {
    switch (run_body(here)) {
    case Outcome::Ended: return end(here);
    case Outcome::Again: return go_on(here);
    case Outcome::Waits: break;
    }
    if (!try_rest()) [[unlikely]]
        queue_again(here);
}

} // namespace mxk::dataflow

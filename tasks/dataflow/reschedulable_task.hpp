// A task that may be asked to run again and again, by any core: a box of a dataflow graph. It is queued once at a time,
// it never runs on two cores at the same time, and what was asked for while it ran gives exactly one more run (Z. Falt,
// thesis on the scheduler of Bobox, 2010, sections 3.2 and 5.2).
//
//     Idle -> Scheduled -> (its body) -> Idle | Ended
//              |   ^
//              v   |  asked again while queued: the mark is taken away when the body begins
//             Again   asked again while it ran: queued once more, as unbound work
//
// A body that has more to do by itself says so at its end, and remains Scheduled.
//
// The thesis has a state of its own for a task that runs. Here a queued task and a running one are the same state,
// which saves one of four locked operations in the life of a task; what tells them apart is who finds the mark, the
// beginning of a run or its end. A caller that finds nothing to do writes the state all the same: its locked write and
// the one at the end of a run are in one order, so that what it has written before is seen by the run, or makes
// another. A mere look could read "queued" while the runner has already read the old data.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/inject.hpp"
#include "tasks/task.hpp"

namespace mxk::dataflow {

class CoreScheduler;
class Request;

// How soon: Bound is for this core, next, since its data are in this core's cache; Unbound is for any core (thesis
// 5.4).
enum class Binding : std::uint8_t { Unbound, Bound };

// What a body says when it returns: it waits to be scheduled; it has more to do, and is scheduled as unbound, for half
// of the locked operations that schedule() on itself would take; or it will never be scheduled again.
enum class Outcome : std::uint8_t { Waits, Again, Ended };

class ReschedulableTask : public Task {
  public:
    using Run = Outcome (*)(CoreScheduler& here, ReschedulableTask& task);

    // Of `request`, which counts it until it has ended. `home_core`: where the discipline of one FIFO for each core
    // (scheduler.hpp) runs it.
    ReschedulableTask(Request& request, Run run, CoreId home_core)
        : Task(&ReschedulableTask::run_from_queue, home_core)
        , run_(run)
        , request_(request) {}
    ReschedulableTask(ReschedulableTask const&) = delete;
    ReschedulableTask& operator=(ReschedulableTask const&) = delete;

    // Makes it run once more after this call has begun. `here`: the calling core's. Never blocks, except for a short
    // lock. Not once the body has said Ended, or is about to.
    void schedule(CoreScheduler& here, Binding binding);

    // For schedulers: runs the body of a task that was taken from a queue. The task may be gone afterwards.
    void execute(CoreScheduler& here);
    // The same in its steps, for a scheduler that has something to do between them: run_body(); then as it says end(),
    // go_on(), or try_rest(), a locked instruction in any case, and if that is false queue_again().
    Outcome run_body(CoreScheduler& here);
    void end(CoreScheduler& here);
    // False: it was asked for while it ran.
    [[nodiscard]] bool try_rest();
    void queue_again(CoreScheduler& here);
    void go_on(CoreScheduler& here);

    [[nodiscard]] Request& request() const { return request_; }
    // For schedulers, while it is queued as unbound: the node that is to run it, and whether it is in that node's count
    // of tasks (activity.hpp).
    [[nodiscard]] std::uint16_t responsible_node() const { return responsible_node_; }
    [[nodiscard]] bool is_counted() const { return is_counted_; }
    void set_responsible_node(std::uint16_t node, bool is_counted) {
        responsible_node_ = node;
        is_counted_ = is_counted;
    }

    // Whether it is taken after all others of its request, of those that are queued as unbound: it makes more for them
    // to do. Before it is scheduled, or in its body.
    void set_comes_last(bool comes_last) { comes_last_ = comes_last; }
    [[nodiscard]] bool comes_last() const { return comes_last_; }

    // For who has given it another body in a worker's queue: its own again.
    void set_body_of_queue() { body = &ReschedulableTask::run_from_queue; }

    // For tests and displays: a moment's state.
    [[nodiscard]] bool is_idle() const { return state_.load(std::memory_order_acquire) == State::Idle; }
    [[nodiscard]] bool has_ended() const { return state_.load(std::memory_order_acquire) == State::Ended; }

  private:
    enum class State : std::uint8_t { Idle, Scheduled, Again, AgainBound, Ended };

    static void run_from_queue(Worker& worker, Task& task);

    std::atomic<State> state_{State::Idle};
    bool is_counted_ = false;
    bool comes_last_ = false;
    std::uint16_t responsible_node_ = 0;
    Run run_;
    Request& request_;
};
static_assert(sizeof(ReschedulableTask) == cache_line_bytes);

} // namespace mxk::dataflow

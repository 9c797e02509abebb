// A request: the tasks of one query, from its submission until the last of them has ended. Its unbound tasks wait in a
// FIFO of its own, so that a scheduler can serve requests in the order in which they came (Falt 2010, section 5.5.4).
//
//     submitted -> waits in a node's input queue -> admitted: has a place in work queues -> ended
//
// Tasks and threads may wait for its end.
//
// It begins with one task, which builds the rest: so what a request consists of is made by a core that will run it, in
// memory of that core's node, and not before it is its turn (section 9.2.1).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/units.hpp"
#include "tasks/count_down.hpp"
#include "tasks/dataflow/reschedulable_task.hpp"
#include "tasks/dataflow/task_waker.hpp"

namespace mxk::dataflow {

class RequestPlace;
class Scheduler;

class Request {
  public:
    // On the core that admits it: makes its tasks, and schedules those that begin. A request without tasks has ended
    // when this returns.
    using Begin = void (*)(CoreScheduler& here, Request& request);
    // On the core where its last task has ended, before those who wait for it are told.
    using End = void (*)(CoreScheduler& here, Request& request);

    explicit Request(Begin begin, End end = nullptr)
        : begin_(begin)
        , end_(end)
        , beginning_(*this, &Request::run_begin, CoreId{}) {}
    Request(Request const&) = delete;
    Request& operator=(Request const&) = delete;

    // One more task belongs to it. A task of the request calls it, or `begin`, or who keeps such a task from ending.
    // relaxed: it cannot reach zero meanwhile, since the caller is counted
    void add_task() { unended_.fetch_add(1, std::memory_order_relaxed); }

    // Asks its tasks to come to an end soon, from any core or thread. What it means is theirs; those that wait for
    // something outside of the request are woken. The request object lives until this returns.
    void cancel();
    [[nodiscard]] bool is_cancelled() const { return is_cancelled_.load(std::memory_order_acquire); }

    // Once it was submitted, any core or thread. After the end all that its tasks have written is visible, and it may
    // be destroyed. wait(): of tasks those that may Worker::run_until(); look(): as CountDown::wait().
    [[nodiscard]] bool is_over() const { return ended_.is_over(); }
    void wait() { ended_.wait(); }
    template <typename Look> void wait(Look look) { ended_.wait(look); }

    // Its task waits with it. By `begin`, before that task is scheduled: it is of those that cancel() wakes.
    void add_waker(TaskWaker& waker);

    // For ReschedulableTask: a task has said Outcome::Ended.
    void end_task(CoreScheduler& here);

    // From its submission on.
    [[nodiscard]] Scheduler& scheduler() const { return *scheduler_; }
    [[nodiscard]] bool is_submitted() const { return scheduler_ != nullptr; }
    // From its beginning on: the node that it began on, or was moved to last. A shared one keeps the first. Relaxed: a
    // moment's word, by which a task sees that what it keeps lies on another node than its cores.
    [[nodiscard]] NodeId home() const { return home_.load(std::memory_order_relaxed); }
    void set_home(NodeId node) { home_.store(node, std::memory_order_relaxed); }

    // For schedulers, until it is admitted and afterwards.
    void set_scheduler(Scheduler& scheduler) { scheduler_ = &scheduler; }
    [[nodiscard]] ReschedulableTask& beginning() { return beginning_; }
    [[nodiscard]] RequestPlace* place() const { return place_.load(std::memory_order_acquire); }
    void set_place(RequestPlace* place) { place_.store(place, std::memory_order_release); }
    Request* next_waiting = nullptr; // in an input queue, until it is admitted
    // The balancer's: the node that it waited at before it was moved to the one where it waits or has begun.
    static constexpr std::uint16_t nowhere = UINT16_MAX;
    std::uint16_t waited_at = nowhere;
    void finish(CoreScheduler& here) {
        if (end_ != nullptr) end_(here, *this);
        ended_.count();
    }

  private:
    static Outcome run_begin(CoreScheduler& here, ReschedulableTask& task);

    Begin begin_;
    End end_;
    Scheduler* scheduler_ = nullptr;
    std::atomic<RequestPlace*> place_{nullptr};
    std::atomic<std::uint32_t> unended_{1}; // tasks that have not ended, the beginning among them
    std::atomic<bool> is_cancelled_{false};
    std::atomic<TaskWaker*> wakers_{nullptr}; // by next_of_request
    std::atomic<NodeId> home_{};
    CountDown ended_{1};
    ReschedulableTask beginning_;
};

} // namespace mxk::dataflow

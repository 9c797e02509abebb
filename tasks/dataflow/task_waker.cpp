#include "tasks/dataflow/task_waker.hpp"

#include "arch/core_local.hpp"
#include "base/panic.hpp"
#include "tasks/dataflow/scheduler.hpp"
#include "tasks/workers.hpp"

namespace mxk::dataflow {

TaskWaker::~TaskWaker() {
    expect(state_.load(std::memory_order_relaxed) == State::Unused, "a waker lives longer than its task");
}

TaskWaker::State TaskWaker::woken(State state) {
    return state == State::Ready ? State::Sent : state;
}
TaskWaker::State TaskWaker::delivered(State state) {
    return state == State::Sent ? State::Ready : State::Unused;
}
TaskWaker::State TaskWaker::closed(State state) {
    return state == State::Sent || state == State::Closing ? State::Closing : State::Unused;
}

// Writes in any case: the steps of all are one order, so that the task's next step, or its run, sees what the caller
// has written before. acq_rel: that order.
TaskWaker::State TaskWaker::step(State (*next)(State)) {
    State state = state_.load(std::memory_order_relaxed);
    for (;;) {
        inject::point();
        if (state_.compare_exchange_weak(state, next(state), std::memory_order_acq_rel, std::memory_order_relaxed))
            return state;
    }
}

void TaskWaker::attach(ReschedulableTask& task, CoreId core) {
    expect(state_.load(std::memory_order_relaxed) == State::Unused, "a waker is one task's at a time");
    task_ = &task;
    letter_.home = core;
    // acq_rel: the first run sees what was written before by who has found no task
    state_.exchange(State::Ready, std::memory_order_acq_rel);
}

bool TaskWaker::detach() {
    return closed(step(&TaskWaker::closed)) == State::Unused;
}

bool TaskWaker::wake() {
    State const before = step(&TaskWaker::woken);
    if (before == State::Ready) {
        if (CoreScheduler* const here = task_->request().scheduler().here(); here != nullptr)
            deliver(*here);
        else
            workers::of(letter_.home).append_from_outside(letter_);
    }
    return before == State::Ready || before == State::Sent;
}

void TaskWaker::arrive(Worker& /*worker*/, Task& letter) {
    TaskWaker& self = static_cast<Letter&>(letter).waker;
    self.deliver(*self.task_->request().scheduler().here());
}

// Behind the step the task may end, and the waker be gone; but the request lives until it has been scheduled. What is
// written before a wake that has found Sent, is written before this step, and so before the run.
void TaskWaker::deliver(CoreScheduler& here) {
    ReschedulableTask& task = *task_;
    Request& request = task.request();
    request.add_task();
    step(&TaskWaker::delivered);
    inject::point();
    task.schedule(here, Binding::Unbound);
    request.end_task(here);
}

} // namespace mxk::dataflow

#include "tasks/dataflow/graph/box_task.hpp"

#include "tasks/dataflow/graph/monitored_work.hpp"
#include "tasks/dataflow/scheduler.hpp"

namespace mxk::dataflow {
namespace {

CoreId home_of(CoreScheduler const& here, std::size_t number) {
    Scheduler const& scheduler = here.scheduler();
    return scheduler.at((here.place() + number) % scheduler.cores()).core();
}

} // namespace

BoxTask::BoxTask(Box& box, CoreScheduler& here, std::size_t number, Body its_body)
    : ReschedulableTask(box.request(), &BoxTask::run_once, home_of(here, number))
    , box_(box)
    , body_(its_body) {}

Outcome BoxTask::run_once(CoreScheduler& here, ReschedulableTask& task) {
    auto& self = static_cast<BoxTask&>(task);
    if (!self.request().is_cancelled()) {
        MonitoredWork const monitored(self.box_, here);
        if (auto const done = self.body_(here, self); !done.ok()) self.box_.fail(done.error());
    }
    // The box may end from now on; its memory stays, since the request counts this task until it has ended.
    self.box_.note_task_end(here);
    return Outcome::Ended;
}

void Box::start(CoreScheduler& here, BoxTask& task) {
    request().add_task();
    // relaxed: the task is queued later, and the box looks on this core or after the tasks' own steps
    tasks_.fetch_add(1, std::memory_order_relaxed);
    task.schedule(here, Binding::Bound);
}

// acq_rel: one chain of all tasks, whose last step the box acquires in has_tasks().
void Box::note_task_end(CoreScheduler& here) {
    inject::point();
    if (tasks_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        inject::point();
        schedule(here, Binding::Bound); // what the tasks have left is in this core's cache
    }
}

} // namespace mxk::dataflow

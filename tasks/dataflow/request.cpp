#include "tasks/dataflow/request.hpp"

#include "tasks/dataflow/scheduler.hpp"

namespace mxk::dataflow {

Outcome Request::run_begin(CoreScheduler& here, ReschedulableTask& task) {
    Request& self = task.request();
    here.scheduler().note_begun();
    if (self.place() == nullptr) self.set_home(here.worker().node());
    self.begin_(here, self);
    return Outcome::Ended;
}

void Request::end_task(CoreScheduler& here) {
    // acq_rel: one chain, through which the core where the last one ends sees what all have written
    if (unended_.fetch_sub(1, std::memory_order_acq_rel) == 1) here.scheduler().end(*this, here);
}

void ReschedulableTask::run_from_queue(Worker& worker, Task& task) {
    auto& self = static_cast<ReschedulableTask&>(task);
    self.execute(self.request_.scheduler().of(worker.core()));
}

} // namespace mxk::dataflow

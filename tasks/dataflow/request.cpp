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

// seq_cst, as below: either its task's first run sees that the request is cancelled, or cancel() sees the waker.
void Request::add_waker(TaskWaker& waker) {
    waker.next_of_request = wakers_.load(std::memory_order_relaxed);
    wakers_.exchange(&waker, std::memory_order_seq_cst);
}

void Request::cancel() {
    is_cancelled_.exchange(true, std::memory_order_seq_cst);
    for (TaskWaker* waker = wakers_.load(std::memory_order_seq_cst); waker != nullptr; waker = waker->next_of_request)
        waker->wake();
}

void ReschedulableTask::run_from_queue(Worker& worker, Task& task) {
    auto& self = static_cast<ReschedulableTask&>(task);
    self.execute(self.request_.scheduler().of(worker.core()));
}

} // namespace mxk::dataflow

#include "tasks/queue/task_fifo.hpp"

namespace mxk {

void TaskFifo::prepend(TaskList& tasks) {
    TaskList all;
    all.splice(tasks);
    for (std::uint32_t at = head_; at != tail_; ++at) all.append(*ring_[at % capacity]);
    all.splice(rest_);
    rest_.splice(all);
    tail_ = head_;
    late_ = 0;
    make_room();
}

void TaskFifo::fetch_late_before_next() {
    fetch_late(std::min(late_, each_take));
}

bool TaskFifo::make_room() {
    while (tail_ - head_ < capacity && !rest_.empty()) append_to_ring(*rest_.take());
    limit_ = head_ + capacity;
    return tail_ != limit_;
}

} // namespace mxk

#include "tasks/timers.hpp"

#include "arch/core_local.hpp"
#include "kernel/clock.hpp"

namespace mxk {

void Timers::unlink(Timer& timer) {
    (timer.previous_ != nullptr ? timer.previous_->next_ : first_) = timer.next_;
    (timer.next_ != nullptr ? timer.next_->previous_ : last_) = timer.previous_;
    timer.set_ = false;
}

void Timers::set(Timer& timer, Cycles due) {
    if (timer.set_) unlink(timer);
    Timer* before = last_; // most fire after those that are set already
    while (before != nullptr && before->due_ > due) before = before->previous_;
    timer.due_ = due;
    timer.set_ = true;
    timer.previous_ = before;
    timer.next_ = before != nullptr ? before->next_ : first_;
    (timer.previous_ != nullptr ? timer.previous_->next_ : first_) = &timer;
    (timer.next_ != nullptr ? timer.next_->previous_ : last_) = &timer;
    if (first_ == &timer) arch::arm_timer(due);
}

// The alarm stays: it may come for nothing.
void Timers::cancel(Timer& timer) {
    if (timer.set_) unlink(timer);
}

void Timers::expire(Worker& worker) {
    Cycles const now = clock::timestamp(); // those that are set again meanwhile have their time later
    while (first_ != nullptr && first_->due_ <= now) {
        Timer& timer = *first_;
        unlink(timer);
        timer.fire_(worker, timer);
    }
    if (first_ != nullptr) arch::arm_timer(first_->due_);
}

} // namespace mxk

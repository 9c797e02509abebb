#include "tasks/timers.hpp"

#include "arch/attention.hpp"
#include "kernel/clock.hpp"

namespace mxk {

void Timers::unlink(Timer& timer) {
    timers_.remove(timer);
    timer.set_ = false;
}

void Timers::set(Timer& timer, Cycles due) {
    if (timer.set_) unlink(timer);
    Timer* before = timers_.last(); // in general a new one fires after those that are set already
    while (before != nullptr && before->due_ > due) before = timers_.previous(*before);
    timer.due_ = due;
    timer.set_ = true;
    timers_.insert_behind(before, timer);
    if (timers_.first() == &timer) arch::arm_timer(due);
}

void Timers::expire(Worker& worker) {
    Cycles const now = clock::timestamp(); // those that are set again meanwhile have their time later
    while (timers_.first() != nullptr && timers_.first()->due_ <= now) {
        Timer& timer = *timers_.first();
        unlink(timer);
        timer.fire_(worker, timer);
    }
    if (Timer const* const next = timers_.first()) arch::arm_timer(next->due_);
}

} // namespace mxk

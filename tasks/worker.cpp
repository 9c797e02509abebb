#include "tasks/worker.hpp"

#include <bit>

#include "arch/cpu.hpp"
#include "tasks/workers.hpp"

namespace mxk {

void Worker::send(Task& task, CoreId target) {
    statistics_.hops.add(1);
    if (queue_.send_with_others(task, target)) return;
    send_first(task, target);
}

void Worker::send_first(Task& task, CoreId target) {
    queue_.send(task, workers::of(target).queue_, target, Ring{*this});
}

void Worker::begin_round() {
    bool const has_tasks = queue_.begin_round(Ring{*this});
    if (waiting_for_idle_.empty()) {
        if (!has_tasks) idle();
    } else if (!has_tasks || ++rounds_waited_ == longest_wait / CoreQueue::round) {
        append_waiting();
    }
}

void Worker::run_measured(Task& task) {
    TaskTimes* const times = task_times_; // the task may turn it off
    Cycles const start = clock::timestamp();
    task.body(*this, task);
    times->add(clock::timestamp() - start);
}

void Worker::append_waiting() {
    rounds_waited_ = 0;
    while (Task* const task = waiting_for_idle_.take()) queue_.append(*task);
}

void Worker::flush() {
    queue_.flush(Ring{*this});
}

void Worker::Ring::operator()(CoreId sleeper) const {
    worker.statistics_.wakes.add(1);
    arch::wake(sleeper);
}

void Worker::on(arch::Attention what, AttentionHandler handler) {
    handlers_[static_cast<std::size_t>(std::countr_zero(static_cast<std::uint32_t>(what)))] = handler;
}

void Worker::begin() {
    statistics_.started.add(raw(clock::timestamp()));
    on(arch::Attention::Timer, [](Worker& worker) { worker.timers_.expire(worker); });
}

void Worker::run() {
    for (;;) turn();
}

void Worker::attend() {
    std::uint32_t const bits = arch::take_attention();
    for (std::size_t i = 0; i < handlers_.size(); ++i)
        if ((bits >> i & 1) != 0 && handlers_[i] != nullptr) handlers_[i](*this);
}

void Worker::idle() {
    Cycles const start = clock::timestamp();
    std::uint64_t const limit = raw(clock::to_cycles(polling_time_));
    while (!queue_.has_mail() && !arch::needs_attention()) {
        // Tasks for a core whose mailbox is full wait here; nobody would wake this core when there is room.
        if (queue_.needs_flush()) flush();
        if (raw(clock::timestamp() - start) < limit || queue_.needs_flush()) {
            arch::pause();
            continue;
        }
        queue_.sleep_unless_mail([this] {
            statistics_.sleeps.add(1); // whoever sees this counted and then sends has to wake the core
            arch::halt_until_attention();
        });
        break;
    }
    statistics_.idle.add(raw(clock::timestamp() - start));
}

} // namespace mxk

#include "tasks/dataflow/disciplines/original.hpp"

#include "tasks/dataflow/scheduler.hpp"

namespace mxk::dataflow {

void OriginalCore::enqueue(ReschedulableTask& task, Binding binding) {
    if (binding == Binding::Bound) return private_.prepend(task);
    lock_.lock();
    bool const was_empty = public_.empty();
    public_.append(task);
    lock_.unlock();
    if (!was_empty) return;
    // seq_cst: this core sees a sleeper, or the sleeper sees the new value
    queues_.non_empty.fetch_add(1, std::memory_order_seq_cst);
    queues_.sleepers.wake_if_asleep();
}

bool OriginalCore::take_public(OriginalCore& victim) {
    victim.lock_.lock();
    bool const has_some = !victim.public_.empty();
    private_.splice(victim.public_);
    victim.lock_.unlock();
    return has_some;
}

ReschedulableTask* OriginalCore::next() {
    if (auto* const task = static_cast<ReschedulableTask*>(private_.take()); task != nullptr) {
        counts_.bound.add(1);
        return task;
    }
    std::int32_t value = queues_.non_empty.load(std::memory_order_relaxed);
    do {
        if (value <= 0) return nullptr;
    } while (!queues_.non_empty.compare_exchange_weak(value, value - 1, std::memory_order_acq_rel,
                                                      std::memory_order_relaxed));
    // One of the FIFOs is promised to this core, though another may have taken the one it saw.
    for (std::size_t step = 0;; ++step) {
        std::size_t const cores = scheduler().cores();
        auto& victim = static_cast<OriginalCore&>(scheduler().at((place() + step) % cores));
        if (!take_public(victim)) continue;
        (&victim == this ? counts_.unbound : counts_.stolen).add(1);
        return static_cast<ReschedulableTask*>(private_.take());
    }
}

bool OriginalCore::run(Worker& /*worker*/) {
    for (unsigned left = turn_tasks; left != 0; --left) {
        ReschedulableTask* const task = next();
        if (task == nullptr) {
            if (left == turn_tasks) counts_.empty_turns.add(1);
            return left != turn_tasks;
        }
        task->execute(*this);
        if (arch::needs_attention()) break;
    }
    return true;
}

bool OriginalCore::has_work() {
    return queues_.non_empty.load(std::memory_order_relaxed) > 0;
}

bool OriginalCore::begin_sleep() {
    queues_.sleepers.lie_down(place());
    counts_.sleeps.add(1);
    if (queues_.non_empty.load(std::memory_order_seq_cst) <= 0) return true;
    end_sleep();
    return false;
}

void OriginalCore::end_sleep() {
    if (queues_.sleepers.rise(place())) counts_.own_rises.add(1);
}

} // namespace mxk::dataflow

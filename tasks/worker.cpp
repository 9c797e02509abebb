#include "tasks/worker.hpp"

#include "arch/cpu.hpp"
#include "arch/sections.hpp"
#include "kernel/memory/mapping/coherence.hpp"
#include "kernel/remote_call.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "tasks/coroutine_task.hpp"
#include "tasks/stalled_core.hpp"
#include "tasks/threads/thread_backend.hpp"
#include "tasks/timeline/core_timeline.hpp"
#include "tasks/timeline/slice.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

CoreTimeline::Turn turn_of(Task const& task) {
    if (Thread::Entry const entry = thread_backend::entry_of(task); entry != nullptr)
        return {&task, reinterpret_cast<std::uintptr_t>(entry), EventKind::Thread};
    return {&task, CoroutineTask::function_of(task)};
}

} // namespace

Worker::Worker(CoreId core, NodeId node, heap::CoreHeap& heap, CoreQueue::Memory queue_memory)
    : core_(core)
    , node_(node)
    , pool_(heap)
    , queue_(core, std::move(queue_memory))
    , heap_(heap)
    , timer_hook_(arch::Attention::Timer, [](Worker& worker, AttentionHook&) { worker.timers_.expire(worker); })
    , epoch_hook_(arch::Attention::Epoch,
                  [](Worker& worker, AttentionHook&) {
                      worker.epoch_.request();
                      worker.end_epochs();
                  })
    , call_hook_(arch::Attention::Call, [](Worker&, AttentionHook&) { remote_calls::serve(); })
    , grace_hook_(arch::Attention::Grace, [](Worker& worker, AttentionHook&) { worker.attend_grace(); })
    , heap_hook_(arch::Attention::Heap, [](Worker& worker, AttentionHook&) { worker.heap_.settle(); })
    , stall_timer_([](Worker& worker, Timer&) { worker.grace_periods_->report_stall(clock::timestamp()); }) {
    for (AttentionHook* const hook : {&timer_hook_, &epoch_hook_, &call_hook_, &grace_hook_, &heap_hook_})
        add_hook(*hook);
}

void Worker::send(Task& task, CoreId target) {
    statistics_.hops.add(1);
    if (is_watched_) [[unlikely]]
        note_hop(task, target);
    if (queue_.send_with_others(task, target)) return;
    send_first(task, target);
}

void Worker::send_first(Task& task, CoreId target) {
    queue_.send(task, workers::of(target).queue_, target, Ring{*this});
}

void Worker::begin_round() {
    bool is_busy = find_tasks();
    if (work_source_ != nullptr) is_busy = run_source(*work_source_) || is_busy;
    if (!is_busy && forks_ != nullptr) is_busy = run_source(*forks_);
    if (!is_busy) idle();
}

bool Worker::run_source(WorkSource& source) {
    OtherWork const other(*this);
    return source.run(*this);
}

// False if there is nothing to do.
bool Worker::find_tasks() {
    if (epoch_.is_due()) [[unlikely]]
        end_epochs();
    if (grace_ != nullptr && grace_->has_callbacks()) [[unlikely]] {
        OtherWork const other(*this);
        grace_periods_->advance(*grace_, clock::timestamp());
    }
    bool const has_tasks = queue_.begin_round(Ring{*this});
    if (timeline_ != nullptr) [[unlikely]]
        timeline_->end_slice(EventKind::Round);
    if (!waiting_for_round_.empty()) [[unlikely]] {
        append_each_round(has_tasks);
        return true;
    }
    if (waiting_for_idle_.empty()) return has_tasks;
    if (!has_tasks || ++rounds_waited_ == max_wait / CoreQueue::round) {
        ran_dry_ = !has_tasks;
        append_waiting();
    }
    return true;
}

void Worker::append_each_round(bool has_tasks) {
    ran_dry_ = !has_tasks;
    if (!waiting_for_idle_.empty() && (!has_tasks || ++rounds_waited_ == max_wait / CoreQueue::round)) append_waiting();
    while (Task* const task = waiting_for_round_.take()) queue_.append(*task);
}

void Worker::run_watched(Task& task) {
    CoreTimeline* const timeline = timeline_; // the task may turn it off
    if (timeline == nullptr) return run_measured(task);
    CoreTimeline::Turn turn = turn_of(task);
    timeline->enter(turn);
    if (task_times_ != nullptr)
        run_measured(task);
    else
        task.body(*this, task);
    if (timeline_ == timeline) timeline->leave(turn);
}

void Worker::run_measured(Task& task) {
    TaskTimes* const times = task_times_; // the task may turn it off
    Cycles const start = clock::timestamp();
    task.body(*this, task);
    times->add(clock::timestamp() - start);
}

[[gnu::noinline]] void Worker::note_hop(Task const& task, CoreId target) {
    note_instant(*this, EventKind::Hop, &task, index(target));
}

void Worker::begin_slice() {
    if (timeline_ != nullptr) timeline_->begin_slice();
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
    note_instant(worker, EventKind::Wake, nullptr, index(sleeper));
    arch::wake(sleeper);
}

void Worker::begin() {
    statistics_.started.add(raw(clock::timestamp()));
    grace_periods_ = rcu::periods();
    if (grace_periods_ == nullptr) return;
    grace_ = &grace_periods_->of(core_);
    grace_periods_->describe_with(&describe_stalled_core);
}

void Worker::run() {
    for (;;) turn();
}

// Attention comes before tasks, since it may be what run_until() waits for. Where it never ends, as with a task that
// waits for one grace period after the other, tasks have their turn all the same.
void Worker::attend_first() {
    {
        OtherWork const other(*this);
        attend();
    }
    if (++times_attended_ % attentions_per_task != 0) return;
    Task* task = queue_.take();
    if (task == nullptr && find_tasks()) task = queue_.take();
    if (task != nullptr) run_task(*task);
}

void Worker::attend() {
    std::uint32_t const bits = arch::take_attention();
    for (AttentionHook* hook = hooks_.first(); hook != nullptr;) {
        AttentionHook& now = *hook;
        hook = decltype(hooks_)::next(now); // before it takes itself off
        if ((bits & static_cast<std::uint32_t>(now.what_)) != 0) now.function_(*this, now);
    }
    if (epoch_.is_due()) [[unlikely]]
        end_epochs(); // the last awaited reader has left its section, which no bit of its own says
    if (timeline_ != nullptr) [[unlikely]]
        timeline_->end_slice(EventKind::SafePoint);
}

void Worker::end_epochs() {
    if (interrupted_bodies_ != 0 || arch::sections_of_task() != 0) return;
    epoch_.try_to_advance(&arch::begin_section_epoch, &arch::are_sections_over);
    if (grace_epoch_ == 0 || epoch_.ended() < grace_epoch_) return;
    grace_epoch_ = 0;
    grace_periods_->answer(*grace_, grace_number_);
}

void Worker::attend_grace() {
    if (grace_ == nullptr) return;
    std::uint64_t const number = grace_periods_->unanswered(*grace_);
    if (number != 0 && number != grace_number_) {
        grace_number_ = number;
        grace_epoch_ = epoch_.request();
        end_epochs();
        if (grace_epoch_ != 0) rcu::GracePeriods::note_blocked(*grace_);
    } else {
        end_epochs();
    }
    grace_periods_->advance(*grace_, clock::timestamp());
}

// A core that halts with nothing unfinished below has been quiescent, and stays so: nobody has to wake it.
bool Worker::is_quiescent_while_halted() const {
    return interrupted_bodies_ == 0 && arch::sections_of_task() == 0 && !arch::threads_in_sections();
}

void Worker::halt() {
    if (grace_ == nullptr) return arch::halt_until_attention();
    grace_periods_->before_halt(*grace_, is_quiescent_while_halted());
    if (rcu::GracePeriods::waits(*grace_) && !stall_timer_.is_set())
        timers_.set(stall_timer_, clock::timestamp() + clock::to_cycles(rcu::stall_time));
    mapping::Coherence* const coherence = mapping::coherence();
    if (coherence != nullptr) coherence->before_halt();
    arch::halt_until_attention();
    if (coherence != nullptr) coherence->after_halt();
    grace_periods_->after_halt(*grace_);
}

void Worker::sleep_for_a_time() {
    timers_.set(sleep_timer_, clock::timestamp() + clock::to_cycles(sleep_time_));
    halt();
    timers_.cancel(sleep_timer_);
}

void Worker::sleep() {
    if (sleep_time_ != Nanoseconds{0}) [[unlikely]]
        return sleep_for_a_time();
    if (work_source_ != nullptr && !work_source_->begin_sleep()) return;
    if (forks_ == nullptr || forks_->begin_sleep()) {
        halt();
        if (forks_ != nullptr) forks_->end_sleep();
    }
    if (work_source_ != nullptr) work_source_->end_sleep();
}

void Worker::idle() {
    // Where it is recorded, from where the round ended, so that both agree.
    Cycles const start = timeline_ != nullptr ? timeline_->boundary() : clock::timestamp();
    std::uint64_t const limit = raw(clock::to_cycles(polling_time_));
    heap_.settle();
    while (!queue_.has_mail() && !arch::needs_attention() && !has_other_work()) {
        // Tasks for a core whose mailbox is full wait here; nobody would wake this core when there is room.
        if (queue_.needs_flush()) flush();
        bool const polls =
            running_threads_.load(std::memory_order_relaxed) == 0 && raw(clock::timestamp() - start) < limit;
        if (polls || queue_.needs_flush()) {
            arch::pause();
            continue;
        }
        queue_.sleep_unless_mail([this] {
            TimelineSlice const slice(*this, EventKind::Sleep, nullptr);
            statistics_.sleeps.add(1); // a sender that sees this counted has to wake the core
            sleep();
        });
        break;
    }
    Cycles const end = clock::timestamp();
    statistics_.idle.add(raw(end - start));
    if (timeline_ != nullptr) [[unlikely]]
        timeline_->end_slice_at(EventKind::Idle, end);
}

} // namespace mxk

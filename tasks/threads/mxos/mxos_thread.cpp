#include "tasks/threads/mxos/mxos_thread.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "arch/sections.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"
#include "kernel/clock.hpp"
#include "tasks/timeline/slice.hpp"
#include "tasks/workers.hpp"

namespace mxk {

MxosThread::AlarmTimer::AlarmTimer(MxosThread& its_thread)
    : Timer([](Worker& worker, Timer& timer) {
        auto const& self = static_cast<AlarmTimer&>(timer);
        self.alarm(worker, self.thread);
    })
    , thread(its_thread) {}

MxosThread::MxosThread(ThreadOptions const& options, Thread::Entry its_entry, void* its_argument,
                       memory::Block const& block)
    : Task(&MxosThread::run_slice, options.core)
    , ThreadRecord(options, its_entry, its_argument)
    , block_(block)
    , slice_cycles_(clock::to_cycles(options.slice)) {
    format(stack_purpose_, "thread '{}'", name.view());
}

Result<MxosThread*> MxosThread::create(ThreadOptions const& options, Thread::Entry entry, void* argument) {
    NodeId const node = workers::of(options.core).node();
    constexpr std::size_t own_bytes = align_up(sizeof(MxosThread), cache_line_bytes);
    memory::Block const block =
        MXK_TRY(memory::allocate(own_bytes + arch::vector_state_bytes(), cache_line_bytes, node));
    auto* const thread = new (static_cast<void*>(block.address)) MxosThread(options, entry, argument, block);
    auto stack = arch::stacks::create(options.stack_bytes, node, thread->stack_purpose_.view());
    if (!stack) {
        thread->~MxosThread();
        memory::free(block);
        return stack.error();
    }
    thread->stack_ = stack.value();
    thread->vector_state = block.address + own_bytes;
    std::fill_n(thread->vector_state, arch::vector_state_bytes(), std::byte{0});
    arch::prepare(*thread, thread->stack_.top(), &MxosThread::begin, thread);
    return thread;
}

void MxosThread::destroy(MxosThread& thread) {
    memory::Block const block = thread.block_;
    arch::stacks::release(thread.stack_);
    thread.~MxosThread();
    memory::free(block);
}

void MxosThread::begin(void* thread) {
    auto& self = *static_cast<MxosThread*>(thread);
    self.entry(self.argument);
    this_thread::exit();
}

void MxosThread::call(Call function, void* call_argument) {
    call_ = function;
    call_argument_ = call_argument;
    arch::leave();
}

void MxosThread::append_by(Worker& worker) {
    note(ThreadState::Ready);
    worker.append(*this, core);
}

void MxosThread::set_alarm(Worker& worker, Cycles when, Alarm alarm) {
    alarm_.alarm = alarm;
    worker.timers().set(alarm_, when);
}

void MxosThread::want_end(Worker& worker) {
    end_is_wanted.store(true, std::memory_order_relaxed);
    if (!ends_here()) return;                                // it holds something: where it lets go of it
    if (waits_at != nullptr) return withdraw(worker, *this); // nothing if a unit is on its way to it
    if (!alarm_.is_set()) return;                            // it is in the queue
    worker.timers().cancel(alarm_);                          // it sleeps
    append_by(worker);
}

MxosThread::NextAction MxosThread::finish() {
    std::uint32_t const open = arch::forget_sections(*this);
    if (open != 0) log::warn("thread '{}' has ended in {} protected sections: they are over", name.view(), open);
    note(ThreadState::Ended);
    thread_has_ended(*this);
    return NextAction::End;
}

// While a thread runs there is no worker: its functions are for tasks. And what tasks have sent must not wait for the
// slice's end. `now`: before and after; what the core does for the thread at once counts as the thread's.
[[gnu::always_inline]] inline arch::Stop MxosThread::run_until(Worker& worker, Cycles& now, Cycles until) {
    worker.flush_if_needed();
    arch::CoreLocal& local = arch::core_local();
    note(ThreadState::Running);
    local.kernel_core = nullptr;
    arch::Stop const stop = arch::run(*this, until);
    local.kernel_core = &worker;
    Cycles const start = std::exchange(now, clock::timestamp());
    run_cycles_.add(raw(now - start));
    return stop;
}

void MxosThread::run_slice(Worker& worker, Task& task) {
    auto& self = static_cast<MxosThread&>(task);
    worker.timers().cancel(self.alarm_); // of a wait that has ended before its time
    void const* const waited_at = std::exchange(self.waits_at, nullptr);
    // A unit that it has been given must not be lost: it goes on with that.
    if (self.ends_here() && (waited_at == nullptr || self.timed_out)) [[unlikely]] {
        self.finish();
        return;
    }
    Cycles const overrun = self.overrun();
    if (overrun != Cycles{}) [[unlikely]] {
        if (overrun >= self.slice_cycles_) return self.skip_turn(worker);
        self.overrun_.store({}, std::memory_order_relaxed);
    }
    Cycles now = clock::timestamp();
    Cycles const slice_end = now + (self.slice_cycles_ - overrun);
    for (;;) {
        if (self.run_until(worker, now, slice_end) == arch::Stop::Preempted) {
            if (now >= slice_end) return self.be_preempted(worker, now - slice_end);
            worker.attend_between_slices(); // the alarm; then the slice continues
            now = clock::timestamp();
            continue;
        }
        switch (self.call_(worker, self, self.call_argument_)) {
        case NextAction::Continue: break;
        case NextAction::Switch: return self.switches_.add(1);
        case NextAction::End: return;
        }
    }
}

// A slice ends late, by the time an interrupt takes and whatever it had to wait for: a host that has stopped the
// machine, a spin lock. That it is taken off the next ones keeps the shares of long and short slices right (as in
// deficit round robin, Shreedhar and Varghese 1996). A thread that gives the core away by itself owes nothing.
void MxosThread::be_preempted(Worker& worker, Cycles overrun) {
    preemptions_.add(1);
    note_instant(worker, EventKind::Preemption, static_cast<Task*>(this));
    overrun_.store(std::min(overrun, clock::to_cycles(Thread::max_slice)), std::memory_order_relaxed);
    worker.end_round(); // mail has waited for a slice
    append_by(worker);
}

void MxosThread::skip_turn(Worker& worker) {
    overrun_.store(overrun() - slice_cycles_, std::memory_order_relaxed);
    append_by(worker);
}

ThreadUse MxosThread::use() const {
    return {.state = state_.load(std::memory_order_relaxed),
            .run_time = clock::to_nanoseconds(static_cast<Cycles>(run_cycles_.value())),
            .switches = switches_.value(),
            .preemptions = preemptions_.value()};
}

bool Thread::has_slices() {
    return true;
}

} // namespace mxk

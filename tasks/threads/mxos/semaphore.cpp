#include "tasks/threads/semaphore.hpp"

#include <utility>

#include "base/panic.hpp"
#include "kernel/clock.hpp"
#include "tasks/threads/mxos/mxos_thread.hpp"
#include "tasks/timeline/slice.hpp"

namespace mxk {

using NextAction = MxosThread::NextAction;

static_assert(check_locks || sizeof(Semaphore) == 32);

Semaphore::Semaphore(std::uint32_t units, SemaphoreKind kind)
    : core_(units)
    , kind_(kind) {
    expect(units <= max_units, "a semaphore has up to 2^30 - 1 units");
}

Result<Semaphore> Semaphore::create(std::int64_t units, SemaphoreKind kind) {
    return Semaphore(MXK_TRY(check_semaphore_units(units)), kind);
}

namespace {

MxosThread& waiting_thread() {
    MxosThread* const self = MxosThread::current();
    expect(self != nullptr, "a task must not wait for a semaphore: it would block its core");
    return *self;
}

// Of the semaphore nothing but its address: it may be gone.
void note_wait(Worker& worker, MxosThread& self, void const* semaphore) {
    note_instant(worker, EventKind::SemaphoreWait, static_cast<Task*>(&self),
                 reinterpret_cast<std::uintptr_t>(semaphore));
}

// Apart, so that the other way needs nothing behind take_or_wait(). An observer is told before another core can end the
// wait, so it may have to be told that there was none.
[[gnu::noinline]] NextAction take_or_note_wait(Worker& worker, MxosThread& self, void const* semaphore,
                                               SemaphoreCore& core) {
    if (core.try_take()) return NextAction::Continue;
    self.begin_wait();
    if (core.take_or_wait(self)) {
        self.end_wait();
        return NextAction::Continue;
    }
    if (worker.timeline() != nullptr) note_wait(worker, self, semaphore);
    return NextAction::Switch;
}

} // namespace

// The system calls: each runs on the core's own stack.

bool Semaphore::try_wait_in_kernel() {
    MxosThread* const self = MxosThread::current();
    if (self == nullptr) return core_.try_take();
    struct Try {
        SemaphoreCore& core;
        bool taken = false;
    } attempt{core_};
    self->call(
        [](Worker&, MxosThread&, void* it) {
            auto& mine = *static_cast<Try*>(it);
            mine.taken = mine.core.try_take();
            return NextAction::Continue;
        },
        &attempt);
    return attempt.taken;
}

struct Semaphore::Wait {
    Semaphore& semaphore;
    Cycles until;

    // Before it is in the list: another core may wake it at once.
    static void prepare(MxosThread& self, Semaphore& semaphore) {
        self.timed_out = false;
        self.waits_at = &semaphore;
        self.withdraw = &Wait::end;
        self.note(ThreadState::Waiting);
    }
    // There was a unit, which is its own now.
    static NextAction goes_on(MxosThread& self) {
        self.waits_at = nullptr;
        return NextAction::Continue;
    }

    static NextAction begin(Worker& worker, MxosThread& self, void* wait) {
        auto const& mine = *static_cast<Wait*>(wait);
        if (self.ends_here()) [[unlikely]]
            return self.finish();
        prepare(self, mine.semaphore);
        Cycles const until = mine.until; // on the thread's stack, which is its own again once it is woken
        Semaphore const* const semaphore = &mine.semaphore;
        if (take_or_note_wait(worker, self, semaphore, mine.semaphore.core_) == NextAction::Continue)
            return goes_on(self);
        self.set_alarm(worker, until, &Wait::end);
        return NextAction::Switch;
    }
    // If a unit is on its way to it, that wakes it.
    static void end(Worker& worker, MxosThread& self) {
        if (!static_cast<Semaphore*>(self.waits_at)->core_.withdraw(self)) return;
        self.timed_out = true;
        self.wake_by(worker);
    }
};

void Semaphore::wait_in_kernel() {
    waiting_thread().call(
        [](Worker& worker, MxosThread& self, void* semaphore) {
            if (self.ends_here()) [[unlikely]]
                return self.finish();
            Semaphore& mine = *static_cast<Semaphore*>(semaphore);
            Wait::prepare(self, mine);
            if (worker.timeline() != nullptr || self.wait_observer != nullptr) [[unlikely]] {
                bool const goes_on = take_or_note_wait(worker, self, semaphore, mine.core_) == NextAction::Continue;
                return goes_on ? Wait::goes_on(self) : NextAction::Switch;
            }
            return mine.core_.take_or_wait(self) ? Wait::goes_on(self) : NextAction::Switch;
        },
        this);
}

Result<bool> Semaphore::wait_for(Nanoseconds time) {
    MXK_TRY(check_waiting_time(time));
    MxosThread& self = waiting_thread();
    if (kind_ == SemaphoreKind::Fast && core_.try_take()) return true;
    Wait wait{*this, clock::timestamp() + clock::to_cycles(time)};
    self.call(&Wait::begin, &wait);
    return !self.timed_out;
}

void Semaphore::give(Worker& worker) {
    if (SemaphoreCore::Waiter* const waiter = core_.give()) static_cast<MxosThread*>(waiter)->wake_by(worker);
}

void Semaphore::post_in_kernel() {
    MxosThread* const self = MxosThread::current();
    if (self == nullptr) return give(Worker::current());
    self->call(
        [](Worker& worker, MxosThread&, void* semaphore) {
            static_cast<Semaphore*>(semaphore)->give(worker);
            return NextAction::Continue;
        },
        this);
}

void Semaphore::post_deferred(Worker& worker) {
    auto* semaphore = static_cast<Semaphore*>(arch::core_local().deferred.exchange(nullptr, std::memory_order_acquire));
    while (semaphore != nullptr) {
        Semaphore* const next = semaphore->next_deferred_; // from the exchange on another core may put it into its list
        std::uint32_t posts = semaphore->interrupt_posts_.exchange(0, std::memory_order_acq_rel);
        for (; posts > 0; --posts) semaphore->give(worker);
        semaphore = next;
    }
}

} // namespace mxk

// Who visits what a dynamic lock protects: a visit that began before a change of the lock's state has to hold up the
// end of that change. A task does so by itself, since its core passes no safe point while its body runs. A thread says
// so, by a protected section, and is not preempted in a visit without lock, since another thread of its core could
// begin one, too.
#pragma once

#include "arch/sections.hpp"
#include "base/inject.hpp"
#include "base/panic.hpp"
#include "base/spin_wait.hpp"

namespace mxk {

// Of tasks only. Costs nothing. A task cannot wait for other cores: it asks may_lock() before it locks, and comes again
// after tasks/rcu/lock_wait.hpp if not.
struct TaskVisit {
    static void begin() {}
    static void begin_locked() {}
    static void end_unlocked() {}
    static void end_locked() {}
    template <typename Done> static void wait(Done) {
        panic("a task locks what is another core's without a lock: expected may_lock() before it");
    }
};

// Of threads, and of tasks that never come to a lock which is another core's.
struct ThreadVisit {
    static void begin() {
        arch::enter_section();
        arch::hold_core();
    }
    // The visit takes the lock, and may be preempted from then on.
    static void begin_locked() { arch::release_core(); }
    static void end_unlocked() {
        arch::leave_section();
        arch::release_core();
    }
    static void end_locked() { arch::leave_section(); }
    // In no visit: until a change of state is completed.
    template <typename Done> static void wait(Done done) {
        if (arch::runs_task()) TaskVisit::wait(done);
        expect(!arch::is_in_section(), "a thread that locks what is another's without a lock is in no read section");
        for (SpinWait wait; !done();) wait.turn(); // its core answers meanwhile: it interrupts threads for that
    }
};

// A thread that makes one visit after the other says so once for many of them: what would be two stores and more in
// each is that in each scope. It waits for nothing in it but the locks, and is not preempted on metal.
class VisitScope {
  public:
    VisitScope() { ThreadVisit::begin(); }
    ~VisitScope() { ThreadVisit::end_unlocked(); }
    VisitScope(VisitScope const&) = delete;
    VisitScope& operator=(VisitScope const&) = delete;

    // Between two visits, every few microseconds: changes of state that wait for this thread go on, and other threads
    // of its core have their turn.
    static void pass() {
        ThreadVisit::end_unlocked();
        ThreadVisit::begin();
    }
};

// Of visitors that need none: tasks, threads that say so for each visit, and where nothing changes.
struct NoScope {
    static void pass() {}
};

// Of a thread in a VisitScope. Costs nothing, as a task's, but where it waits.
struct ScopedVisit {
    static void begin() {
        if constexpr (inject::enabled) expect(arch::is_in_section(), "a scoped visit is in a VisitScope");
    }
    static void begin_locked() {}
    static void end_unlocked() {}
    static void end_locked() {}
    template <typename Done> static void wait(Done done) {
        ThreadVisit::end_unlocked();
        ThreadVisit::wait(done);
        ThreadVisit::begin();
    }
};

// Of what may be in the middle of anything, spin locks held, and can neither wait nor come later: the state changes
// only while no visit is under way. Somebody else who comes before the owner has enabled the lock is a panic.
struct ShortVisit {
    static void begin() { arch::hold_core(); }
    static void begin_locked() { arch::release_core(); }
    static void end_unlocked() { arch::release_core(); }
    static void end_locked() {}
    template <typename Done> static void wait(Done) {
        panic("a lock is another core's without a lock: its owner enables it before somebody else comes");
    }
};

} // namespace mxk

// Who visits what a dynamic lock protects: a visit that began before a change of the lock's state has to hold up the
// end of that change. A task does so by itself, since its core passes no safe point while its body runs. A thread says
// so, by a protected section, and is not preempted in a visit without lock, since another thread of its core could
// begin one, too.
#pragma once

#include "arch/sections.hpp"
#include "base/panic.hpp"
#include "base/spin_wait.hpp"

namespace mxk {

// Of tasks only. Costs nothing. A task cannot wait for other cores: it asks may_lock() before it locks, and comes again
// after tasks/lock_wait.hpp if not.
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

// Of what may be in the middle of anything, spin locks held, and can neither wait nor come later: the state changes
// only while no visit is under way. Somebody else who comes before the owner has enabled the lock is a panic.
struct BriefVisit {
    static void begin() { arch::hold_core(); }
    static void begin_locked() { arch::release_core(); }
    static void end_unlocked() { arch::release_core(); }
    static void end_locked() {}
    template <typename Done> static void wait(Done) {
        panic("a lock is another core's without a lock: its owner enables it before somebody else comes");
    }
};

} // namespace mxk

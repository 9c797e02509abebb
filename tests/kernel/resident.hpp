// A thread of a test that is at a certain place in its body until the test lets it go on.
#pragma once

#include <atomic>

#include "base/spin_wait.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {

// Stays where `stage` says until that changes, without giving the core away: its slice has to be taken from it.
struct Resident {
    std::atomic<int> stage{0};
    void stay(int at) {
        stage.store(at, std::memory_order_release);
        for (SpinWait wait; stage.load(std::memory_order_acquire) == at;) wait.turn();
    }
    void let_go() { stage.store(-1, std::memory_order_release); }
    // The console's task.
    void await(int at) {
        wait_until([&] { return stage.load(std::memory_order_acquire) == at; });
    }
};

} // namespace mxk

// Tasks that are waited for together. They may spawn further ones into the group, from whatever core they run on, and
// the wait is over when the last of all has come home: what any of them wrote may be read then, and all that they
// captured is gone.
//
//     TaskGroup group(here);
//     for (CoreId const core : cores) expect(group.spawn(here, core, [&] (Worker& worker) { ... }), "no memory");
//     group.wait();
//
// They share one atomic counter: for tasks that do some work each, not for one per operation on a table.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <utility>

#include "base/panic.hpp"
#include "tasks/spawn.hpp"

namespace mxk {

class TaskGroup {
  public:
    // `owner`: the calling core's worker, which waits.
    explicit TaskGroup(Worker& owner)
        : owner_(owner) {}
    // Waits, too: what the tasks refer to is about to go.
    ~TaskGroup() { wait(); }
    TaskGroup(TaskGroup const&) = delete;
    TaskGroup& operator=(TaskGroup const&) = delete;

    // As mxk::spawn(). The owner's core, or a task of the group on any core.
    template <std::invocable<Worker&> Function>
    [[nodiscard]] bool spawn(Worker& here, CoreId target, Function function) {
        begin_one();
        auto const ended = [this](Worker& worker) { finish_one(worker); };
        if (mxk::spawn(here, target, std::move(function), ended)) return true;
        give_up_one();
        return false;
    }

    // For what is waited for and is no function (tasks/start.hpp). One more will end; called where spawn() may be.
    // relaxed: it cannot reach zero meanwhile, since the owner or the task that spawns is counted
    void begin_one() { unfinished_.fetch_add(1, std::memory_order_relaxed); }
    // It has not begun after all.
    void give_up_one() { unfinished_.fetch_sub(1, std::memory_order_relaxed); }
    // It has ended, on any core. Afterwards the group may be gone.
    void finish_one(Worker& worker) {
        if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
        worker.append(all_ended_, owner_.core());
    }

    // Until every task of the group has ended; the group may be used again then. The owner's core keeps working
    // meanwhile, so only what may wait (Worker::run_until) may call it.
    void wait() {
        expect(&Worker::current() == &owner_, "the core that made a task group waits for it");
        // acq_rel: this and finish_one() are one chain, through which the last one sees what all others wrote
        if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) > 1)
            owner_.run_until([this] { return all_ended_.is_here; });
        all_ended_.is_here = false;
        unfinished_.store(1, std::memory_order_relaxed);
    }

  private:
    // What the last task to end sends to the owner, whose wait looks at its own core's data only.
    struct AllEnded : Task {
        AllEnded()
            : Task([](Worker&, Task& task) { static_cast<AllEnded&>(task).is_here = true; }) {}
        bool is_here = false;
    };

    Worker& owner_;
    std::atomic<std::size_t> unfinished_{1}; // tasks that have not ended, and one for the owner that does not wait yet
    AllEnded all_ended_;
};

} // namespace mxk

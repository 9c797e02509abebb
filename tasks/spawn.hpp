// A function as a task: the way to write one that needs no states. What it captures travels with it; up to 32 bytes
// share the task's cache line. The task goes home to be destroyed and to give its memory back there: freed where it
// ran, a stream of tasks that always flows one way would fill the receiver's pool (core_pool.hpp) and drain memory. The
// price is one more hop, none for a task of the spawning core. To wait for tasks: tasks/task_group.hpp.
//
//     spawn(here, core, [] (Worker& worker) { ... });
#pragma once

#include <concepts>
#include <utility>

#include "kernel/memory/core_pool.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// Function: called once with the worker of the core it runs on. Ended: called the same way at home, when the task is
// gone with all that it captured. Made by Worker::create().
template <typename Function, typename Ended> class SpawnedTask : public Task {
  public:
    SpawnedTask(CoreId home_core, Function function, Ended ended)
        : Task(&SpawnedTask::work, home_core)
        , function_(std::move(function))
        , ended_(std::move(ended)) {}

  private:
    // noexcept: there is nobody to catch what a task throws, so it ends the program where it was thrown.
    static void work(Worker& worker, Task& task) noexcept {
        static_cast<SpawnedTask&>(task).function_(worker);
        if (worker.core() == task.home) return complete(worker, task);
        task.body = &SpawnedTask::complete;
        worker.append(task, task.home);
    }

    static void complete(Worker& worker, Task& task) noexcept {
        auto& self = static_cast<SpawnedTask&>(task);
        Ended ended = std::move(self.ended_);
        worker.destroy(self);
        ended(worker);
    }

    Function function_;
    [[no_unique_address]] Ended ended_;
};

// Runs function(worker) once on the core `target` and, when it has come home, ended(worker) on this one. `here`: the
// calling core's worker. False, and nothing is called, if there is no memory for the task. Never blocks, except for a
// new slab of memory.
template <std::invocable<Worker&> Function, std::invocable<Worker&> Ended>
[[nodiscard]] bool spawn(Worker& here, CoreId target, Function function, Ended ended) {
    using Spawned = SpawnedTask<Function, Ended>;
    static_assert(sizeof(Spawned) <= CorePool::largest_bytes, "a task captures less than 1 KiB: capture a pointer");
    static_assert(alignof(Spawned) == cache_line_bytes, "what a task captures is aligned to a cache line up to");
    auto* const task = here.create<Spawned>(here.core(), std::move(function), std::move(ended));
    if (task == nullptr) return false;
    here.append(*task, target);
    return true;
}

// The same for a task that nobody waits for.
template <std::invocable<Worker&> Function> [[nodiscard]] bool spawn(Worker& here, CoreId target, Function function) {
    return spawn(here, target, std::move(function), [](Worker&) {});
}

} // namespace mxk

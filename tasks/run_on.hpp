// A piece of work on several cores at once, from the console's task: each core runs step(worker, i) again and again,
// one task each time, until it says Done; the caller continues when all have. `i` is the core's place in the list.
#pragma once

#include <cstdint>
#include <span>

#include "tasks/worker.hpp"

namespace mxk {

enum class Step : std::uint8_t { Again, Done };

// False if there is no memory for the tasks (nothing has run then). Blocks the calling body, not its core. The caller's
// writes before are visible to the steps, and theirs to the caller after.
template <typename Function> bool run_on(std::span<CoreId const> cores, Function step) {
    struct Job {
        Function& step;
        std::size_t left;
    };
    struct PartTask : Task {
        PartTask(Job& its_job, std::size_t its_place, CoreId home_core)
            : Task(&PartTask::work, home_core)
            , job(its_job)
            , place(its_place) {}
        static void work(Worker& worker, Task& task) {
            auto& self = static_cast<PartTask&>(task);
            if (self.job.step(worker, self.place) == Step::Again) return worker.append(task);
            task.body = &PartTask::finish;
            worker.append(task, task.home); // where it was allocated, and where `left` is counted
        }
        static void finish(Worker& worker, Task& task) {
            auto& self = static_cast<PartTask&>(task);
            --self.job.left;
            worker.destroy(self);
        }
        Job& job;
        std::size_t place;
    };

    Worker& here = Worker::current();
    Job job{step, cores.size()};
    TaskList prepared;
    for (std::size_t i = 0; i < cores.size(); ++i) {
        auto* const task = here.create<PartTask>(job, i, here.core());
        if (task == nullptr) {
            while (Task* const unused = prepared.take()) here.destroy(static_cast<PartTask&>(*unused));
            return false;
        }
        prepared.append(*task);
    }
    for (CoreId const core : cores) here.append(*prepared.take(), core);
    here.run_until([&job] { return job.left == 0; });
    return true;
}

// step(worker) on one core, again and again, until it says Done. Needs no memory, so it never fails: what has to be
// waited for before something may go. Otherwise as run_on().
template <typename Function> void run_on_one(CoreId core, Function step) {
    struct StepTask : Task {
        StepTask(Function& its_step, CoreId home_core)
            : Task(&StepTask::work, home_core)
            , step(its_step) {}
        static void work(Worker& worker, Task& task) {
            if (static_cast<StepTask&>(task).step(worker) == Step::Again) return worker.append(task);
            task.body = [](Worker&, Task& back) { static_cast<StepTask&>(back).is_done = true; };
            worker.append(task, task.home);
        }
        Function& step;
        bool is_done = false;
    };

    Worker& here = Worker::current();
    StepTask task(step, here.core());
    here.append(task, core);
    here.run_until([&task] { return task.is_done; });
}

} // namespace mxk

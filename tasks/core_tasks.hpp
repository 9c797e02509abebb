// As run_on() (tasks/run_on.hpp), with tasks that were made in advance: for what has to be done when something ends,
// or half-way, whether there is memory or not.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/run_on.hpp"

namespace mxk {

class CoreTasks {
  public:
    // A task for each of the cores. Errors: no memory.
    static Result<CoreTasks> create(std::span<CoreId const> cores) {
        CoreTasks result;
        result.tasks_ = MXK_TRY(NodeVector<PartTask>::create(cores.size(), Worker::current().node()));
        for (CoreId const core : cores) result.tasks_.emplace(core, result.tasks_.size());
        return result;
    }

    // As run_on(), of which it cannot fail. One at a time.
    template <typename Function> void run(Function step) {
        Worker& here = Worker::current();
        Job job{[](void* function, Worker& worker, std::size_t place) -> Step {
                    return (*static_cast<Function*>(function))(worker, place);
                },
                &step, tasks_.size()};
        for (PartTask& task : tasks_) {
            task.job = &job;
            task.home = here.core();
            task.body = &PartTask::work;
            here.append(task, task.core);
        }
        here.run_until([&job] { return job.left == 0; });
    }

  private:
    struct Job {
        Step (*step)(void* function, Worker& worker, std::size_t place);
        void* function;
        std::size_t left;
    };
    struct PartTask : Task {
        PartTask(CoreId its_core, std::size_t its_place)
            : Task(&PartTask::work)
            , core(its_core)
            , place(its_place) {}
        static void work(Worker& worker, Task& task) {
            auto& self = static_cast<PartTask&>(task);
            if (self.job->step(self.job->function, worker, self.place) == Step::Again) return worker.append(task);
            task.body = [](Worker&, Task& back) { --static_cast<PartTask&>(back).job->left; };
            worker.append(task, task.home); // where `left` is counted
        }
        CoreId core;
        std::size_t place;
        Job* job = nullptr;
    };

    NodeVector<PartTask> tasks_;
};

} // namespace mxk

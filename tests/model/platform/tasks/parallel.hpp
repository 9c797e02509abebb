// tasks/parallel.hpp for the model checker: what needs no memory.
#pragma once

#include <cstdint>

#include "tasks/worker.hpp"

namespace mxk {

enum class Step : std::uint8_t { Again, Done };

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

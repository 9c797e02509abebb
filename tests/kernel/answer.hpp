// A task that tells a thread where it has run.
#pragma once

#include "tasks/threads/semaphore.hpp"
#include "tasks/worker.hpp"

namespace mxk {

struct Answer : Task {
    Answer()
        : Task([](Worker& worker, Task& task) {
            auto& self = static_cast<Answer&>(task);
            self.ran_on = worker.core();
            self.done.post();
        }) {}
    Semaphore done{0};
    CoreId ran_on{};
};

} // namespace mxk

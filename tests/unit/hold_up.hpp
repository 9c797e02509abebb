// A task that holds its core up, as none should, until it is told to go on.
#pragma once

#include <atomic>

#include "base/spin_wait.hpp"
#include "tasks/worker.hpp"

namespace mxk::test {

struct HoldUp : Task {
    HoldUp()
        : Task([](Worker&, Task& task) {
            auto& self = static_cast<HoldUp&>(task);
            self.is_held.store(true);
            for (SpinWait wait; self.is_held.load();) wait.turn();
        }) {}
    std::atomic<bool> is_held{false};
};

} // namespace mxk::test

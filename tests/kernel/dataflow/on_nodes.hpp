// For tests of requests on several nodes.
#pragma once

#include "tests/kernel/dataflow/requests.hpp"

namespace mxk::dataflow_tests {

// Serves tasks on this core until `done()`, which happens for sure. A task that appends itself again keeps the core
// from sleeping: nobody would wake it for `done()`.
template <typename Done> void until(Done done) {
    struct Restless : Task {
        Restless()
            : Task([](Worker& worker, Task& task) {
                auto& self = static_cast<Restless&>(task);
                self.is_queued = !self.is_over;
                if (!self.is_over) worker.append(task);
            }) {}
        bool is_over = false;
        bool is_queued = true;
    };
    Restless restless;
    Worker& here = Worker::current();
    here.append(restless);
    here.run_until(done);
    restless.is_over = true;
    here.run_until([&] { return !restless.is_queued; });
}
// A scheduler on all cores, which are on two nodes or more, but not more than tests have counters for.
template <typename Test> void on_nodes(SchedulerOptions const& options, Test test) {
    auto scheduler = Scheduler::create(all_cores().span(), options);
    MXK_REQUIRE(scheduler.ok());
    std::size_t const nodes = scheduler.value()->nodes().size();
    if (nodes < 2 || nodes > 64) MXK_SKIP("needs cores on two nodes, and up to 64 nodes");
    test(*scheduler.value());
}

} // namespace mxk::dataflow_tests

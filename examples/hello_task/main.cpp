// One task on every core, each of which says where it runs.
#include <mxk/runtime.hpp>
#include <mxk/tasks/task_group.hpp>

#include <cstdio>
#include <iostream>

int main() {
    // Starts a worker on every processor that this program may use; the calling thread is core 0.
    auto started = mxk::Runtime::start();
    if (!started) {
        std::cerr << "hello_task: " << started.error().message() << '\n';
        return 1;
    }
    mxk::Runtime& runtime = started.value();

    bool all_spawned = true;
    runtime.run([&](mxk::Worker& here) {
        mxk::TaskGroup group(here); // to wait for them
        for (auto const& core : runtime.topology().cores) {
            all_spawned &= group.spawn(here, core.id, [](mxk::Worker& worker) {
                std::printf("hello from core %zu on node %zu\n", index(worker.core()), index(worker.node()));
            });
        }
        group.wait(); // core 0 runs its own task meanwhile
    });
    if (!all_spawned) std::cerr << "hello_task: out of memory\n";
    return all_spawned ? 0 : 1;
} // the other cores end here, with the Runtime

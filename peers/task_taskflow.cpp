// Taskflow's executor with one thread: the task of a batch that is run last makes the next batch, as that of
// bench/task/task_local.hpp does. The thread's queue is a deque that others could steal from; its own thread takes last
// in, first out: so no task knows beforehand that it will be the last one, and the experiment is one of its own.
#include <atomic>
#include <cstdint>
#include <latch>
#include <taskflow/taskflow.hpp>

#include "kernel/clock.hpp"
#include "peers/cost_peer.hpp"
#include "peers/pinned_thread.hpp"

namespace mxk::bench {
namespace {

// Written by the executor's thread.
struct LocalRun {
    tf::Executor& executor;
    std::uint64_t depth;
    std::uint64_t operations; // to measure: whole batches
    bool pinned = false;
    std::uint64_t runs = 0;
    std::uint64_t left_of_batch = 0;
    Cycles start{};
    Cycles end{};
    std::latch done{1};

    void make_batch() {
        left_of_batch = depth;
        for (std::uint64_t i = 0; i < depth; ++i) executor.silent_async([this] { work(); });
    }
    void work() {
        ++runs;
        if (--left_of_batch > 0) return;
        if (runs == depth) start = clock::timestamp(); // the first batch is not timed
        if (runs < operations + depth) return make_batch();
        end = clock::timestamp();
        done.count_down();
    }
};

Result<Sample> run_local(Measure, CorePair cores, TaskOptions const& options) {
    std::uint64_t const depth = options.depth;
    std::uint64_t const batches = (options.operations + depth - 1) / depth;
    tf::Executor executor(1);
    LocalRun run{.executor = executor, .depth = depth, .operations = batches * depth};
    executor.silent_async([&] {
        run.pinned = stay_with_core(cores.first);
        run.make_batch();
    });
    run.done.wait();
    executor.wait_for_all();
    return Sample{.value = static_cast<double>(raw(run.end - run.start)) / static_cast<double>(run.operations),
                  .operations = run.operations,
                  .verified = run.pinned && run.runs == run.operations + depth};
}

constexpr TaskPeer taskflow{.name = "taskflow",
                            .library = [] { return std::string("Taskflow ") + tf::version(); },
                            .measures = {Measure::Local},
                            .run = &run_local};
MXK_REGISTER(mxk_task_peers, TaskPeer, taskflow);

} // namespace
} // namespace mxk::bench

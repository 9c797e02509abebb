// oneTBB's task_group: `depth` empty tasks are run, then waited for, again and again. One thread alone, which is what
// the local queue of one core is; and two, the second of which steals, which no queue of ours does.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include <array>
#include <numeric>

#include "bench/peers/task_peer.hpp"
#include "bench/peers/task_tbb.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

struct alignas(cache_line_bytes) Count {
    std::uint64_t tasks = 0;
};

template <std::size_t threads> Result<Sample> run(Measure, CorePair cores, TaskOptions const& options) {
    std::uint64_t const depth = options.depth;
    std::uint64_t const batches = (options.operations + depth - 1) / depth;
    std::array<Count, threads> counts{};
    Cycles start{};
    Cycles end{};
    bool pinned = false;
    run_pinned(cores.first, [&] {
        tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
        tbb::task_arena arena(static_cast<int>(threads), 1);
        ArenaPinning const pinning(arena, cores);
        arena.execute([&] {
            tbb::task_group group;
            auto const work_off_batch = [&] {
                for (std::uint64_t i = 0; i < depth; ++i)
                    group.run([&] {
                        ++counts[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())].tasks;
                    });
                group.wait();
            };
            work_off_batch(); // not timed, as ours
            start = clock::timestamp();
            for (std::uint64_t i = 0; i < batches; ++i) work_off_batch();
            end = clock::timestamp();
        });
        pinned = pinning.held();
    });
    std::uint64_t const ran = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                                              [](std::uint64_t sum, Count const& count) { return sum + count.tasks; });
    return Sample{.value = static_cast<double>(raw(end - start)) / static_cast<double>(batches * depth),
                  .operations = batches * depth,
                  .verified = ran == (batches + 1) * depth && pinned};
}

constexpr TaskPeer tbb_task_group{
    .name = "tbb-task-group",
    .library = &tbb_library,
    .measures = {Measure::Local},
    .run = &run<1>,
};
constexpr TaskPeer tbb_task_group_2{
    .name = "tbb-task-group-2",
    .library = &tbb_library,
    .measures = {Measure::Local},
    .two_threads = true,
    .run = &run<2>,
};

MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_group);
MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_group_2);

} // namespace
} // namespace mxk::bench

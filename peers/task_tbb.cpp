// oneTBB's two ways to run tasks.
//
// tbb-task-arena: task_arena::enqueue, the only way in which TBB hands a task to another thread: two arenas with room
// for one worker each, whose threads stay on the two cores' processors. (task_arena::execute runs the task on the
// calling thread as long as the arena has a slot left; it hands over nothing.) TBB decides for itself how long a worker
// looks for tasks before it sleeps, does not say whether it has, and promises no order.
//
// tbb-task-group: `depth` empty tasks are run, then waited for, again and again, which is how groups are meant to be
// used. One thread alone, which is what the local queue of one core is; and two, the second of which steals, which no
// queue of ours does.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/version.h>

#include <array>
#include <string>

#include "peers/task_layer.hpp"
#include "peers/tbb_pinning.hpp"

namespace mxk::bench {
namespace {

std::string library() {
    return std::string("oneTBB ") + TBB_runtime_version();
}

// An arena for one worker, on one core's processor.
class WorkerArena {
  public:
    using Task = PlainTask<WorkerArena>;

    explicit WorkerArena(CoreId core)
        : arena_(1, 0)
        , pinning_(arena_, {core}) {
        arena_.initialize();
    }

    // Any thread.
    void append(Task& task) {
        arena_.enqueue([this, &task] { task.body(*this, task); });
    }
    void post(Task& task) { append(task); }
    static void append(Task& task, WorkerArena* target) { target->append(task); }
    void when_idle(Task& task) { append(task); }
    static void flush() {}

    [[nodiscard]] SlotPinning const& pinning() const { return pinning_; }

  private:
    tbb::task_arena arena_;
    SlotPinning pinning_;
};

struct ArenaLimit {
    tbb::global_control limit{tbb::global_control::max_allowed_parallelism, 3}; // two, and the thread that waits
};

// A task may be enqueued again while an earlier sending of it has not run yet: TBB makes a task of its own each time.
class ArenaTasks : ArenaLimit, public TwoWorkers<WorkerArena> {
  public:
    using SleepWatch = SystemSleepWatch<ArenaTasks>;

    static constexpr bool keeps_order = false;
    static constexpr bool counts_rings = false;
    static constexpr bool fixed_threads = false;

    using TwoWorkers::TwoWorkers;
    [[nodiscard]] bool held() const { return first()->pinning().held() && second()->pinning().held(); }
    static std::uint64_t thread_here() { return static_cast<std::uint64_t>(this_thread()); }
    [[nodiscard]] pid_t sleeper() const { return second()->pinning().thread(); }
};

struct alignas(cache_line_bytes) Count {
    std::uint64_t tasks = 0;
};

template <std::size_t threads> Result<Sample> run_group(Measure, CorePair cores, TaskOptions const& options) {
    std::uint64_t const depth = options.depth;
    std::uint64_t const batches = (options.operations + depth - 1) / depth;
    std::array<Count, threads> counts{};
    Cycles start{};
    Cycles end{};
    bool pinned = false;
    run_pinned(cores.first, [&] {
        tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
        tbb::task_arena arena(static_cast<int>(threads), 1);
        SlotPinning const pinning(arena, {cores.first, cores.second});
        arena.execute([&] {
            tbb::task_group group;
            auto const run_batch = [&] {
                for (std::uint64_t i = 0; i < depth; ++i)
                    group.run([&] {
                        ++counts[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())].tasks;
                    });
                group.wait();
            };
            run_batch(); // not timed, as ours
            start = clock::timestamp();
            for (std::uint64_t i = 0; i < batches; ++i) run_batch();
            end = clock::timestamp();
        });
        pinned = pinning.held();
    });
    std::uint64_t ran = 0;
    for (Count const& count : counts) ran += count.tasks;
    return Sample{.value = static_cast<double>(raw(end - start)) / static_cast<double>(batches * depth),
                  .operations = batches * depth,
                  .verified = ran == (batches + 1) * depth && pinned};
}

constexpr TaskPeer tbb_task_arena{
    .name = "tbb-task-arena",
    .library = &library,
    .measures = {Measure::Hop, Measure::Stream, Measure::RoundTrip, Measure::RemoteRoundTrip, Measure::Wake},
    .run = &run_in<ArenaTasks>};
constexpr TaskPeer tbb_task_group{
    .name = "tbb-task-group", .library = &library, .measures = {Measure::Local}, .run = &run_group<1>};
constexpr TaskPeer tbb_task_group_2{.name = "tbb-task-group-2",
                                    .library = &library,
                                    .measures = {Measure::Local},
                                    .two_threads = true,
                                    .run = &run_group<2>};
MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_arena);
MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_group);
MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_group_2);

} // namespace
} // namespace mxk::bench

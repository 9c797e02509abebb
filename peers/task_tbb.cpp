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
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/version.h>

#include <array>
#include <atomic>
#include <numeric>
#include <string>

#include "peers/task_layer.hpp"

namespace mxk::bench {
namespace {

std::string library() {
    return std::string("oneTBB ") + TBB_runtime_version();
}

// Moves each thread that enters the arena, by slot: that of slot 0 to the first core's processor, that of slot 1 to the
// second's. TBB gives a thread another arena as it likes; it then moves.
class ArenaPinning : public tbb::task_scheduler_observer {
  public:
    ArenaPinning(tbb::task_arena& arena, CorePair cores)
        : tbb::task_scheduler_observer(arena)
        , cores_(cores) {
        observe(true);
    }
    ~ArenaPinning() override { observe(false); }
    ArenaPinning(ArenaPinning const&) = delete;
    ArenaPinning& operator=(ArenaPinning const&) = delete;

    // False once a thread could not be moved.
    [[nodiscard]] bool held() const { return held_.load(std::memory_order_relaxed); }
    // The number of the thread that has entered last.
    [[nodiscard]] pid_t thread() const { return thread_.load(std::memory_order_relaxed); }

    void on_scheduler_entry(bool) override {
        int const slot = tbb::this_task_arena::current_thread_index();
        if (!stay_with_core(slot == 0 ? cores_.first : cores_.second)) held_.store(false, std::memory_order_relaxed);
        thread_.store(this_thread(), std::memory_order_relaxed);
    }

  private:
    CorePair cores_;
    std::atomic<bool> held_{true};
    std::atomic<pid_t> thread_{0};
};

// An arena for one worker, on one core's processor.
class WorkerArena {
  public:
    struct alignas(cache_line_bytes) Task {
        using Body = void (*)(WorkerArena& arena, Task& task);

        explicit Task(Body first_body)
            : body(first_body) {}

        Body body;
    };

    explicit WorkerArena(CoreId core)
        : arena_(1, 0)
        , pinning_(arena_, {core, core}) {
        arena_.initialize();
    }

    // Any thread.
    void append(Task& task) {
        arena_.enqueue([this, &task] { task.body(*this, task); });
    }
    static void append(Task& task, WorkerArena* target) { target->append(task); }
    void when_idle(Task& task) { append(task); }
    static void flush() {}

    [[nodiscard]] ArenaPinning const& pinning() const { return pinning_; }

  private:
    tbb::task_arena arena_;
    ArenaPinning pinning_;
};

// A task may be enqueued again while an earlier sending of it has not run yet: TBB makes a task of its own each time.
class ArenaTasks {
  public:
    using Task = WorkerArena::Task;
    using Worker = WorkerArena;
    using Place = WorkerArena*;
    using Ending = LatchEnding;
    using SleepWatch = SystemSleepWatch<ArenaTasks>;

    static constexpr bool keeps_order = false;
    static constexpr bool counts_rings = false;
    static constexpr bool fixed_threads = false;

    explicit ArenaTasks(CorePair cores)
        : node_(workers::of(cores.first).node())
        , first_(cores.first)
        , second_(cores.second) {}

    // Nobody but the arenas' threads uses them through these.
    [[nodiscard]] Place first() const { return &first_; }
    [[nodiscard]] Place second() const { return &second_; }
    [[nodiscard]] NodeId node() const { return node_; }
    static Ending ending() { return {}; }

    Result<void> run(Task& begin, Ending& ending, Shown const&) {
        first_.append(begin);
        ending.await();
        return {};
    }
    [[nodiscard]] bool held() const { return first_.pinning().held() && second_.pinning().held(); }

    static bool runs_at(Worker const& arena, WorkerArena const* place) { return &arena == place; }
    static std::uint64_t thread_here() { return static_cast<std::uint64_t>(this_thread()); }
    [[nodiscard]] pid_t sleeper() const { return second_.pinning().thread(); }

  private:
    NodeId node_;
    tbb::global_control limit_{tbb::global_control::max_allowed_parallelism, 3}; // two, and the thread that waits
    mutable WorkerArena first_;
    mutable WorkerArena second_;
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
        ArenaPinning const pinning(arena, cores);
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
    std::uint64_t const ran = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                                              [](std::uint64_t sum, Count const& count) { return sum + count.tasks; });
    return Sample{.value = static_cast<double>(raw(end - start)) / static_cast<double>(batches * depth),
                  .operations = batches * depth,
                  .verified = ran == (batches + 1) * depth && pinned};
}

constexpr TaskPeer tbb_task_arena{
    .name = "tbb-task-arena",
    .library = &library,
    .measures = {Measure::Hop, Measure::Stream, Measure::RoundTrip, Measure::RemoteRoundTrip, Measure::Wake},
    .run = &run_in<ArenaTasks>,
};
constexpr TaskPeer tbb_task_group{
    .name = "tbb-task-group",
    .library = &library,
    .measures = {Measure::Local},
    .run = &run_group<1>,
};
constexpr TaskPeer tbb_task_group_2{
    .name = "tbb-task-group-2",
    .library = &library,
    .measures = {Measure::Local},
    .two_threads = true,
    .run = &run_group<2>,
};
MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_arena);
MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_group);
MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_group_2);

} // namespace
} // namespace mxk::bench

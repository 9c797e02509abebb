// oneTBB's task_arena::enqueue, the only way in which TBB hands a task to another thread: two arenas with room for one
// worker each, whose threads stay on the two cores' processors. (task_arena::execute runs the task on the calling
// thread as long as the arena has a slot left; it hands over nothing.) TBB decides for itself how long a worker looks
// for tasks before it sleeps, and does not say whether it has.
#include <oneapi/tbb/global_control.h>

#include <atomic>
#include <latch>
#include <thread>

#include "base/spin_wait.hpp"
#include "bench/peers/task_peer.hpp"
#include "bench/peers/task_posted_stream.hpp"
#include "bench/peers/task_tbb.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

// An arena for one worker, on one core's processor.
class WorkerArena {
  public:
    explicit WorkerArena(CoreId core)
        : arena_(1, 0)
        , pinning_(arena_, {core, core}) {
        arena_.initialize();
    }

    template <typename Function> void enqueue(Function function) { arena_.enqueue(function); }
    [[nodiscard]] bool pinned() const { return pinning_.held(); }

  private:
    tbb::task_arena arena_;
    ArenaPinning pinning_;
};

// The two arenas, and TBB told to let two workers run besides the thread that waits.
struct TwoArenas {
    tbb::global_control limit{tbb::global_control::max_allowed_parallelism, 3};
    WorkerArena first;
    WorkerArena second;

    explicit TwoArenas(CorePair cores)
        : first(cores.first)
        , second(cores.second) {}

    [[nodiscard]] bool pinned() const { return first.pinned() && second.pinned(); }
};

struct HopRun;
struct alignas(cache_line_bytes) HopJob {
    HopRun* run;
    std::uint64_t trips_left;

    void leave();
    void arrive_there();
    void arrive_back();
};

// As bench/task/task_hop.cpp, without its order, which TBB does not promise.
struct HopRun {
    TwoArenas& arenas;
    std::vector<HopJob> jobs;
    alignas(cache_line_bytes) std::uint64_t runs_there = 0; // arenas of one thread: each written by one at a time
    alignas(cache_line_bytes) std::uint64_t runs_back = 0;
    std::uint64_t jobs_home = 0;
    Cycles start{};
    Cycles end{};
    std::latch done{1};

    void begin() {
        start = clock::timestamp();
        for (HopJob& job : jobs) job.leave();
    }
};

void HopJob::leave() {
    run->arenas.second.enqueue([this] { arrive_there(); });
}
void HopJob::arrive_there() {
    ++run->runs_there;
    run->arenas.first.enqueue([this] { arrive_back(); });
}
void HopJob::arrive_back() {
    ++run->runs_back;
    if (--trips_left > 0) return leave();
    if (++run->jobs_home < run->jobs.size()) return;
    run->end = clock::timestamp();
    run->done.count_down();
}

Result<Sample> run_hop(CorePair cores, TaskOptions const& options) {
    std::uint64_t const hops_per_round = std::uint64_t{2} * options.depth;
    std::uint64_t const trips = (options.operations + hops_per_round - 1) / hops_per_round;
    TwoArenas arenas(cores);
    HopRun run{.arenas = arenas, .jobs = {}};
    run.jobs.assign(options.depth, HopJob{&run, trips});
    arenas.first.enqueue([&run] { run.begin(); });
    run.done.wait();
    std::uint64_t const at_each_end = options.depth * trips;
    return Sample{.value = static_cast<double>(raw(run.end - run.start)) / static_cast<double>(at_each_end),
                  .operations = 2 * at_each_end,
                  .verified = run.runs_there == at_each_end && run.runs_back == at_each_end && arenas.pinned()};
}

// No order is promised, so a task is not used again: TBB makes one for each enqueue anyway.
struct StreamArenas {
    TwoArenas arenas;

    void again(void (*body)(void*), void* self) {
        arenas.first.enqueue([body, self] { body(self); });
    }
    void send(StreamReceiver& receiver, std::uint32_t, StreamLabel) {
        arenas.second.enqueue([&receiver] { receiver.count(); });
    }
    [[nodiscard]] bool held() const { return arenas.pinned(); }
};

Result<Sample> run_stream(CorePair cores, TaskOptions const& options) {
    StreamArenas arenas{TwoArenas(cores)};
    return PostedStream(arenas, options).run();
}

// As bench/task/task_round_trip.cpp; but trips that one and the same thread ran in both arenas are left out, and those
// that found a thread asleep are not, since TBB does not say so.
struct TripRun {
    TwoArenas& arenas;
    std::uint64_t trips_left;
    std::vector<double> latencies{};
    std::uint64_t left_out = 0;
    std::uint64_t runs_there = 0;
    std::thread::id there{};
    Cycles start{};
    std::latch done{1};

    void leave() {
        start = clock::timestamp();
        arenas.second.enqueue([this] { turn_back(); });
    }
    void turn_back() {
        ++runs_there;
        there = std::this_thread::get_id();
        arenas.first.enqueue([this] { arrive(); });
    }
    void arrive() {
        Cycles const now = clock::timestamp();
        if (std::this_thread::get_id() == there)
            ++left_out;
        else
            latencies.push_back(static_cast<double>(raw(now - start)));
        if (--trips_left > 0) return leave();
        done.count_down();
    }
};

Result<Sample> run_round_trip(CorePair cores, TaskOptions const& options) {
    TwoArenas arenas(cores);
    TripRun run{.arenas = arenas, .trips_left = options.trips};
    run.latencies.reserve(options.trips);
    arenas.first.enqueue([&run] { run.leave(); });
    run.done.wait();
    return sample_of(run.latencies, run.left_out, run.runs_there == options.trips && arenas.pinned());
}

// As bench/task/task_wake.cpp. That the worker sleeps is seen from outside: the system says so.
struct Letter {
    WorkerArena& receiver;
    std::uint64_t runs = 0;
    pid_t thread = 0; // that ran it last
    std::atomic<bool> has_run{false};

    // Cycles until it is seen to have run.
    Cycles send() {
        has_run.store(false, std::memory_order_relaxed);
        Cycles const start = clock::timestamp();
        receiver.enqueue([this] {
            ++runs;
            thread = this_thread();
            has_run.store(true, std::memory_order_release);
        });
        for (SpinWait wait; !has_run.load(std::memory_order_acquire);) wait.turn();
        return clock::timestamp() - start;
    }
};

Result<Sample> run_wake(CorePair cores, TaskOptions const& options) {
    std::vector<double> samples;
    std::uint64_t left_out = 0;
    bool verified = false;
    run_pinned(cores.first, [&] {
        tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 2);
        WorkerArena receiver(cores.second);
        Letter letter{.receiver = receiver};
        letter.send(); // says which thread it is
        while (samples.size() < options.wakes && samples.size() + left_out < 2ULL * options.wakes) {
            bool const asleep = wait_until_asleep(letter.thread);
            auto const elapsed = static_cast<double>(raw(letter.send()));
            if (asleep)
                samples.push_back(elapsed);
            else
                ++left_out;
        }
        verified = letter.runs == samples.size() + left_out + 1 && receiver.pinned();
    });
    return sample_of(samples, left_out, verified);
}

Result<Sample> run(Measure measure, CorePair cores, TaskOptions const& options) {
    if (measure == Measure::Hop) return run_hop(cores, options);
    if (measure == Measure::Stream) return run_stream(cores, options);
    return measure == Measure::Wake ? run_wake(cores, options) : run_round_trip(cores, options);
}

constexpr TaskPeer tbb_task_arena{
    .name = "tbb-task-arena",
    .library = &tbb_library,
    .measures = {Measure::Hop, Measure::Stream, Measure::RoundTrip, Measure::RemoteRoundTrip, Measure::Wake},
    .run = &run,
};
MXK_REGISTER(mxk_task_peers, TaskPeer, tbb_task_arena);

} // namespace
} // namespace mxk::bench

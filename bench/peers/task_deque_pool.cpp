// Tasks as jobs of the pool in task_deque_pool.hpp.
#include "bench/peers/task_deque_pool.hpp"

#include <atomic>
#include <latch>
#include <string>
#include <vector>

#include "base/spin_wait.hpp"
#include "bench/peers/task_peer.hpp"
#include "bench/peers/task_posted_stream.hpp"
#include "bench/peers/task_threads.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

struct LocalRun;
struct alignas(cache_line_bytes) EmptyJob {
    LocalRun* run;
    std::uint64_t expected; // the number of its next run

    void check();
    static void work(void* self) { static_cast<EmptyJob*>(self)->check(); }
    static void lead(void* self);
};

// As bench/task/task_local.cpp: the last job of a batch posts the next batch.
struct LocalRun {
    DequePool& pool;
    std::uint64_t operations;
    std::vector<EmptyJob> batch;
    std::uint64_t due = 0;
    std::uint64_t wrong = 0;
    Cycles start{};
    Cycles end{};
    std::latch done{1};

    void post_batch() {
        for (EmptyJob& job : batch) pool.post({&job == &batch.back() ? &EmptyJob::lead : &EmptyJob::work, &job});
    }
    // The first batch, too, is posted by the pool's own thread.
    static void begin(void* self) { static_cast<LocalRun*>(self)->post_batch(); }
};

void EmptyJob::check() {
    if (expected != run->due) ++run->wrong;
    ++run->due;
    expected += run->batch.size();
}

void EmptyJob::lead(void* self) {
    auto& job = *static_cast<EmptyJob*>(self);
    LocalRun& run = *job.run;
    job.check();
    if (run.due == run.batch.size()) run.start = clock::timestamp(); // the first batch is not timed
    if (run.due < run.operations + run.batch.size()) return run.post_batch();
    run.end = clock::timestamp();
    run.done.count_down();
}

Result<Sample> run_local(CorePair cores, TaskOptions const& options) {
    std::uint64_t const depth = options.depth;
    std::uint64_t const batches = (options.operations + depth - 1) / depth;
    DequePool pool(cores.first);
    LocalRun run{.pool = pool, .operations = batches * depth, .batch = {}};
    for (std::uint64_t i = 0; i < depth; ++i) run.batch.push_back({&run, i});
    pool.post({&LocalRun::begin, &run});
    run.done.wait();
    return Sample{.value = static_cast<double>(raw(run.end - run.start)) / static_cast<double>(run.operations),
                  .operations = run.operations,
                  .verified = run.wrong == 0 && run.due == run.operations + depth};
}

struct HopRun;
struct alignas(cache_line_bytes) HopJob {
    HopRun* run;
    std::uint64_t number;
    std::uint64_t trips_left;

    static void arrive_there(void* self);
    static void arrive_back(void* self);
};

// One end of the way; only its pool's thread writes it.
struct alignas(cache_line_bytes) HopEnd {
    DequePool& pool;
    std::uint64_t runs = 0;
    std::uint64_t wrong = 0;

    void check(std::uint64_t number, std::uint64_t depth) {
        if (!pool.is_here() || number != runs % depth) ++wrong;
        ++runs;
    }
};

// As bench/task/task_hop.cpp.
struct HopRun {
    HopEnd first;
    HopEnd second;
    std::vector<HopJob> jobs;
    std::uint64_t jobs_home = 0;
    Cycles start{};
    Cycles end{};
    std::latch done{1};

    static void begin(void* self) {
        auto& run = *static_cast<HopRun*>(self);
        run.start = clock::timestamp();
        for (HopJob& job : run.jobs) run.second.pool.post({&HopJob::arrive_there, &job});
    }
};

void HopJob::arrive_there(void* self) {
    auto& job = *static_cast<HopJob*>(self);
    job.run->second.check(job.number, job.run->jobs.size());
    job.run->first.pool.post({&HopJob::arrive_back, self});
}

void HopJob::arrive_back(void* self) {
    auto& job = *static_cast<HopJob*>(self);
    HopRun& run = *job.run;
    run.first.check(job.number, run.jobs.size());
    if (--job.trips_left > 0) return run.second.pool.post({&HopJob::arrive_there, self});
    if (++run.jobs_home < run.jobs.size()) return;
    run.end = clock::timestamp();
    run.done.count_down();
}

Result<Sample> run_hop(CorePair cores, TaskOptions const& options) {
    std::uint64_t const hops_per_round = std::uint64_t{2} * options.depth;
    std::uint64_t const trips = (options.operations + hops_per_round - 1) / hops_per_round;
    DequePool first(cores.first);
    DequePool second(cores.second);
    HopRun run{.first = {first}, .second = {second}, .jobs = {}};
    for (std::uint64_t i = 0; i < options.depth; ++i) run.jobs.push_back({&run, i, trips});
    first.post({&HopRun::begin, &run});
    run.done.wait();
    std::uint64_t const at_each_end = options.depth * trips;
    return Sample{.value = static_cast<double>(raw(run.end - run.start)) / static_cast<double>(at_each_end),
                  .operations = 2 * at_each_end,
                  .verified = run.first.wrong == 0 && run.second.wrong == 0 && run.first.runs == at_each_end &&
                              run.second.runs == at_each_end};
}

struct alignas(cache_line_bytes) StreamJob {
    StreamReceiver* receiver = nullptr;
    DequePool const* expected = nullptr;
    StreamLabel label{};

    static void work(void* self) {
        auto const& job = *static_cast<StreamJob*>(self);
        if (!job.expected->is_here()) job.receiver->complain();
        job.receiver->take(job.label);
    }
};

struct StreamPools {
    DequePool first;
    DequePool second;
    std::vector<StreamJob> jobs;

    void again(void (*body)(void*), void* self) { first.post({body, self}); }
    void send(StreamReceiver& receiver, std::uint32_t place, StreamLabel label) {
        jobs[place] = {&receiver, &second, label};
        second.post({&StreamJob::work, &jobs[place]});
    }
    [[nodiscard]] static bool held() { return true; } // each job sees for itself
};

Result<Sample> run_stream(CorePair cores, TaskOptions const& options) {
    StreamPools pools{DequePool(cores.first), DequePool(cores.second), std::vector<StreamJob>(options.pool)};
    return PostedStream(pools, options).run();
}

// As bench/task/task_round_trip.cpp, but that a pool itself knows whether it was woken.
struct TripRun {
    DequePool& first;
    DequePool& second;
    std::uint64_t trips_left;
    std::vector<double> latencies{};
    std::uint64_t woken = 0;
    std::uint64_t runs_there = 0;
    std::uint64_t wrong = 0;
    bool woken_there = false;
    Cycles start{};
    std::latch done{1};

    static void leave(void* self) {
        auto& run = *static_cast<TripRun*>(self);
        run.start = clock::timestamp();
        run.second.post({&TripRun::turn_back, self});
    }
    static void turn_back(void* self) {
        auto& run = *static_cast<TripRun*>(self);
        if (!run.second.is_here()) ++run.wrong;
        ++run.runs_there;
        run.woken_there = run.second.was_woken();
        run.first.post({&TripRun::arrive, self});
    }
    static void arrive(void* self) {
        Cycles const now = clock::timestamp();
        auto& run = *static_cast<TripRun*>(self);
        if (!run.first.is_here()) ++run.wrong;
        if (run.woken_there || run.first.was_woken()) ++run.woken;
        run.latencies.push_back(static_cast<double>(raw(now - run.start)));
        if (--run.trips_left > 0) return leave(self);
        run.done.count_down();
    }
};

Result<Sample> run_round_trip(CorePair cores, TaskOptions const& options) {
    DequePool first(cores.first);
    DequePool second(cores.second);
    TripRun run{.first = first, .second = second, .trips_left = options.trips};
    run.latencies.reserve(options.trips);
    first.post({&TripRun::leave, &run});
    run.done.wait();
    Sample sample = MXK_TRY(sample_of(run.latencies, 0, run.wrong == 0 && run.runs_there == options.trips));
    sample.woken = run.woken;
    return sample;
}

// As bench/task/task_wake.cpp.
struct Letter {
    DequePool& receiver;
    std::uint64_t runs = 0;
    bool woke = false;
    std::atomic<bool> has_run{false};

    static void work(void* self) {
        auto& letter = *static_cast<Letter*>(self);
        ++letter.runs;
        letter.woke = letter.receiver.was_woken();
        letter.has_run.store(true, std::memory_order_release);
    }
    // Cycles until it is seen to have run.
    Cycles send() {
        has_run.store(false, std::memory_order_relaxed);
        Cycles const start = clock::timestamp();
        receiver.post({&Letter::work, this});
        for (SpinWait wait; !has_run.load(std::memory_order_acquire);) wait.turn();
        return clock::timestamp() - start;
    }
};

Result<Sample> run_wake(CorePair cores, TaskOptions const& options) {
    DequePool receiver(cores.second);
    Letter letter{.receiver = receiver};
    std::vector<double> samples;
    std::uint64_t left_out = 0;
    run_pinned(cores.first, [&] {
        while (samples.size() < options.wakes && samples.size() + left_out < 2ULL * options.wakes) {
            bool const asleep = wait_until_asleep(receiver.thread());
            double const elapsed = static_cast<double>(raw(letter.send()));
            if (asleep && letter.woke)
                samples.push_back(elapsed);
            else
                ++left_out;
        }
    });
    return sample_of(samples, left_out, letter.runs == samples.size() + left_out);
}

Result<Sample> run(Measure measure, CorePair cores, TaskOptions const& options) {
    switch (measure) {
    case Measure::Local: return run_local(cores, options);
    case Measure::Hop: return run_hop(cores, options);
    case Measure::Stream: return run_stream(cores, options);
    case Measure::RoundTrip:
    case Measure::RemoteRoundTrip: return run_round_trip(cores, options);
    case Measure::Mail: // not one of its measures
    case Measure::Wake: break;
    }
    return run_wake(cores, options);
}

constexpr TaskPeer deque_pool{
    .name = "deque-pool",
    .library = [] { return std::string("std::deque, std::mutex, std::condition_variable; gcc " __VERSION__); },
    .measures = {Measure::Local, Measure::Hop, Measure::Stream, Measure::RoundTrip, Measure::RemoteRoundTrip,
                 Measure::Wake},
    .run = &run,
};
MXK_REGISTER(mxk_task_peers, TaskPeer, deque_pool);

} // namespace
} // namespace mxk::bench

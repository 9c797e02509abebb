// The experiments of `bench thread` and `bench semaphore` on real cores: each run counts what it was asked for and
// finds its threads where, as often and in the order they had to be; from the console's core and from others; and finds
// out what is wrong.
#include <algorithm>
#include <array>
#include <atomic>

#include "bench/thread/own_threads.hpp"
#include "bench/thread/thread_measures.hpp"
#include "kernel/testing.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

constexpr Nanoseconds slice{100'000};

// Nobody watches.
struct Unseen {
    FixedText<1> nowhere{};
    console::Invocation invocation{nowhere};
    Progress progress{invocation};
};

// What a run said, and how long it took from outside.
struct MeasuredThreads {
    Result<Sample> sample;
    Cycles elapsed;
};

template <typename Run> MeasuredThreads measured(Run run) {
    Cycles const start = clock::timestamp();
    Result<Sample> const sample = run();
    return {sample, clock::timestamp() - start};
}

// Where single operations are timed, the value is their median: half of them took no less. Otherwise it is the mean.
bool fits_into(Sample const& sample, Cycles elapsed) {
    std::uint64_t const timed = sample.p99 ? (sample.operations + 1) / 2 : sample.operations;
    return sample.value > 0 && sample.value * static_cast<double>(timed) <= static_cast<double>(raw(elapsed));
}

void check_sample(Result<Sample> const& sample, std::uint64_t operations, bool verified = true) {
    MXK_CHECK(sample.ok());
    if (!sample.ok()) return;
    MXK_CHECK_EQUAL(sample.value().verified, verified);
    MXK_CHECK_EQUAL(sample.value().operations, operations);
    if (sample.value().p99) MXK_CHECK(*sample.value().p99 >= sample.value().value);
}

void check_measured(MeasuredThreads const& measured, std::uint64_t operations) {
    check_sample(measured.sample, operations);
    if (measured.sample.ok()) MXK_CHECK(fits_into(measured.sample.value(), measured.elapsed));
}

// One core, two, and where the console's is neither.
std::array<CorePair, 4> pairs() {
    std::size_t const last = workers::count() - 1;
    return {CorePair{core_id(0), core_id(0)}, CorePair{core_id(0), core_id(last)}, CorePair{core_id(last), core_id(0)},
            CorePair{core_id(std::min<std::size_t>(1, last)), core_id(last)}};
}

constexpr std::array kinds{SemaphoreKind::Fast, SemaphoreKind::Syscall};

// Calls check(layer) for each kind of semaphore that there is.
template <typename Check> void for_each_kind(Check check) {
    Unseen unseen;
    for (SemaphoreKind const kind : kinds)
        if (Semaphore::supports(kind)) check(OwnThreads{unseen.progress, slice, kind});
}

MXK_TEST(bench_thread, yields_are_measured) {
    Unseen unseen;
    OwnThreads const layer{unseen.progress, slice};
    for (std::size_t i = 0; i < std::min<std::size_t>(workers::count(), 4); ++i) {
        auto const [sample, elapsed] = measured([&] { return run_yield(layer, {core_id(i), core_id(i)}, 500); });
        MXK_CHECK(sample.ok());
        if (!sample.ok()) return;
        MXK_CHECK(sample.value().verified && fits_into(sample.value(), elapsed));
        // The leader makes 250 yields. What counts as a switch is a yield of either; a run with fewer switches than a
        // tenth of all yields is not verified.
        std::uint64_t const yields = sample.value().operations + sample.value().left_out;
        MXK_CHECK(yields >= 250 && 10 * sample.value().operations >= yields);
    }
}

MXK_TEST(bench_thread, preemptions_are_measured) {
    Unseen unseen;
    OwnThreads const layer{unseen.progress, slice};
    auto const [sample, elapsed] = measured([&] { return run_preempt(layer, pairs()[3], 20); });
    check_sample(sample, 20);
    if (!sample) return;
    MXK_CHECK_EQUAL(sample.value().findings.entries().size(), 1U);
    // No less than half the minimum slice; and 19 of them lie between the first preemption and the last.
    double const turn_us = sample.value().findings.entries()[0].value;
    double const elapsed_us = static_cast<double>(raw(clock::to_nanoseconds(elapsed))) / 1e3;
    MXK_CHECK(turn_us >= 5 && 19 * turn_us <= elapsed_us);
}

MXK_TEST(bench_thread, wake_ups_are_measured) {
    for_each_kind([](OwnThreads const& layer) {
        for (CorePair const cores : pairs()) check_measured(measured([&] { return run_wake(layer, cores, 20); }), 20);
    });
}

MXK_TEST(bench_thread, a_free_semaphore_is_measured) {
    for_each_kind([](OwnThreads const& layer) {
        // not a multiple of what is done at once
        auto const run = measured([&] { return run_uncontended(layer, pairs()[3], 3000, 500); });
        check_measured(run, 3000);
        if (!run.sample) return;
        auto const found = run.sample.value().findings.entries();
        MXK_CHECK_EQUAL(found.size(), 2U);
        if (found.size() != 2) return;
        double const quotient = run.sample.value().value / found[0].value; // of_yield_pair, of the same run
        MXK_CHECK(quotient * 0.999 < found[1].value && found[1].value < quotient * 1.001);
    });
}

MXK_TEST(bench_thread, round_trips_are_measured) {
    for_each_kind([](OwnThreads const& layer) {
        for (CorePair const cores : pairs())
            check_measured(measured([&] { return run_ping_pong(layer, cores, 100); }), 100);
    });
}

MXK_TEST(bench_thread, crowds_are_measured) {
    for_each_kind([](OwnThreads const& layer) {
        for (CorePair const cores : pairs())
            for (std::uint32_t const threads : {1U, 2U, 9U}) {
                auto const run = measured([&] { return run_crowd(layer, cores, threads, 500); });
                check_measured(run, 500);
                if (!run.sample) continue;
                // One thread alone is as fair as can be; the units of several may all go to one of them.
                double const fairness = run.sample.value().findings.entries()[0].value;
                MXK_CHECK(fairness <= 1 && fairness >= (threads == 1 ? 1 : 0));
            }
    });
}

// A layer whose semaphores are wrong: what they promise must be seen to be missing.
struct Careless : OwnThreads {
    // Lets in everybody, and never waits, but that others have a turn.
    struct Semaphore {
        static void wait() { this_thread::yield(); }
        static bool try_wait() { return true; }
        static void post() {}
    };
    using ThreadTeam = OwnThreads::ThreadTeam;
    static Semaphore semaphore(std::uint32_t) { return {}; }
};

MXK_TEST(bench_thread, wrong_semaphores_are_found_out) {
    Unseen unseen;
    Careless const layer{{unseen.progress, slice}};
    CorePair const cores = pairs()[0];
    auto const expect_unverified = [](Result<Sample> const& sample) {
        MXK_CHECK(sample.ok() && !sample.value().verified);
    };
    expect_unverified(run_uncontended(layer, cores, 100, 500));
    expect_unverified(run_crowd(layer, cores, 3, 100));
}

// Yields of which 63 in 64 are none.
struct Stubborn : OwnThreads {
    using ThreadTeam = OwnThreads::ThreadTeam;
    static void yield() {
        static std::atomic<unsigned> calls{0};
        if (calls.fetch_add(1, std::memory_order_relaxed) % 64 == 0) this_thread::yield();
    }
};

MXK_TEST(bench_thread, yields_that_are_none_are_found_out) {
    Unseen unseen;
    Stubborn const layer{{unseen.progress, slice}};
    auto const sample = run_yield(layer, pairs()[0], 10'000);
    MXK_CHECK(sample.ok() && !sample.value().verified);
}

// Two threads that run at the same time see each other in each round of their loops.
MXK_TEST(bench_thread, turns_at_the_same_time_are_found_out) {
    using Run = PreemptRun<OwnThreads>;
    Unseen unseen;
    OwnThreads const layer{unseen.progress, slice};
    auto room = OwnThreads::ThreadTeam::room(0);
    auto const samples = NodeArray<double>::create(100, Worker::current().node());
    MXK_CHECK(room.ok() && samples.ok());
    if (!room || !samples) return;
    OwnThreads::ThreadTeam team(layer, std::move(room).value());
    for (std::uint64_t const turn : {std::uint64_t{100}, raw(clock::to_cycles(slice))}) {
        Run run{.team = team, .samples = samples.value().span().first(100), .max_wait = 0};
        for (std::uint64_t i = 1; i <= Run::warm_up + 100; ++i) run.take(50, i * turn);
        auto const sample = run.sample();
        check_sample(sample, 100, turn > 100);
        if (sample) MXK_CHECK(sample.value().value == 50);
    }
    Run idle{.team = team, .samples = samples.value().span().first(100), .max_wait = 0};
    MXK_CHECK(!idle.sample().ok());
}

// What cannot be made is an error, and threads that were made before end unused.
MXK_TEST(bench_thread, a_crew_that_is_not_complete_is_given_up) {
    Unseen unseen;
    OwnThreads const layer{unseen.progress, slice};
    auto room = OwnThreads::ThreadTeam::room(2);
    MXK_CHECK(room.ok());
    if (!room) return;
    bool called = false;
    auto body = [&] { called = true; };
    {
        OwnThreads::ThreadTeam team(layer, std::move(room).value());
        MXK_CHECK(team.add(core_id(0), body).ok());
        MXK_CHECK(!team.add(core_id(workers::count()), body).ok());
    }
    MXK_CHECK(!called);
}

} // namespace
} // namespace mxk::bench

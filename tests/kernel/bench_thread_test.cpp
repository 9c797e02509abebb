// The experiments of `bench thread` and `bench semaphore` on real cores: each run counts what it was asked for and
// finds its threads where, as often and in the order they had to be; from the console's core and from others; and finds
// out what is wrong.
#include <algorithm>
#include <array>
#include <atomic>

#include "bench/thread/thread_crew.hpp"
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

void check_sample(Result<Sample> const& sample, std::uint64_t operations, bool verified = true) {
    MXK_CHECK(sample.ok());
    if (!sample.ok()) return;
    MXK_CHECK_EQUAL(sample.value().verified, verified);
    MXK_CHECK(sample.value().value > 0);
    MXK_CHECK_EQUAL(sample.value().operations, operations);
    if (sample.value().p99) MXK_CHECK(*sample.value().p99 >= sample.value().value);
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

MXK_TEST(threads, yields_are_measured) {
    Unseen unseen;
    OwnThreads const layer{unseen.progress, slice};
    for (std::size_t i = 0; i < std::min<std::size_t>(workers::count(), 4); ++i) {
        auto const sample = run_yield(layer, {core_id(i), core_id(i)}, 500);
        MXK_CHECK(sample.ok());
        if (!sample.ok()) return;
        MXK_CHECK(sample.value().verified);
        MXK_CHECK(sample.value().value > 0);
        // The leader makes half of them; the follower as many, where nobody else has turns.
        MXK_CHECK(sample.value().operations + sample.value().left_out >= 250);
    }
}

MXK_TEST(threads, preemptions_are_measured) {
    Unseen unseen;
    OwnThreads const layer{unseen.progress, slice};
    auto const sample = run_preempt(layer, pairs()[3], 20);
    check_sample(sample, 20);
    if (!sample) return;
    MXK_CHECK_EQUAL(sample.value().findings.entries().size(), 1U);
    MXK_CHECK(sample.value().findings.entries()[0].value >= 5);
}

MXK_TEST(threads, wake_ups_are_measured) {
    for_each_kind([](OwnThreads const& layer) {
        for (CorePair const cores : pairs()) check_sample(run_wake(layer, cores, 20), 20);
    });
}

MXK_TEST(threads, a_free_semaphore_is_measured) {
    for_each_kind([](OwnThreads const& layer) {
        auto const sample = run_uncontended(layer, pairs()[3], 3000, 500); // not a multiple of what is done at once
        check_sample(sample, 3000);
        if (sample) MXK_CHECK_EQUAL(sample.value().findings.entries().size(), 2U);
    });
}

MXK_TEST(threads, round_trips_are_measured) {
    for_each_kind([](OwnThreads const& layer) {
        for (CorePair const cores : pairs()) check_sample(run_ping_pong(layer, cores, 100), 100);
    });
}

MXK_TEST(threads, crowds_are_measured) {
    for_each_kind([](OwnThreads const& layer) {
        for (CorePair const cores : pairs())
            for (std::uint32_t const threads : {1U, 2U, 9U}) {
                auto const sample = run_crowd(layer, cores, threads, 500);
                check_sample(sample, 500);
                if (sample) MXK_CHECK(sample.value().findings.entries()[0].value <= 1);
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
    using Crew = OwnThreads::Crew;
    static Semaphore semaphore(std::uint32_t) { return {}; }
};

MXK_TEST(threads, wrong_semaphores_are_found_out) {
    Unseen unseen;
    Careless const layer{{unseen.progress, slice}};
    CorePair const cores = pairs()[0];
    auto const expect_unverified = [](Result<Sample> const& sample) {
        MXK_CHECK(sample.ok() && !sample.value().verified);
    };
    expect_unverified(run_uncontended(layer, cores, 100, 500));
    expect_unverified(run_crowd(layer, cores, 3, 100));
}

// Yields most of which are none.
struct Stubborn : OwnThreads {
    using Crew = OwnThreads::Crew;
    static void yield() {
        static std::atomic<unsigned> calls{0};
        if (calls.fetch_add(1, std::memory_order_relaxed) % 64 == 0) this_thread::yield();
    }
};

MXK_TEST(threads, yields_that_are_none_are_found_out) {
    Unseen unseen;
    Stubborn const layer{{unseen.progress, slice}};
    auto const sample = run_yield(layer, pairs()[0], 10'000);
    MXK_CHECK(sample.ok() && !sample.value().verified);
}

// Two threads that run at the same time see each other in each round of their loops.
MXK_TEST(threads, turns_at_the_same_time_are_found_out) {
    using Run = PreemptRun<OwnThreads>;
    Unseen unseen;
    OwnThreads const layer{unseen.progress, slice};
    auto room = OwnThreads::Crew::room(0);
    auto const samples = NodeArray<double>::create(100, Worker::current().node());
    MXK_CHECK(room.ok() && samples.ok());
    if (!room || !samples) return;
    OwnThreads::Crew crew(layer, std::move(room).value());
    for (std::uint64_t const turn : {std::uint64_t{100}, raw(clock::to_cycles(slice))}) {
        Run run{.crew = crew, .samples = samples.value().span().first(100), .patience = 0};
        for (std::uint64_t i = 1; i <= Run::warm_up + 100; ++i) run.take(50, i * turn);
        auto const sample = run.sample();
        check_sample(sample, 100, turn > 100);
        if (sample) MXK_CHECK(sample.value().value == 50);
    }
    Run idle{.crew = crew, .samples = samples.value().span().first(100), .patience = 0};
    MXK_CHECK(!idle.sample().ok());
}

// What cannot be made is an error, and threads that were made before end unused.
MXK_TEST(threads, a_crew_that_is_not_complete_is_given_up) {
    Unseen unseen;
    OwnThreads const layer{unseen.progress, slice};
    auto room = OwnThreads::Crew::room(2);
    MXK_CHECK(room.ok());
    if (!room) return;
    bool called = false;
    auto body = [&] { called = true; };
    {
        OwnThreads::Crew crew(layer, std::move(room).value());
        MXK_CHECK(crew.add(core_id(0), body).ok());
        MXK_CHECK(!crew.add(core_id(workers::count()), body).ok());
    }
    MXK_CHECK(!called);
}

} // namespace
} // namespace mxk::bench

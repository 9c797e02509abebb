// Semaphores as threads use them.
//
// uncontended: one thread takes and gives back the only unit of a semaphore that nobody else wants; and, in the same
// run and on the same core, two threads yield to each other, since that is what it is compared with.
//
// ping-pong: two threads, two semaphores: each posts what the other waits for, again and again. The first thread times
// each round trip. What is handed to and fro beside, in plain memory, shows that nobody ran before its turn.
//
// crowd: many threads, one semaphore with one unit, until all together have passed so often: all wait for it when the
// first one posts it. Each looks whether it is alone inside.
#pragma once

#include <algorithm>
#include <atomic>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/thread/thread_switch.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

template <typename Layer> struct UncontendedRun {
    using ThreadTeam = typename Layer::ThreadTeam;

    struct User {
        UncontendedRun& run;
        void operator()() const {
            pairs(warm_up);
            Cycles const start = clock::timestamp();
            for (std::uint64_t left = run.pairs; left > 0 && !run.team.wanted();) {
                std::uint64_t const some = left < between_looks ? left : between_looks;
                pairs(some);
                run.done.add(some);
                left -= some;
            }
            run.elapsed = clock::timestamp() - start;
        }
        void pairs(std::uint64_t count) const {
            for (std::uint64_t i = 0; i < count; ++i) {
                run.semaphore.wait();
                run.semaphore.post();
            }
        }
    };

    // The console's task, when the thread has ended.
    [[nodiscard]] bool has_one_unit() { return semaphore.try_wait() && !semaphore.try_wait(); }

    static constexpr std::uint64_t warm_up = 1000;
    static constexpr std::uint64_t between_looks = 1024; // whether it is wanted to end

    ThreadTeam& team;
    typename Layer::Semaphore semaphore;
    std::uint64_t pairs;
    OwnerCounter done{};
    Cycles elapsed{};
};

// Cycles per wait() and post(); beside it what a pair of yields costs (there and back), and the quotient. Errors: no
// memory, no thread, Ctrl-C. The console's task.
template <typename Layer>
Result<Sample> run_uncontended(Layer const& layer, CorePair cores, std::uint64_t pairs, std::uint64_t yields) {
    using Run = UncontendedRun<Layer>;
    typename Layer::ThreadTeam team(layer, MXK_TRY(Layer::ThreadTeam::room(1)));
    Run run{.team = team, .semaphore = layer.semaphore(1), .pairs = pairs};
    typename Run::User user{run};
    MXK_TRY(team.add(cores.first, user));
    MXK_TRY(team.run("uncontended", pairs, &counted, &run.done));
    Sample const yield = MXK_TRY(run_yield(layer, cores, yields));

    Sample sample{.value = static_cast<double>(raw(run.elapsed)) / static_cast<double>(pairs),
                  .operations = pairs,
                  .verified = run.done.value() == pairs && run.has_one_unit() && yield.verified};
    sample.findings.add("yield_pair", 2 * yield.value);
    if (yield.value > 0) sample.findings.add("of_yield_pair", sample.value / (2 * yield.value));
    return sample;
}

template <typename Layer> struct PingPongRun {
    using ThreadTeam = typename Layer::ThreadTeam;

    struct First {
        PingPongRun& run;
        void operator()() const {
            std::uint64_t const all = warm_up + run.samples.size();
            for (std::uint64_t i = 0; i < all && !run.team.wanted(); ++i) {
                Cycles const start = clock::timestamp();
                run.there.post();
                run.back.wait();
                Cycles const end = clock::timestamp();
                if (run.ball != 2 * i + 1) ++run.wrong;
                ++run.ball;
                if (i >= warm_up) run.samples[i - warm_up] = static_cast<double>(raw(end - start));
                run.done.add(1);
            }
            run.last = true;
            run.there.post();
        }
    };
    struct Second {
        PingPongRun& run;
        void operator()() const {
            for (std::uint64_t i = 0;; ++i) {
                run.there.wait();
                if (run.last) return;
                if (run.ball != 2 * i) ++run.wrong;
                ++run.ball;
                run.back.post();
            }
        }
    };

    // The console's task, when both have ended.
    [[nodiscard]] Sample sample() {
        bool const none_left = !there.try_wait() && !back.try_wait();
        return {.value = percentile(samples, 50),
                .p99 = percentile(samples, 99),
                .operations = samples.size(),
                .verified = wrong == 0 && none_left && ball == 2 * (warm_up + samples.size())};
    }

    static constexpr std::uint64_t warm_up = 100;

    ThreadTeam& team;
    typename Layer::Semaphore there;
    typename Layer::Semaphore back;
    std::span<double> samples;
    OwnerCounter done{};
    // Of the thread that a semaphore has let in:
    std::uint64_t ball = 0;
    std::uint64_t wrong = 0;
    bool last = false;
};

// Cycles of each of `trips` round trips. Errors: no memory, no thread, Ctrl-C. The console's task.
template <typename Layer> Result<Sample> run_ping_pong(Layer const& layer, CorePair cores, std::size_t trips) {
    using Run = PingPongRun<Layer>;
    auto const room = MXK_TRY(NodeArray<double>::create(trips, workers::of(cores.first).node()));
    typename Layer::ThreadTeam team(layer, MXK_TRY(Layer::ThreadTeam::room(2)));
    Run run{.team = team, .there = layer.semaphore(0), .back = layer.semaphore(0), .samples = room.span().first(trips)};
    typename Run::First first{run};
    typename Run::Second second{run};
    MXK_TRY(team.add(cores.first, first));
    MXK_TRY(team.add(cores.second, second));
    MXK_TRY(team.run("ping-pong", Run::warm_up + trips, &counted, &run.done));
    return run.sample();
}

template <typename Layer> struct CrowdRun {
    using ThreadTeam = typename Layer::ThreadTeam;

    struct alignas(cache_line_bytes) User {
        CrowdRun& run;
        std::uint32_t self;
        std::uint64_t passes = 0;

        void operator()() {
            if (self == 0)
                run.open();
            else
                run.missing.fetch_sub(1, std::memory_order_relaxed); // nothing else is read because of it
            while (pass()) ++passes;
            if (self == 0) run.end = clock::timestamp(); // it has waited its turn to see that all is done
        }
        bool pass() {
            run.semaphore.wait();
            // relaxed: an atomic only that a wrong semaphore is no undefined behaviour
            run.inside.store(self, std::memory_order_relaxed);
            bool const more = run.passed.value() < run.passes && !run.team.wanted();
            if (more) run.passed.add(1);
            if (run.inside.load(std::memory_order_relaxed) != self) run.wrong.store(true, std::memory_order_relaxed);
            run.semaphore.post();
            return more;
        }
    };

    // The first thread's: the others wait by now, or are about to.
    void open() {
        while (missing.load(std::memory_order_relaxed) > 0) Layer::yield();
        start = clock::timestamp();
        semaphore.post();
    }

    // The console's task, when all have ended.
    [[nodiscard]] Sample sample(std::span<User const> users) {
        std::uint64_t sum = 0;
        std::uint64_t min = passes;
        std::uint64_t max = 0;
        for (User const& user : users) {
            sum += user.passes;
            min = std::min(min, user.passes);
            max = std::max(max, user.passes);
        }
        bool const one_unit = semaphore.try_wait() && !semaphore.try_wait();
        Sample result{.value = static_cast<double>(raw(end - start)) / static_cast<double>(passes),
                      .operations = passes,
                      .verified = !wrong.load(std::memory_order_relaxed) && one_unit && sum == passes &&
                                  passed.value() == passes};
        result.findings.add("fairness",
                            static_cast<double>(min) / static_cast<double>(std::max<std::uint64_t>(max, 1)));
        return result;
    }

    ThreadTeam& team;
    typename Layer::Semaphore semaphore;
    std::uint64_t passes;               // of all together
    std::atomic<std::uint32_t> missing; // threads but the first one that have not come yet
    // Of the thread that is inside:
    OwnerCounter passed{};
    std::atomic<std::uint32_t> inside{0};
    std::atomic<bool> wrong{false};
    // The first thread's, on its core:
    Cycles start{};
    Cycles end{};
};

// Cycles per pass (wait() and post()) of `threads` threads, which stand on both cores by turns; beside it the
// passes of the thread with the fewest, by those of the one with the highest number. Errors: no memory, no thread,
// Ctrl-C. The console's task.
template <typename Layer>
Result<Sample> run_crowd(Layer const& layer, CorePair cores, std::uint32_t threads, std::uint64_t passes) {
    using Run = CrowdRun<Layer>;
    auto users = MXK_TRY(NodeVector<typename Run::User>::create(threads, workers::of(cores.first).node()));
    typename Layer::ThreadTeam team(layer, MXK_TRY(Layer::ThreadTeam::room(threads)));
    Run run{.team = team, .semaphore = layer.semaphore(0), .passes = passes, .missing = threads - 1};
    for (std::uint32_t i = 0; i < threads; ++i)
        MXK_TRY(team.add(i % 2 == 0 ? cores.first : cores.second, users.emplace(run, i)));
    MXK_TRY(team.run("crowd", passes, &counted, &run.passed));
    return run.sample(users.span());
}

} // namespace mxk::bench

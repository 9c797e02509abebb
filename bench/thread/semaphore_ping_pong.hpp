// Two threads, two semaphores: each posts what the other waits for, again and again. The first thread times each round
// trip. What is handed to and fro beside, in plain memory, shows that nobody ran before its turn.
#pragma once

#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

template <typename Layer> struct PingPongRun {
    using Crew = typename Layer::Crew;

    struct First {
        PingPongRun& run;
        void operator()() const {
            std::uint64_t const all = warm_up + run.samples.size();
            for (std::uint64_t i = 0; i < all && !run.crew.wanted(); ++i) {
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

    Crew& crew;
    typename Layer::Semaphore there;
    typename Layer::Semaphore back;
    std::span<double> samples;
    OwnerCounter done{};
    // Of who has been let in by a semaphore:
    std::uint64_t ball = 0;
    std::uint64_t wrong = 0;
    bool last = false;
};

// Cycles of each of `trips` round trips. Errors: no memory, no thread, Ctrl-C. The console's task.
template <typename Layer> Result<Sample> run_ping_pong(Layer const& layer, CorePair cores, std::size_t trips) {
    using Run = PingPongRun<Layer>;
    auto const room = MXK_TRY(NodeArray<double>::create(trips, workers::of(cores.first).node()));
    typename Layer::Crew crew(layer, MXK_TRY(Layer::Crew::room(2)));
    Run run{.crew = crew, .there = layer.semaphore(0), .back = layer.semaphore(0), .samples = room.span().first(trips)};
    typename Run::First first{run};
    typename Run::Second second{run};
    MXK_TRY(crew.add(cores.first, first));
    MXK_TRY(crew.add(cores.second, second));
    auto const done = [](void const* it) { return std::size_t{static_cast<Run const*>(it)->done.value()}; };
    MXK_TRY(crew.run("ping-pong", Run::warm_up + trips, done, &run));
    return run.sample();
}

} // namespace mxk::bench

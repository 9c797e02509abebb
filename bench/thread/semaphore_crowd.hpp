// Many threads, one semaphore with one unit, until all together have passed so often: all wait for it when the first
// one posts it. Each looks whether it is alone inside.
#pragma once

#include <algorithm>
#include <atomic>

#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

template <typename Layer> struct CrowdRun {
    using Crew = typename Layer::Crew;

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
            bool const more = run.passed.value() < run.passes && !run.crew.wanted();
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
        std::uint64_t least = passes;
        std::uint64_t most = 0;
        for (User const& user : users) {
            sum += user.passes;
            least = std::min(least, user.passes);
            most = std::max(most, user.passes);
        }
        bool const one_unit = semaphore.try_wait() && !semaphore.try_wait();
        Sample result{.value = static_cast<double>(raw(end - start)) / static_cast<double>(passes),
                      .operations = passes,
                      .verified = !wrong.load(std::memory_order_relaxed) && one_unit && sum == passes &&
                                  passed.value() == passes};
        result.findings.add("fairness",
                            static_cast<double>(least) / static_cast<double>(std::max<std::uint64_t>(most, 1)));
        return result;
    }

    Crew& crew;
    typename Layer::Semaphore semaphore;
    std::uint64_t passes;               // of all together
    std::atomic<std::uint32_t> missing; // threads but the first one that have not come yet
    // Of who is inside:
    OwnerCounter passed{};
    std::atomic<std::uint32_t> inside{0};
    std::atomic<bool> wrong{false};
    // The first thread's, on its core:
    Cycles start{};
    Cycles end{};
};

// Cycles per pass (wait() and post()) of `threads` threads, which stand on both cores by turns; beside it how often the
// one has passed that did least, by the one that did most. Errors: no memory, no thread, Ctrl-C. The console's task.
template <typename Layer>
Result<Sample> run_crowd(Layer const& layer, CorePair cores, std::uint32_t threads, std::uint64_t passes) {
    using Run = CrowdRun<Layer>;
    auto users = MXK_TRY(NodeVector<typename Run::User>::create(threads, workers::of(cores.first).node()));
    typename Layer::Crew crew(layer, MXK_TRY(Layer::Crew::room(threads)));
    Run run{.crew = crew, .semaphore = layer.semaphore(0), .passes = passes, .missing = threads - 1};
    for (std::uint32_t i = 0; i < threads; ++i)
        MXK_TRY(crew.add(i % 2 == 0 ? cores.first : cores.second, users.emplace(run, i)));
    auto const done = [](void const* it) { return std::size_t{static_cast<Run const*>(it)->passed.value()}; };
    MXK_TRY(crew.run("crowd", passes, done, &run));
    return run.sample(users.span());
}

} // namespace mxk::bench

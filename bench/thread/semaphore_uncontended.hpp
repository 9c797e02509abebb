// One thread that takes and gives back the only unit of a semaphore that nobody else wants; and, in the same run and on
// the same core, two threads that yield to each other, since that is what it is compared with.
#pragma once

#include "bench/thread/thread_yield.hpp"

namespace mxk::bench {

template <typename Layer> struct UncontendedRun {
    using Crew = typename Layer::Crew;

    struct User {
        UncontendedRun& run;
        void operator()() const {
            pairs(warm_up);
            Cycles const start = clock::timestamp();
            for (std::uint64_t left = run.pairs; left > 0 && !run.crew.wanted();) {
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

    Crew& crew;
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
    typename Layer::Crew crew(layer, MXK_TRY(Layer::Crew::room(1)));
    Run run{.crew = crew, .semaphore = layer.semaphore(1), .pairs = pairs};
    typename Run::User user{run};
    MXK_TRY(crew.add(cores.first, user));
    auto const done = [](void const* it) { return std::size_t{static_cast<Run const*>(it)->done.value()}; };
    MXK_TRY(crew.run("uncontended", pairs, done, &run));
    Sample const yield = MXK_TRY(run_yield(layer, cores, yields));

    Sample sample{.value = static_cast<double>(raw(run.elapsed)) / static_cast<double>(pairs),
                  .operations = pairs,
                  .verified = run.done.value() == pairs && run.has_one_unit() && yield.verified};
    sample.findings.add("yield_pair", 2 * yield.value);
    if (yield.value > 0) sample.findings.add("of_yield_pair", sample.value / (2 * yield.value));
    return sample;
}

} // namespace mxk::bench

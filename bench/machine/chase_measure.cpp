#include "bench/machine/chase_measure.hpp"

#include <array>

#include "kernel/clock.hpp"

namespace mxk::bench {

Sample sample_of(ChaseRun const& run) {
    return {.value = run.median_cycles() * 1e9 / static_cast<double>(clock::frequency()),
            .operations = run.timed_loads(),
            .verified = run.verified()};
}

Result<Sample> measure_chase(CoreId core, ChaseRoom const& room, std::size_t loads, Progress const& progress) {
    std::array const cores{core};
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t) {
        link_places(room, chase_seed);
        return Step::Done;
    }));
    ChaseRun run(room, loads);
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t) {
        return run.advance() && !progress.interrupted() ? Step::Again : Step::Done;
    }));
    return sample_of(run);
}

} // namespace mxk::bench

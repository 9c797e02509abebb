// `bench memory`: what memory is like on this machine: the latency of each cache and of memory, latency and bandwidth
// between nodes, latency under load, loads that overlap. One table after the other; what each number is:
// docs/bench-machine.md.
#include "bench/frame/benchmark.hpp"
#include "bench/machine/bandwidth_matrix.hpp"
#include "bench/machine/latency_experiment.hpp"
#include "bench/machine/latency_matrix.hpp"
#include "bench/machine/loaded_experiment.hpp"
#include "bench/machine/memory_options.hpp"
#include "bench/machine/overlap_experiment.hpp"

namespace mxk::bench {
namespace {

// The memory of one is given back before the next one asks for its own.
template <typename E> console::Outcome run_experiment(console::Invocation& invocation, MemoryOptions const& options) {
    auto experiment = E::create(options);
    if (!experiment) return invocation.fail(experiment.error());
    return measure(invocation, "memory", experiment.value(), options);
}

console::Outcome run_memory(console::Invocation& invocation, MemoryOptions const& options) {
    struct Table {
        MemoryPart part;
        console::Outcome (*run)(console::Invocation&, MemoryOptions const&);
    };
    constexpr std::array tables{Table{MemoryPart::Latency, &run_experiment<LatencyExperiment>},
                                Table{MemoryPart::Matrix, &run_experiment<LatencyMatrixExperiment>},
                                Table{MemoryPart::Matrix, &run_experiment<BandwidthMatrixExperiment>},
                                Table{MemoryPart::Loaded, &run_experiment<LoadedExperiment>},
                                Table{MemoryPart::Overlap, &run_experiment<OverlapExperiment>}};
    for (Table const& table : tables) {
        if (!options.parts.empty() && !options.parts.has(table.part)) continue;
        if (auto const outcome = table.run(invocation, options); outcome != console::Outcome::Ok) return outcome;
    }
    return console::Outcome::Ok;
}

constexpr auto memory_benchmark = console::command<&run_memory, memory_schema>(
    {.name = "memory",
     .summary = "latency by working set, latency and bandwidth between nodes, latency under load, loads that overlap",
     .parent = "bench",
     .notes = "Example: bench memory --part latency --cores 0 --max 256Mi --json\n"});
MXK_REGISTER(mxk_commands, console::Command, memory_benchmark);

} // namespace
} // namespace mxk::bench

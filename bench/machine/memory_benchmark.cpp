// `bench memory`: what memory is like on this machine: the latency of each cache and of memory, latency and bandwidth
// between nodes, latency under load, loads that overlap, random lines, latency by bandwidth. One table after the other;
// what each number is: docs/bench-machine.md.
#include <array>

#include "bench/machine/measured_memory.hpp"
#include "bench/machine/memory_options.hpp"

namespace mxk::bench {

std::size_t set_of(MemoryOptions const& options) {
    return align_down(options.set.value_or(default_set_bytes()), cache_line_bytes);
}

namespace {

console::Outcome run_memory(console::Invocation& invocation, MemoryOptions const& options) {
    struct Table {
        MemoryPart part;
        console::Outcome (*run)(console::Invocation&, MemoryOptions const&);
    };
    constexpr std::array tables{Table{MemoryPart::Latency, &measure_latency},
                                Table{MemoryPart::Matrix, &measure_latency_matrix},
                                Table{MemoryPart::Matrix, &measure_bandwidth_matrix},
                                Table{MemoryPart::Loaded, &measure_loaded},
                                Table{MemoryPart::Overlap, &measure_overlap},
                                Table{MemoryPart::Random, &measure_random},
                                Table{MemoryPart::Curves, &measure_curves}};
    for (Table const& table : tables) {
        bool const is_chosen = options.parts.empty() ? table.part < MemoryPart::Random : options.parts.has(table.part);
        if (!is_chosen) continue;
        if (auto const outcome = table.run(invocation, options); outcome != console::Outcome::Ok) return outcome;
    }
    return console::Outcome::Ok;
}

constexpr auto memory_benchmark = console::command<&run_memory, memory_schema>(
    {.name = "memory",
     .summary = "latency by working set, latency and bandwidth between nodes, latency under load, loads that overlap, "
                "random lines, latency by bandwidth",
     .parent = "bench",
     .notes = "Example: bench memory --part latency --cores 0 --max 256Mi --json\n"});
MXK_REGISTER(mxk_commands, console::Command, memory_benchmark);

} // namespace
} // namespace mxk::bench

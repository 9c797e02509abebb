// What `bench memory` can be told, and its parts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bench/frame/benchmark.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/run_options.hpp"
#include "bench/machine/working_sets.hpp"
#include "kernel/console/options.hpp"

namespace mxk::bench {

enum class MemoryPart : std::uint8_t { Latency, Matrix, Loaded, Overlap, Random, Curves };

// As they are typed. Without any, all but the last two.
constexpr auto value_names(MemoryPart) {
    using Named = console::NamedValue<MemoryPart>;
    return std::array{Named{MemoryPart::Latency, "latency"}, Named{MemoryPart::Matrix, "matrix"},
                      Named{MemoryPart::Loaded, "loaded"},   Named{MemoryPart::Overlap, "overlap"},
                      Named{MemoryPart::Random, "random"},   Named{MemoryPart::Curves, "curves"}};
}

struct MemoryOptions : CoreSetOptions {
    constexpr MemoryOptions()
        : CoreSetOptions{{.repeat = 5}, {}} {}

    NameSet<MemoryPart> parts{};
    std::optional<std::uint32_t> node{};
    std::optional<std::uint64_t> max{};
    std::optional<std::uint64_t> set{};
    std::uint64_t loads = 1'000'000;
};

constexpr auto memory_schema = console::schema<MemoryOptions>(
    console::option<&MemoryOptions::parts>("part",
                                           "latency, matrix, loaded, overlap (none given: these four), random, curves"),
    console::option<&CoreSetOptions::cores>(
        "cores",
        "the core that waits for its loads (none given: 0); random: counts or sets (none given: 1, 2 ... all)"),
    console::option<&MemoryOptions::node>("node", "where the memory lies: not of matrix (none given: the core's)",
                                          console::between(0, 65535)),
    console::option<&MemoryOptions::max>(
        "max", "bytes, the largest working set: latency (none given: 1 GiB; where emulated 16 MiB)",
        console::between(WorkingSets::smallest, std::uint64_t{1} << 42)),
    console::option<&MemoryOptions::set>(
        "set", "bytes, the set of a core or of a node's cores: not of latency (none given: four times the caches)",
        console::between(WorkingSets::smallest, std::uint64_t{1} << 42)),
    console::option<&MemoryOptions::loads>("loads", "no fewer are timed in a run", console::between(1, 1'000'000'000)),
    run_option::all);

// What all but latency are measured with: as given, or a set beyond all caches (measured_memory.hpp).
std::size_t set_of(MemoryOptions const& options);

// The parts. Each gives its memory back before the next one asks for its own.
console::Outcome measure_latency(console::Invocation& invocation, MemoryOptions const& options);
console::Outcome measure_latency_matrix(console::Invocation& invocation, MemoryOptions const& options);
console::Outcome measure_bandwidth_matrix(console::Invocation& invocation, MemoryOptions const& options);
console::Outcome measure_loaded(console::Invocation& invocation, MemoryOptions const& options);
console::Outcome measure_overlap(console::Invocation& invocation, MemoryOptions const& options);
console::Outcome measure_curves(console::Invocation& invocation, MemoryOptions const& options);
console::Outcome measure_random(console::Invocation& invocation, MemoryOptions const& options);

template <typename E, typename... What>
console::Outcome measure_part(console::Invocation& invocation, MemoryOptions const& options, What... what) {
    E experiment(options, what...);
    if (auto const is_set_up = experiment.set_up(); !is_set_up) return invocation.fail(is_set_up.error());
    return measure(invocation, "memory", experiment, options);
}

} // namespace mxk::bench

// What benchmarks can be told about their runs: all of them, those of costs on one core or two, and those on many
// cores.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/options.hpp"
#include "kernel/topology/core_set.hpp"

namespace mxk::bench {

// How often each configuration is run.
struct Repeat {
    static constexpr std::uint32_t max_count = 1000;
    static constexpr std::uint32_t max_auto = 100;

    std::uint32_t count = 1;
    bool is_auto = false;      // until it is known well enough (benchmark.hpp), up to `count` times
    std::uint32_t seconds = 0; // of is_auto: for all configurations together; 0: no limit but that of each

    constexpr Repeat(std::uint32_t its_count = 1) // NOLINT(google-explicit-constructor): .repeat = 5
        : count(its_count) {}
    static constexpr Repeat automatic(std::uint32_t seconds = 0) {
        Repeat repeat(max_auto);
        repeat.is_auto = true;
        repeat.seconds = seconds;
        return repeat;
    }
    bool operator==(Repeat const&) const = default;

    // "5", "up to 100".
    [[nodiscard]] FixedText<16> text() const;
};

// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, Repeat& repeat);
void print_value(TextSink& out, Repeat const& repeat);
void describe_value(TextSink& out, Repeat const& repeat);

struct RunOptions {
    Repeat repeat{};
    std::uint32_t warm_up = 0;
    bool json = false;
    bool counters = false;
};

namespace run_option {
constexpr auto repeat = console::option<&RunOptions::repeat>(
    "repeat",
    "runs per row; the median is reported; auto: until quiet ones are within 5 %, for 60 s; auto:SECONDS for all rows");
constexpr auto warm_up = console::option<&RunOptions::warm_up>(
    "warm-up", "runs of each configuration before those that count", console::between(0, 1000));
constexpr auto json = console::flag<&RunOptions::json>("json", "one JSON line per row at the end, for tools");
constexpr auto counters = console::flag<&RunOptions::counters>(
    "counters", "cycles, instructions, misses and more per operation, as far as the machine counts them");
constexpr auto all = console::together(repeat, warm_up, counters, json);
} // namespace run_option

// What every benchmark of costs can be told (cost_experiment.hpp), and its peers.
struct CostOptions : RunOptions {
    constexpr CostOptions()
        : RunOptions{.repeat = 5} {}

    console::CountList cores{}; // empty: core 0 and its neighbours
};

namespace cost_option {
constexpr auto cores = console::option<&CostOptions::cores>(
    "cores", "the core measured and the other one (none given: 0 and the next)", console::between(0, 65535));
} // namespace cost_option

// What every benchmark can be told that runs on many cores.
struct CoreSetOptions : RunOptions {
    topology::CoreSets cores; // empty: the first 1, 2, 4 ... cores, and all
};

namespace core_set_option {
constexpr auto cores = console::option<&CoreSetOptions::cores>(
    "cores", "counts, or sets such as 0-7, node:1, spread:8 (none given: 1, 2, 4 ... all)");
} // namespace core_set_option

} // namespace mxk::bench

// What benchmarks can be told about their runs: all of them, those of costs on one core or two, and those on many
// cores.
#pragma once

#include <cstdint>

#include "kernel/console/options.hpp"
#include "kernel/topology/core_set.hpp"

namespace mxk::bench {

struct RunOptions {
    std::uint32_t repeat = 1;
    std::uint32_t warm_up = 0;
    bool json = false;
};

namespace run_option {
constexpr auto repeat =
    console::option<&RunOptions::repeat>("repeat", "runs per row; the median is reported", console::between(1, 1000));
constexpr auto warm_up = console::option<&RunOptions::warm_up>(
    "warm-up", "runs of each configuration before those that count", console::between(0, 1000));
constexpr auto json = console::flag<&RunOptions::json>("json", "one JSON line per row at the end, for tools");
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

// What every benchmark of costs can be told (cost_experiment.hpp), and its peers.
#pragma once

#include "bench/frame/run_options.hpp"

namespace mxk::bench {

struct CostOptions : RunOptions {
    constexpr CostOptions()
        : RunOptions{.repeat = 5} {}

    console::CountList cores{}; // empty: core 0 and its neighbours
};

namespace cost_option {
constexpr auto cores = console::option<&CostOptions::cores>(
    "cores", "the core measured and the other one (none given: 0 and the next)", console::between(0, 65535));
} // namespace cost_option

} // namespace mxk::bench

// What every benchmark of costs can be told (cost_benchmark.hpp), and its peers.
#pragma once

#include <cstdint>

#include "kernel/console/options.hpp"

namespace mxk::bench {

struct CostOptions {
    console::CountList cores{}; // empty: core 0 and its neighbours
    std::uint32_t repeat = 5;
    bool json = false;
};

namespace cost_option {
constexpr auto cores = console::option<&CostOptions::cores>(
    "cores", "the core measured and the other one (none given: 0 and the next)", console::between(0, 65535));
constexpr auto repeat =
    console::option<&CostOptions::repeat>("repeat", "runs per row; the median is reported", console::between(1, 1000));
constexpr auto json = console::flag<&CostOptions::json>("json", "one JSON line per row at the end, for tools");
} // namespace cost_option

} // namespace mxk::bench

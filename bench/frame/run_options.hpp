// What every benchmark can be told about its runs.
#pragma once

#include <cstdint>

#include "kernel/console/options.hpp"

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

} // namespace mxk::bench

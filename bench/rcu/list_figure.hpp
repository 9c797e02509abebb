// `bench list --figure`: the one figure of A. Hraska, "Read-Copy-Update for HelenOS" (2013): how often threads, one on
// each core, walk a list of five items that does not change, under what protects a reader (figure_kinds()).
#pragma once

#include <cstdint>

#include "bench/frame/run_options.hpp"
#include "kernel/console/command.hpp"

namespace mxk::bench {

inline constexpr std::uint32_t max_figure_runs = 20; // of a row

struct ListFigureOptions : CoreSetOptions {
    std::uint32_t milliseconds;
    std::uint32_t max_runs; // up to max_figure_runs; a row ends earlier when it knows its mean to 1 %
};

console::Outcome run_list_figure(console::Invocation& invocation, ListFigureOptions const& options);

} // namespace mxk::bench

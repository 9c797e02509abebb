// An experiment that `bench NAME` runs. It is a constant that registers itself where it is defined, one file per
// experiment:
//
//     constexpr bench::Benchmark table_benchmark{.name = "table", .summary = "throughput of a hash table", ...};
//     MXK_REGISTER(mxk_benchmarks, bench::Benchmark, table_benchmark);
//
// It runs on the console's core, to its end, and may wait for other cores.
#pragma once

#include <span>
#include <string_view>

#include "base/registry.hpp"
#include "base/text.hpp"
#include "kernel/console/command.hpp"

namespace mxk::bench {

struct Benchmark {
    std::string_view name;
    std::string_view summary; // one line, what it measures
    // The arguments are those behind NAME.
    console::Outcome (*run)(console::Invocation& invocation);
    // What `help bench NAME` prints below the summary: print_help() of its schema, and an example.
    void (*help)(TextSink& out);
    // Offers what may follow the finished words `before` (without NAME): complete_options() of its schema.
    void (*complete)(std::span<std::string_view const> before, console::Candidates& candidates);
};

MXK_REGISTRY(mxk_benchmarks, Benchmark, registered_benchmarks)

} // namespace mxk::bench

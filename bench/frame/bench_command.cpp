// `bench`: the benchmarks are the commands below it, each registered where it is defined.
#include "kernel/console/command.hpp"

namespace mxk::bench {
namespace {

constexpr console::Command bench_command{.name = "bench",
                                         .summary = "measure: 'bench' lists the benchmarks, 'bench NAME' runs one",
                                         .group = "measuring",
                                         .nested = "benchmark"};
MXK_REGISTER(mxk_commands, console::Command, bench_command);

} // namespace
} // namespace mxk::bench

// `bench lock`: the benchmarks of A. Uffmann's thesis on locks (LMU 2022), each a benchmark below it.
#include "kernel/console/command.hpp"

namespace mxk::bench {
namespace {

constexpr console::Command lock_group{.name = "lock",
                                      .summary = "locks alone and under contention: 'bench lock' lists what there is",
                                      .parent = "bench",
                                      .nested = "benchmark"};
MXK_REGISTER(mxk_commands, console::Command, lock_group);

} // namespace
} // namespace mxk::bench

// `bench adaptive`: the experiments of V. Uhlig's "Scalability of Microkernel-Based Systems" (2005), each a benchmark
// below it.
#include "kernel/console/command.hpp"

namespace mxk::bench {
namespace {

constexpr console::Command adaptive_group{.name = "adaptive",
                                          .summary =
                                              "locks that adapt, and coherence of TLBs: 'bench adaptive' lists what "
                                              "there is",
                                          .parent = "bench",
                                          .nested = "benchmark"};
MXK_REGISTER(mxk_commands, console::Command, adaptive_group);

} // namespace
} // namespace mxk::bench

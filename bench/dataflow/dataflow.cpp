// `bench dataflow`: the scheduler of requests and the graphs of boxes (tasks/dataflow/), each benchmark a command below
// it.
#include "kernel/console/command.hpp"

namespace mxk::bench {
namespace {

constexpr console::Command dataflow_group{.name = "dataflow",
                                          .summary =
                                              "requests of dataflow graphs: 'bench dataflow' lists what there is",
                                          .parent = "bench",
                                          .nested = "benchmark"};
MXK_REGISTER(mxk_commands, console::Command, dataflow_group);

} // namespace
} // namespace mxk::bench

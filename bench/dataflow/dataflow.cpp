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

// It answers for one release.
console::Outcome answer_smt(console::Invocation& invocation) {
    return invocation.fail(Error(
        "bench dataflow smt is a test now: 'test dataflow.siblings_work_only_when_every_physical_core_does'; for what "
        "two threads of a physical core do: 'bench dataflow pipe --cores physical:2,siblings:2'"));
}
constexpr console::Command smt{.name = "smt",
                               .summary = "is a test: dataflow.siblings_work_only_when_every_physical_core_does",
                               .parent = "bench dataflow",
                               .run = &answer_smt};
MXK_REGISTER(mxk_commands, console::Command, smt);

} // namespace
} // namespace mxk::bench

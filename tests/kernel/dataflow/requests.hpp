// Requests for tests of schedulers: waiting for them from the console's task, and schedulers on all cores.
#pragma once

#include <array>

#include "bench/dataflow/waited.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/testing.hpp"
#include "tasks/dataflow/scheduler.hpp"
#include "tasks/workers.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk::dataflow_tests {

using dataflow::Binding;
using dataflow::CoreScheduler;
using dataflow::Discipline;
using dataflow::Outcome;
using dataflow::Request;
using dataflow::ReschedulableTask;
using dataflow::Scheduler;
using dataflow::SchedulerOptions;

inline constexpr std::array all_disciplines{Discipline::Requests, Discipline::TwoFifos, Discipline::OneFifo,
                                            Discipline::OneLifo,  Discipline::Original, Discipline::CoreFifo};

struct OneEnd {
    bench::Ends end{1};
};
// What a request of a test derives from: the console's task waits until it has ended.
struct WaitedRequest : private OneEnd, bench::WaitedRequest {
    explicit WaitedRequest(Begin begin)
        : bench::WaitedRequest(begin, end) {}

    // The console's task, after submit().
    void wait() {
        Worker::current().run_until([this] { return end.are_there(); });
    }
};

} // namespace mxk::dataflow_tests

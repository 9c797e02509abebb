// Requests for tests of schedulers: waiting for them from the console's task, and schedulers on all cores.
#pragma once

#include <array>

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

// What a request of a test derives from: once it has ended nobody may look at it. Who does so finds a place that is
// none.
struct GuardedRequest : Request {
    explicit GuardedRequest(Begin begin)
        : Request(begin, [](CoreScheduler&, Request& request) {
            request.set_place(reinterpret_cast<dataflow::RequestPlace*>(std::uintptr_t{8}));
        }) {}
};

} // namespace mxk::dataflow_tests

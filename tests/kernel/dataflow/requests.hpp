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

// What a request of a test derives from: the console's task waits until it has ended.
struct WaitedRequest : Request {
    explicit WaitedRequest(Begin begin)
        : Request(begin, &WaitedRequest::note_end) {}

    // The console's task, after submit().
    void wait() {
        Worker::current().run_until([this] { return end_.are_there(); });
    }

  private:
    // From now on nobody may look at it: who does so finds a place that is none.
    static void note_end(CoreScheduler& here, Request& request) {
        request.set_place(reinterpret_cast<dataflow::RequestPlace*>(std::uintptr_t{8}));
        static_cast<WaitedRequest&>(request).end_.note(here.core());
    }
    bench::Ends end_{1};
};

} // namespace mxk::dataflow_tests

// Requests for tests of schedulers: waiting for them from the console's task, and schedulers on all cores.
#pragma once

#include <array>
#include <atomic>

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
        Worker::current().run_until([this] { return has_ended_.load(std::memory_order_acquire); });
    }

  private:
    static void note_end(CoreScheduler& here, Request& request) {
        auto& self = static_cast<WaitedRequest&>(request);
        CoreId const waiter = self.waiter_;
        self.has_ended_.store(true, std::memory_order_release); // the request may be gone now
        if (here.core() != waiter) arch::wake(waiter);
    }

    CoreId waiter_ = Worker::current().core();
    std::atomic<bool> has_ended_{false};
};

} // namespace mxk::dataflow_tests

// Requests that the console's task makes, submits and waits for, and cancels where the command is cancelled.
#pragma once

#include <cstddef>

#include "bench/frame/progress.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/dataflow/graph/query.hpp"
#include "tasks/dataflow/scheduler.hpp"
#include "tasks/ticker.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// The console's task; its core goes on working, or sleeps, until the time has come.
inline void work_until(Cycles due) {
    Worker& here = Worker::current();
    Timer alarm([](Worker& /*worker*/, Timer& /*timer*/) {}); // it is the interrupt that counts
    here.timers().set(alarm, due);
    here.run_until([&] { return clock::timestamp() >= due; });
    here.timers().cancel(alarm);
}

// So many, each made of `arguments`, on the console's node. Errors: no memory.
template <typename Made, typename... Arguments>
Result<NodeVector<Made>> make_requests(std::size_t count, Arguments&... arguments) {
    auto made = MXK_TRY(NodeVector<Made>::create(count, Worker::current().node()));
    for (std::size_t i = 0; i < count; ++i) made.emplace(arguments...);
    return made;
}

// Whether is_right() is true of each of these queries, which have ended. Errors: what one of them ended with.
template <typename Queries, typename IsRight> Result<bool> are_all_right(Queries const& queries, IsRight is_right) {
    bool are_right = true;
    for (auto const& query : queries) {
        MXK_TRY(query.result());
        are_right = are_right && is_right(query);
    }
    return are_right;
}

// Until all of these have ended, which are submitted, or will be. Its core works meanwhile, or sleeps, and calls look()
// after each task. Errors: cancelled. The console's task.
template <typename Requests, typename Look>
Result<void> wait_for_all(Requests& requests, Progress const& progress, Look look) {
    bool is_cancelled = false;
    for (dataflow::Request& request : requests) {
        request.wait([&] {
            look();
            if (is_cancelled || !progress.interrupted()) return;
            is_cancelled = true;
            for (auto& each : requests) each.cancel();
        });
    }
    return progress.check();
}
template <typename Requests> Result<void> wait_for_all(Requests& requests, Progress const& progress) {
    return wait_for_all(requests, progress, [] {});
}

// All of these, submitted at once. Errors: cancelled. The console's task.
template <typename Requests>
Result<void> run_all(dataflow::Scheduler& scheduler, Requests& requests, Progress const& progress) {
    for (auto& request : requests) scheduler.submit(request);
    return wait_for_all(requests, progress);
}

// As wait_for_all(), but look() is called now and then, and at the end.
template <typename Requests, typename Look>
Result<void> wait_and_look(Requests& requests, Progress const& progress, Nanoseconds every, Look look) {
    Ticker const ticker(
        every, [](void*) {}, nullptr); // ends a sleep
    Cycles due = clock::timestamp() + clock::to_cycles(every);
    auto const result = wait_for_all(requests, progress, [&] {
        if (clock::timestamp() < due) return;
        look();
        due = clock::timestamp() + clock::to_cycles(every);
    });
    look();
    return result;
}

} // namespace mxk::bench

// Requests that the console's task waits for, and cancels where the command is cancelled.
#pragma once

#include <atomic>
#include <cstddef>

#include "arch/attention.hpp"
#include "bench/frame/progress.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/dataflow/graph/query.hpp"
#include "tasks/dataflow/scheduler.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// The console's task; its core goes on working, or sleeps, until the time has come or `done()`, which is asked after
// each task.
template <typename Done> void work_until(Cycles due, Done done) {
    Worker& here = Worker::current();
    Timer alarm([](Worker& /*worker*/, Timer& /*timer*/) {}); // it is the interrupt that counts
    here.timers().set(alarm, due);
    here.run_until([&] { return done() || clock::timestamp() >= due; });
    here.timers().cancel(alarm);
}

// A number of ends that the console's task waits for; it makes it.
class Ends {
  public:
    explicit Ends(std::size_t expected)
        : missing_(expected) {}

    // Any core, last of all that it does with the request: what is waited for may be gone afterwards.
    void note(CoreId here) {
        CoreId const waiter = waiter_;
        // release: pairs with the acquire in are_there()
        if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1 && here != waiter) arch::wake(waiter);
    }
    [[nodiscard]] bool are_there() const { return missing_.load(std::memory_order_acquire) == 0; }
    [[nodiscard]] std::size_t missing() const { return missing_.load(std::memory_order_relaxed); }

    // Its core goes on working meanwhile. `cancel()` is called once the command is cancelled: it makes the ends come
    // soon. Errors: cancelled.
    template <typename Cancel> Result<void> wait(Progress const& progress, Cancel cancel) {
        bool is_cancelled = false;
        Worker::current().run_until([&] {
            if (!is_cancelled && progress.interrupted()) {
                is_cancelled = true;
                cancel();
            }
            return are_there();
        });
        return progress.check();
    }

  private:
    CoreId waiter_ = Worker::current().core();
    std::atomic<std::size_t> missing_;
};

// A request of tasks.
struct WaitedRequest : dataflow::Request {
    WaitedRequest(Begin begin, Ends& its_ends)
        : Request(begin, &WaitedRequest::note_end)
        , ends(its_ends) {}
    Ends& ends;

  private:
    static void note_end(dataflow::CoreScheduler& here, dataflow::Request& request) {
        static_cast<WaitedRequest&>(request).ends.note(here.core());
    }
};

// A request that is a graph.
struct WaitedQuery : dataflow::Query {
    WaitedQuery(dataflow::Model const& model, Ends& its_ends)
        : Query(model, &WaitedQuery::note_end)
        , ends(its_ends) {}
    Ends& ends;
    // Called when it has ended, before that is noted: the next request of a stream (request_stream.hpp).
    void (*before_end)(dataflow::CoreScheduler& here, WaitedQuery& query, void* context) = nullptr;
    void* context = nullptr;

  private:
    static void note_end(dataflow::CoreScheduler& here, dataflow::Query& query) {
        auto& self = static_cast<WaitedQuery&>(query);
        if (self.before_end != nullptr) self.before_end(here, self, self.context);
        self.ends.note(here.core());
    }
};

// So many, each made of `arguments` and the ends, on the console's node. Errors: no memory.
template <typename Made, typename... Arguments>
Result<NodeVector<Made>> make_requests(std::size_t count, Ends& ends, Arguments&... arguments) {
    auto made = MXK_TRY(NodeVector<Made>::create(count, Worker::current().node()));
    for (std::size_t i = 0; i < count; ++i) made.emplace(arguments..., ends);
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

// The ends of all of these, which are submitted, or will be. Errors: cancelled. The console's task.
template <typename Requests> Result<void> wait_for_all(Requests& requests, Ends& ends, Progress const& progress) {
    return ends.wait(progress, [&] {
        for (auto& request : requests) request.cancel();
    });
}

// All of these, submitted at once. Errors: cancelled. The console's task.
template <typename Requests>
Result<void> run_all(dataflow::Scheduler& scheduler, Requests& requests, Ends& ends, Progress const& progress) {
    for (auto& request : requests) scheduler.submit(request);
    return wait_for_all(requests, ends, progress);
}

// Waits for the ends of requests that were submitted; look() is called now and then, and at the end. Its core works
// meanwhile, or sleeps. Errors: cancelled. The console's task.
template <typename Requests, typename Look>
Result<void> wait_and_look(Ends& ends, Requests& requests, Progress const& progress, Nanoseconds every, Look look) {
    bool is_cancelled = false;
    while (!ends.are_there()) {
        work_until(clock::timestamp() + clock::to_cycles(every), [&] { return ends.are_there(); });
        look();
        if (is_cancelled || !progress.interrupted()) continue;
        is_cancelled = true;
        for (auto& request : requests) request.cancel();
    }
    return progress.check();
}

} // namespace mxk::bench

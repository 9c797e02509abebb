// What the runtimes of others have in common as layers of the experiments of `bench task` (bench/task/own_tasks.hpp).
// Each has a Task of its own, threads of its own on the cores' processors, and no Ctrl-C: the console's thread waits
// until a run is over.
#pragma once

#include <latch>
#include <optional>

#include "bench/task/task_measures.hpp"
#include "kernel/clock.hpp"
#include "peers/cost_peer.hpp"
#include "peers/pinned_thread.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

// A layer's Ending.
class LatchEnding {
  public:
    template <typename Worker> void send(Worker&) { sent_.count_down(); }
    [[nodiscard]] static constexpr bool wanted() { return false; }
    void await() const { sent_.wait(); }

  private:
    std::latch sent_{1};
};

// A layer's SleepWatch, by what the system says of the second worker's thread. The layer has sleeper(): that thread's
// number; and woke(sender): whether its last sending had to wake a thread, where counts_rings.
template <typename Layer> class SystemSleepWatch {
  public:
    explicit SystemSleepWatch(Layer const& layer)
        : layer_(layer) {}

    void restart() { sleep_.reset(); }
    // Also true when the other has not come to rest for a second: then that sending does not count.
    bool settled() {
        if (!sleep_) {
            sleep_.emplace(layer_.sleeper());
            give_up_ = clock::timestamp() + clock::to_cycles(patience);
        }
        asleep_ = sleep_->settled();
        return asleep_ || clock::timestamp() >= give_up_;
    }
    void before_sending(typename Layer::Worker const& sender) {
        if constexpr (Layer::counts_rings) rings_before_ = Layer::rings(sender);
    }
    [[nodiscard]] bool woke(typename Layer::Worker const& sender) const {
        if constexpr (Layer::counts_rings) return asleep_ && Layer::rings(sender) != rings_before_;
        return asleep_;
    }

  private:
    static constexpr Nanoseconds patience{1'000'000'000};

    Layer const& layer_;
    std::optional<ThreadSleep> sleep_;
    Cycles give_up_{};
    bool asleep_ = false;
    std::uint64_t rings_before_ = 0;
};

// A task of a worker that is told what to call.
template <typename ItsWorker> struct alignas(cache_line_bytes) PlainTask {
    using Body = void (*)(ItsWorker& worker, PlainTask& task);

    explicit PlainTask(Body first_body)
        : body(first_body) {}

    Body body;
};

// A layer's two workers, or the one; each has a Task and post(task), which any thread may call.
template <typename ItsWorker> class TwoWorkers {
  public:
    using Task = typename ItsWorker::Task;
    using Worker = ItsWorker;
    using Place = ItsWorker*;
    using Ending = LatchEnding;

    explicit TwoWorkers(CorePair cores)
        : node_(workers::of(cores.first).node())
        , first_(cores.first) {
        if (cores.second != cores.first) second_.emplace(cores.second);
    }

    // Nobody but the workers' threads uses them through these.
    [[nodiscard]] Place first() const { return &first_; }
    [[nodiscard]] Place second() const { return second_ ? &*second_ : &first_; }
    [[nodiscard]] NodeId node() const { return node_; }
    static Ending ending() { return {}; }

    Result<void> run(Task& begin, Ending& ending, Shown const&) {
        first_.post(begin);
        ending.await();
        return {};
    }
    static bool held() { return true; } // each task sees for itself
    static bool runs_at(Worker const& worker, Worker const* place) { return &worker == place; }

  private:
    NodeId node_;
    mutable Worker first_;
    mutable std::optional<Worker> second_;
};

// A peer's `run`: all of its measures by the experiments over this layer.
template <typename Layer> Result<Sample> run_in(Measure measure, CorePair cores, TaskOptions const& options) {
    Layer layer(cores);
    return run_measure(layer, measure, options);
}

} // namespace mxk::bench

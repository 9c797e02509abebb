// Wake-ups. The first core waits until the second one has gone to sleep and some time more, in which that really halts;
// sends it a task; and spins until it sees that the task has run. So the time is that of the sending, the wake-up, the
// turn of the woken worker, and one cache line's way back. Only sendings that had to wake the other count.
#pragma once

#include "base/spin_wait.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/task/own_tasks.hpp"
#include "bench/task/task_options.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/owner_counter.hpp"

namespace mxk::bench {

// What is sent.
template <typename Layer> class WakingTask : public Layer::Task {
    using Worker = typename Layer::Worker;
    using Task = typename Layer::Task;

  public:
    explicit WakingTask(typename Layer::Place expected)
        : Task(&WakingTask::work)
        , expected_(expected) {}

    // The sender's.
    [[nodiscard]] bool has_run() const { return has_run_.load(std::memory_order_acquire); }
    void reset() { has_run_.store(false, std::memory_order_relaxed); } // published by the next sending
    [[nodiscard]] bool verified(std::uint64_t sendings) const { return wrong_ == 0 && runs_ == sendings; }

  private:
    static void work(Worker& worker, Task& task) {
        auto& self = static_cast<WakingTask&>(task);
        if (!Layer::runs_at(worker, self.expected_)) ++self.wrong_;
        ++self.runs_;
        self.has_run_.store(true, std::memory_order_release); // pairs with has_run()
    }

    typename Layer::Place expected_;
    std::uint32_t wrong_ = 0;
    std::uint64_t runs_ = 0;
    // On a line of its own, lest the sender's spinning takes away what the receiver needs for running the task.
    alignas(cache_line_bytes) std::atomic<bool> has_run_{false};
};

// The task on the first core: looks whether the other sleeps, once per turn, so that its core's safe point comes by.
template <typename Layer> class Waker : public Layer::Task {
    using Worker = typename Layer::Worker;
    using Task = typename Layer::Task;

  public:
    Waker(Layer const& layer, std::span<double> wanted)
        : Task(&Waker::begin)
        , ending(layer.ending())
        , second_(layer.second())
        , samples_(wanted)
        , watch_(layer)
        , letter_(layer.second()) {}

    [[nodiscard]] std::size_t count() const { return count_.value(); }
    [[nodiscard]] std::uint64_t left_out() const { return sendings_ - count(); }
    [[nodiscard]] bool verified() const { return letter_.verified(sendings_ + 1); }

    typename Layer::Ending ending;

  private:
    // Nobody knows whether and since when the other sleeps: after the first sending that is known.
    static void begin(Worker& worker, Task& task) {
        auto& self = static_cast<Waker&>(task);
        self.send(worker);
        task.body = &Waker::wait_for_sleep;
        worker.append(task);
    }

    static void wait_for_sleep(Worker& worker, Task& task) {
        auto& self = static_cast<Waker&>(task);
        if (self.ending.wanted()) return self.ending.send(worker);
        if (!self.watch_.settled()) {
            self.wait_.turn();
            return worker.append(task);
        }
        self.measure(worker);
        self.wait_ = {};
        bool const last = self.count() == self.samples_.size() || self.sendings_ == 2 * self.samples_.size();
        if (last)
            self.ending.send(worker);
        else
            worker.append(task);
    }

    void measure(Worker& worker) {
        watch_.before_sending(worker);
        Cycles const elapsed = send(worker);
        ++sendings_;
        if (!watch_.woke(worker)) return; // it was awake again
        samples_[count()] = static_cast<double>(raw(elapsed));
        count_.add(1);
    }

    Cycles send(Worker& worker) {
        letter_.reset();
        watch_.restart();
        Cycles const start = clock::timestamp();
        worker.append(letter_, second_);
        worker.flush(); // this body waits
        for (SpinWait wait; !letter_.has_run();) wait.turn();
        return clock::timestamp() - start;
    }

    typename Layer::Place second_;
    std::span<double> samples_;
    OwnerCounter count_; // of the samples so far
    std::uint64_t sendings_ = 0;
    SpinWait wait_;
    typename Layer::SleepWatch watch_;
    WakingTask<Layer> letter_;
};

// A task is sent to the second core while that is asleep, and runs there. Cycles from before the sending until the
// first core sees that it has run. Errors: no memory, those of Layer::run(), and that no sending found the other
// asleep. The console's task; blocks it until the run is over.
template <typename Layer> Result<Sample> run_wake(Layer& layer, TaskOptions const& options) {
    auto const room = MXK_TRY(NodeArray<double>::create(options.wakes, layer.node()));
    auto const samples = room.span().first(options.wakes);
    Waker<Layer> waker(layer, samples);
    auto const done = [](void const* it) { return static_cast<Waker<Layer> const*>(it)->count(); };
    MXK_TRY(layer.run(waker, waker.ending, {"wake", options.wakes, done, &waker}));

    auto const woken = samples.first(waker.count());
    if (woken.empty()) return Error::of("the other core was awake again at each of {} sendings", waker.left_out());
    return Sample{.value = percentile(woken, 50),
                  .p99 = percentile(woken, 99),
                  .operations = woken.size(),
                  .left_out = waker.left_out(),
                  .verified = waker.verified() && layer.held()};
}

} // namespace mxk::bench

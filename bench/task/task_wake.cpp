// Wake-ups. The first core waits until the second one has begun to sleep and some time more, in which that really
// halts; sends it a task; and spins until it sees that the task has run. So the time is that of the sending, the
// wake-up, the turn of the woken worker, and one cache line's way back. Only sendings that had to ring count.
#include "base/spin_wait.hpp"
#include "bench/task/task_experiment.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// From the announcement of a sleep to the sending: the halt itself, after it, cannot be seen from another core.
constexpr Nanoseconds settling_time{20'000};

// What is sent.
class WakingTask : public Task {
  public:
    explicit WakingTask(CoreId expected_core)
        : Task(&WakingTask::work)
        , expected_(expected_core) {}

    // The sender's.
    [[nodiscard]] bool has_run() const { return has_run_.load(std::memory_order_acquire); }
    void reset() { has_run_.store(false, std::memory_order_relaxed); } // published by the next sending
    [[nodiscard]] bool verified(std::uint64_t sendings) const { return wrong_ == 0 && runs_ == sendings; }

  private:
    static void work(Worker& worker, Task& task) {
        auto& self = static_cast<WakingTask&>(task);
        if (worker.core() != self.expected_) ++self.wrong_;
        ++self.runs_;
        self.has_run_.store(true, std::memory_order_release); // pairs with has_run()
    }

    CoreId expected_;
    std::uint32_t wrong_ = 0;
    std::uint64_t runs_ = 0;
    // On a line of its own, lest the sender's spinning takes away what the receiver needs for running the task.
    alignas(cache_line_bytes) std::atomic<bool> has_run_{false};
};

// The task on the first core: looks whether the other sleeps, once per turn, so that its core's safe point comes by.
class Waker : public Task {
  public:
    Waker(CorePair cores, std::span<double> wanted, CoreId console_core)
        : Task(&Waker::begin)
        , ending(console_core)
        , cores_(cores)
        , samples_(wanted)
        , letter_(cores.second) {}

    [[nodiscard]] std::size_t count() const { return count_.value(); }
    [[nodiscard]] std::uint64_t left_out() const { return sendings_ - count(); }
    [[nodiscard]] bool verified() const { return letter_.verified(sendings_ + 1); }

    Ending ending;

  private:
    // Awake or asleep for who knows how long: the first sending is there to know.
    static void begin(Worker& worker, Task& task) {
        auto& self = static_cast<Waker&>(task);
        self.send(worker);
        task.body = &Waker::wait_for_sleep;
        worker.append(task);
    }

    static void wait_for_sleep(Worker& worker, Task& task) {
        auto& self = static_cast<Waker&>(task);
        if (self.ending.wanted()) return self.ending.send(worker);
        if (self.sleeps() == self.sleeps_before_) {
            self.wait_.turn();
            return worker.append(task);
        }
        self.settled_ = clock::timestamp() + clock::to_cycles(settling_time);
        task.body = &Waker::settle;
        worker.append(task);
    }

    static void settle(Worker& worker, Task& task) {
        auto& self = static_cast<Waker&>(task);
        if (clock::timestamp() < self.settled_) {
            self.wait_.turn();
            return worker.append(task);
        }
        self.measure(worker);
        self.wait_ = {};
        task.body = &Waker::wait_for_sleep;
        bool const last = self.count() == self.samples_.size() || self.sendings_ == 2 * self.samples_.size();
        if (last)
            self.ending.send(worker);
        else
            worker.append(task);
    }

    void measure(Worker& worker) {
        std::uint64_t const rings = worker.statistics().wakes.value();
        Cycles const elapsed = send(worker);
        ++sendings_;
        if (worker.statistics().wakes.value() == rings) return; // it was awake again
        samples_[count()] = static_cast<double>(raw(elapsed));
        count_.add(1);
    }

    Cycles send(Worker& worker) {
        letter_.reset();
        sleeps_before_ = sleeps(); // before it is woken: whatever is more later is a sleep after the letter
        Cycles const start = clock::timestamp();
        worker.append(letter_, cores_.second);
        worker.flush(); // this body waits
        for (SpinWait wait; !letter_.has_run();) wait.turn();
        return clock::timestamp() - start;
    }

    [[nodiscard]] std::uint64_t sleeps() const { return workers::of(cores_.second).statistics().sleeps.value(); }

    CorePair cores_;
    std::span<double> samples_;
    OwnerCounter count_; // of the samples so far
    std::uint64_t sendings_ = 0;
    std::uint64_t sleeps_before_ = 0;
    Cycles settled_{};
    SpinWait wait_;
    WakingTask letter_;
};

std::size_t wakes_done(void const* waker) {
    return static_cast<Waker const*>(waker)->count();
}

} // namespace

Result<Sample> run_wake(CorePair cores, TaskOptions const& options, Progress& progress) {
    Worker& here = Worker::current();
    auto const room = MXK_TRY(NodeArray<double>::create(options.wakes, workers::of(cores.first).node()));
    auto const samples = room.span().first(options.wakes);
    Waker waker(cores, samples, here.core());
    progress.phase("wake", options.wakes, &wakes_done, &waker);
    here.append(waker, cores.first);
    MXK_TRY(waker.ending.await(progress));

    auto const woken = samples.first(waker.count());
    if (woken.empty()) return Error::of("core {} was awake again at each of {} sendings", cores.second, options.wakes);
    return Sample{.value = percentile(woken, 50),
                  .p99 = percentile(woken, 99),
                  .operations = woken.size(),
                  .left_out = waker.left_out(),
                  .verified = waker.verified()};
}

} // namespace mxk::bench

// MXK's tasks as the experiments of `bench task` use them. What is measured is a Layer, so that the very same
// experiments measure the runtimes of others (peers/task_layer.hpp). A Layer is made for two cores, or for one
// twice, and has
//
//     Task        constructed from its first Body, void (*)(Worker&, Task&); `body` is what runs next
//     Worker      runs the tasks of one core: append(task) to its own queue, append(task, place) to that of another,
//                 flush(), and when_idle(task)
//     Place       names a worker; first() and second() are those of the two cores
//     Ending      send(worker): the experiment is over; wanted(): it is to end early
//     SleepWatch  whether the second worker sleeps, and whether a sending woke it
//
//     node()                      where the experiment's memory is to lie: near the first core
//     ending()                    an Ending
//     run(begin, ending, shown)   appends the task `begin` at the first place; returns when `ending` was sent
//     held()                      afterwards: every thread stayed on its processor
//     runs_at(worker, place)      a body's: it was run where it had to be
//     rings(worker)               how often that one has woken others; where counts_rings
//     thread_here()               what tells threads apart; where not fixed_threads
//
// and says by three constants what may be checked: keeps_order, counts_rings, fixed_threads (below).
//
// The task that drives an experiment runs on the measured core and takes all times there, so that no clock of one core
// is compared with that of another. What each number is: docs/bench-task.md.
#pragma once

#include "bench/frame/core_choice.hpp"
#include "bench/frame/progress.hpp"
#include "bench/task/ending.hpp"
#include "kernel/clock.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

// How far an experiment is, for the console: as Progress::phase() takes it.
struct Shown {
    std::string_view what;
    std::size_t total;
    Progress::Count count;
    void const* context;
};

// From the moment when a worker is seen to go to sleep to the sending that is to wake it: the halt itself cannot be
// seen from another core.
constexpr Nanoseconds settling_time{20'000};

class OwnTasks {
  public:
    using Task = mxk::Task;
    using Worker = mxk::Worker;
    using Place = CoreId;
    using Ending = bench::Ending;
    class SleepWatch;

    static constexpr bool keeps_order = true;   // of the tasks that one worker sends to another
    static constexpr bool counts_rings = true;  // a sender knows whether it had to wake the receiver
    static constexpr bool fixed_threads = true; // a worker is always the same thread

    OwnTasks(CorePair cores, Progress& progress)
        : cores_(cores)
        , progress_(progress) {}

    [[nodiscard]] CoreId first() const { return cores_.first; }
    [[nodiscard]] CoreId second() const { return cores_.second; }
    // Where the experiment's memory is to lie.
    [[nodiscard]] NodeId node() const { return workers::of(cores_.first).node(); }
    static Ending ending() { return Ending(Worker::current().core()); }

    // The console's task. Error: interrupted by Ctrl-C.
    Result<void> run(Task& begin, Ending& ending, Shown const& shown) {
        progress_.phase(shown.what, shown.total, shown.count, shown.context);
        Worker::current().append(begin, cores_.first);
        auto const ended = ending.await(progress_);
        progress_.phase({}, 0, nullptr, nullptr); // the context is the caller's
        return ended;
    }
    static bool held() { return true; }

    static bool runs_at(Worker const& worker, CoreId place) { return worker.core() == place; }
    static std::uint64_t rings(Worker const& worker) { return worker.statistics().wakes.value(); }

  private:
    CorePair cores_;
    Progress& progress_;
};

// All of it for the sender.
class OwnTasks::SleepWatch {
  public:
    explicit SleepWatch(OwnTasks const& layer)
        : watched_(workers::of(layer.second())) {}

    // Before a sending: a sleep that begins later is one after it.
    void restart() {
        sleeps_before_ = sleeps();
        asleep_ = false;
    }
    // Once per turn, until it says so: the other has gone to sleep, and that was some time ago.
    bool settled() {
        if (asleep_) return clock::timestamp() >= settled_;
        asleep_ = sleeps() != sleeps_before_;
        if (asleep_) settled_ = clock::timestamp() + clock::to_cycles(settling_time);
        return false;
    }
    void before_sending(Worker const& sender) { rings_before_ = rings(sender); }
    // Whether that sending had to wake it.
    [[nodiscard]] bool woke(Worker const& sender) const { return rings(sender) != rings_before_; }

  private:
    [[nodiscard]] std::uint64_t sleeps() const { return watched_.statistics().sleeps.value(); }

    Worker const& watched_;
    std::uint64_t sleeps_before_ = 0;
    std::uint64_t rings_before_ = 0;
    bool asleep_ = false;
    Cycles settled_{};
};

} // namespace mxk::bench

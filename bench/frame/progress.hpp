// Shows on the console how far a benchmark is, on one line that is overwritten, twice a second, where the terminal can
// do that; and passes on whether the command was cancelled. One at a time; the console's core.
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/invocation.hpp"
#include "tasks/ticker.hpp"

namespace mxk::bench {

// How far several cores are together.
class ProgressCounter {
  public:
    // Any core. relaxed, both: only shown
    void add(std::size_t done) { done_.fetch_add(done, std::memory_order_relaxed); }
    [[nodiscard]] std::size_t done() const { return done_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::size_t> done_{0};
};

class Progress {
  public:
    // How many of `total` are done, asked at every tick.
    using Count = std::size_t (*)(void const* context);

    // `invocation`: the command that runs, which outlives this.
    explicit Progress(console::Invocation const& invocation);
    ~Progress() { clear(); }
    Progress(Progress const&) = delete;
    Progress& operator=(Progress const&) = delete;

    // What goes on now. `what` and `context` must live until the next phase.
    void phase(std::string_view what, std::size_t total, Count count, void const* context);
    void phase(std::string_view what, std::size_t total, ProgressCounter const& counter);

    // So many runs come from now on, counted by next_run() and shown.
    void expect_runs(std::size_t runs);
    void next_run() { ++run_; }

    // Takes the line away, for other output.
    void clear();
    // Where other output goes, after clear().
    [[nodiscard]] TextSink& out() const { return invocation_.out; }

    // Whether the invocation had been cancelled at the last tick, up to half a second ago. Any core; one load:
    // for what is asked after each task.
    [[nodiscard]] bool interrupted() const { return interrupted_.load(std::memory_order_relaxed); }
    // While this lives, the flag is set when the invocation has been cancelled, as interrupted() is: for loops of the
    // console's task that are asked after each task and have no time to look themselves. One at a time.
    class StopFlag {
      public:
        StopFlag(Progress& progress, std::atomic<bool>& flag)
            : progress_(progress) {
            progress.stop_flag_ = &flag;
            if (progress.interrupted()) flag.store(true, std::memory_order_relaxed);
        }
        ~StopFlag() { progress_.stop_flag_ = nullptr; }
        StopFlag(StopFlag const&) = delete;
        StopFlag& operator=(StopFlag const&) = delete;

      private:
        Progress& progress_;
    };

    // Whether it is cancelled now, as an error.
    [[nodiscard]] Result<void> check() const { return invocation_.check_cancelled(); }

  private:
    void tick();

    console::Invocation const& invocation_;
    std::string_view what_;
    std::size_t total_ = 0;
    Count count_ = nullptr;
    void const* context_ = nullptr;
    std::size_t runs_ = 0;
    std::size_t run_ = 0;
    bool shown_ = false;
    std::atomic<bool> interrupted_{false};   // relaxed: a flag alone
    std::atomic<bool>* stop_flag_ = nullptr; // of the loop that waits now, if one does
    Ticker ticker_;
};

} // namespace mxk::bench

// What one core did, in a ring on its node: when it is full the oldest record goes, and is counted. The core records
// while it runs; others read after it has stopped (timeline.hpp).
//
// Of each turn only the end is looked up on the clock. A turn begins where the one before ended: what the worker does
// for a task before it calls the body (taking it, fetching ahead) counts as the task's, and turns, rounds and idle
// times leave no gap between them.
//
//     | Round | Task | Task | Task .. (run_until: Task | Round | Idle | Task) .. | Round | Idle: Sleep |
//
// All functions but the reading ones: its core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/timeline/event.hpp"

namespace mxk {

class CoreTimeline {
  public:
    // A body that has begun; on its stack. Those below it wait in the middle (Worker::run_until).
    class Turn {
      public:
        Turn(void const* task, std::uintptr_t function, EventKind kind = EventKind::Task)
            : kind_(kind)
            , task_(task)
            , function_(function) {}

      private:
        friend CoreTimeline;
        EventKind kind_;
        std::uint64_t begin_ = 0;
        void const* task_;
        std::uintptr_t function_;
        Turn* below_ = nullptr;
    };

    // `ring`: not empty.
    explicit CoreTimeline(NodeArray<TimelineEvent> ring)
        : ring_(std::move(ring)) {}
    CoreTimeline(CoreTimeline const&) = delete;
    CoreTimeline& operator=(CoreTimeline const&) = delete;

    // Begins; touches all of the ring before. `idle`: what WorkerStatistics says, in cycles. `waits_below`: a body that
    // waits in the middle has begun before, and counts as a task without function.
    void start(std::uint64_t idle, bool waits_below);
    // Records the bodies that have begun up to now.
    void stop(std::uint64_t idle);

    // What is between here and end_slice() or the next task's end, did not begin before this. Out of line, as those
    // below: nothing of it is to be in the way of code that does something else while nothing is recorded.
    void begin_slice();
    // From where the last one ended, or begin_slice() was, to now.
    void end_slice(EventKind kind);
    // The same with an end of the caller's.
    void end_slice_at(EventKind kind, Cycles end);
    // Where that was, or the last one ended: a time stamp.
    [[nodiscard]] Cycles boundary() const { return boundary_; }
    // Inside of a slice that has not ended yet.
    void add_inner(EventKind kind, Cycles begin, Cycles end, void const* subject, std::uint64_t detail);
    void add_instant(EventKind kind, void const* subject, std::uint64_t detail);

    // Around a task's body.
    void enter(Turn& turn) {
        turn.begin_ = raw(boundary_);
        turn.below_ = std::exchange(innermost_, &turn);
    }
    void leave(Turn& turn) {
        if (innermost_ != &turn) return; // it began before start()
        innermost_ = turn.below_;
        boundary_ = clock::timestamp();
        add_turn(turn, boundary_);
    }

    // Any core, after stop().
    [[nodiscard]] std::size_t size() const { return count_ < ring_.size() ? count_ : ring_.size(); }
    // Records that were overwritten.
    [[nodiscard]] std::uint64_t lost() const { return count_ - size(); }
    // By their ends, the oldest first.
    [[nodiscard]] TimelineEvent const& operator[](std::size_t at) const {
        std::size_t const place = (lost() == 0 ? 0 : next_) + at;
        return ring_[place < ring_.size() ? place : place - ring_.size()];
    }
    // Time stamps.
    [[nodiscard]] std::uint64_t started() const { return raw(started_); }
    [[nodiscard]] std::uint64_t stopped() const { return raw(stopped_); }
    // Cycles between the two in which the core was idle by the worker's own statistics, which `cores` shows.
    [[nodiscard]] std::uint64_t idle() const { return idle_; }
    [[nodiscard]] NodeId node() const { return ring_.node(); }

  private:
    void add(TimelineEvent const& event) {
        ring_[next_] = event;
        ++count_;
        if (++next_ == ring_.size()) next_ = 0;
    }
    void add_turn(Turn const& turn, Cycles end) {
        add({turn.kind_, Cycles{turn.begin_}, end, reinterpret_cast<std::uintptr_t>(turn.task_), turn.function_});
    }

    NodeArray<TimelineEvent> ring_;
    std::size_t next_ = 0;
    std::uint64_t count_ = 0; // all there were
    Cycles boundary_{};
    Turn* innermost_ = nullptr;
    Turn waiting_{nullptr, 0}; // the body that had begun before start()
    Cycles started_{};
    Cycles stopped_{};
    std::uint64_t idle_ = 0;
};

} // namespace mxk

// One thing that a core did: a record of its timeline. What takes time is one record with both its ends, made at its
// end: so each begin has its end, and in a ring (core_timeline.hpp) what is inside stands before what it is inside of.
#pragma once

#include <cstdint>

#include "base/units.hpp"

namespace mxk {

// The numbers stand in dumps (docs/timeline.md): new kinds go to the end.
enum class EventKind : std::uint8_t {
    Task,          // a turn; subject: the task, detail: its function
    Round,         // between two rounds of tasks: mail is taken, what was sent leaves
    SafePoint,     // the hooks of the attention word
    Idle,          // nothing to do: polls, and may sleep
    Sleep,         // in it: halted
    Thread,        // a turn that is a thread's slice; subject: the thread's task, detail: the thread's function
    GrowthStep,    // in a turn: a table splits, merges or moves a block; subject: the table
    Hop,           // an instant; subject: the task that is sent, detail: the core it is sent to
    Wake,          // an instant; detail: the core that is woken
    Preemption,    // an instant; subject: the thread's task
    SemaphoreWait, // an instant: there was no unit; subject: the thread's task, detail: the semaphore
    OwnerChange,   // an instant: this core owns a part of a table from now on; subject: the part
    Count
};

constexpr bool is_turn(EventKind kind) {
    return kind == EventKind::Task || kind == EventKind::Thread;
}
// What a core's time consists of besides Idle: what `cores` counts as not idle.
constexpr bool is_work(EventKind kind) {
    return is_turn(kind) || kind == EventKind::Round || kind == EventKind::SafePoint;
}

class TimelineEvent {
  public:
    TimelineEvent() = default;
    // `subject`: an address; what stands above its lower 56 bits repeats the highest of them (SDM vol. 1 section
    // 3.3.7.1), and is not kept.
    TimelineEvent(EventKind kind, Cycles begin, Cycles end, std::uint64_t subject, std::uint64_t detail)
        : begin_(raw(begin))
        , end_(raw(end))
        , subject_and_kind_(subject << 8 | static_cast<std::uint64_t>(kind))
        , detail_(detail) {}

    [[nodiscard]] EventKind kind() const { return static_cast<EventKind>(subject_and_kind_ & 0xFF); }
    // Time stamps; of an instant both are the same.
    [[nodiscard]] std::uint64_t begin() const { return begin_; }
    [[nodiscard]] std::uint64_t end() const { return end_; }
    [[nodiscard]] std::uint64_t cycles() const { return end_ - begin_; }
    [[nodiscard]] std::uint64_t subject() const {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(subject_and_kind_) >> 8);
    }
    [[nodiscard]] std::uint64_t detail() const { return detail_; }

  private:
    std::uint64_t begin_;
    std::uint64_t end_;
    std::uint64_t subject_and_kind_;
    std::uint64_t detail_;
};
static_assert(sizeof(TimelineEvent) == 32, "two in a cache line");

} // namespace mxk

// Functions that a core calls at a later time: at its safe point, between two tasks, when the time has come and it is
// that core's turn. Any number of them on the one alarm that the core has. Its core only.
#pragma once

#include "base/linked_list.hpp"
#include "base/units.hpp"

namespace mxk {

class Worker;

// Lives as long as it is set.
class Timer {
  public:
    // May set itself again, and be destroyed.
    using Fire = void (*)(Worker& worker, Timer& timer);

    explicit Timer(Fire fire)
        : fire_(fire) {}
    Timer(Timer const&) = delete;
    Timer& operator=(Timer const&) = delete;

    [[nodiscard]] bool is_set() const { return set_; }

  private:
    friend class Timers;
    Fire fire_;
    bool set_ = false;
    Cycles due_{};
    ListLinks<Timer> links_{};
};

class Timers {
  public:
    // Fires once, not before `due`. Takes as long as there are timers that fire later. Moves one that is set.
    void set(Timer& timer, Cycles due);
    // The core's alarm stays: it may come for nothing.
    void cancel(Timer& timer) {
        if (timer.set_) unlink(timer);
    }
    // The worker's, after the alarm.
    void expire(Worker& worker);

  private:
    void unlink(Timer& timer);

    LinkedList<Timer, &Timer::links_> timers_; // as they fire
};

} // namespace mxk

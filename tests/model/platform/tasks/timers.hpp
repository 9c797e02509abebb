// tasks/timers.hpp for the model checker: time passes where a core has nothing else to do (worker.hpp).
#pragma once

#include "base/units.hpp"

namespace mxk {

class Worker;

class Timer {
  public:
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
};

// One at a time.
class Timers {
  public:
    void set(Timer& timer, Cycles /*due*/) {
        timer.set_ = true;
        timer_ = &timer;
    }
    void cancel(Timer& timer) {
        timer.set_ = false;
        timer_ = nullptr;
    }
    void expire(Worker& worker) {
        if (timer_ == nullptr) return;
        Timer& timer = *timer_;
        cancel(timer);
        timer.fire_(worker, timer);
    }

  private:
    Timer* timer_ = nullptr;
};

} // namespace mxk

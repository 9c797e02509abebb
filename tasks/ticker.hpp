// Calls a function on the calling core about every `interval`, at the worker's safe point, as long as it lives: for
// showing progress. Any core; made and destroyed on the same one.
#pragma once

#include "base/units.hpp"
#include "tasks/timers.hpp"

namespace mxk {

class Ticker {
  public:
    using Function = void (*)(void* context);

    Ticker(Nanoseconds interval, Function function, void* context);
    ~Ticker();
    Ticker(Ticker const&) = delete;
    Ticker& operator=(Ticker const&) = delete;

  private:
    struct Tick : Timer {
        explicit Tick(Ticker& its_ticker);
        Ticker& ticker;
    };
    void wait(Worker& worker);

    Nanoseconds interval_;
    Function function_;
    void* context_;
    Tick tick_;
};

} // namespace mxk

// Calls a function on the calling core about every `interval`, at the worker's safe point, as long as it lives: for
// showing progress. One at a time. The console's core.
#pragma once

#include "arch/core_local.hpp"
#include "tasks/worker.hpp"

namespace mxk {

class Ticker {
  public:
    using Function = void (*)(void* context);

    Ticker(Nanoseconds interval, Function function, void* context);
    ~Ticker();
    Ticker(Ticker const&) = delete;
    Ticker& operator=(Ticker const&) = delete;

  private:
    Nanoseconds interval_;
    Function function_;
    void* context_;
};

} // namespace mxk

// The program's signals: Ctrl-C ends a benchmark, what would leave the terminal in a wrong mode restores it first, and
// a fault ends like a panic does on metal: a message, a backtrace, an exit status of its own. A program that uses the
// library keeps its own signals; these are for mxk itself.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.hpp"

namespace mxk::arch {

void install_signal_handlers();

// A stack for the calling thread's handlers while this lives, so that an overflow of its own can be reported.
class SignalStack {
  public:
    SignalStack();
    ~SignalStack();
    SignalStack(SignalStack const&) = delete;
    SignalStack& operator=(SignalStack const&) = delete;

  private:
    std::array<std::byte, 64 * KiB> memory_;
    stack_t before_{}; // a sanitizer may have set one, and wants it back
};

// How often the program was stopped and continued since then; nothing without the handlers. Any thread.
std::optional<std::uint64_t> stops_so_far();

// As if Ctrl-C had been typed. Any thread, signal handlers too.
void request_interrupt();

} // namespace mxk::arch

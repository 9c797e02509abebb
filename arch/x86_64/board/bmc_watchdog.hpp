// The watchdog of a management controller (IPMI 2.0 section 27): firmware may start it for the system to come up, and
// where nobody stops it, the controller resets the machine, or switches it off.
#pragma once

#include <cstdint>
#include <string_view>

#include "arch/x86_64/board/kcs.hpp"
#include "base/result.hpp"

namespace mxk::arch::bmc {

struct Watchdog {
    bool ran = false;     // when it was asked
    bool stopped = false; // since then
    std::uint8_t use = 0; // of the timer
    std::uint8_t action = 0;
    std::uint32_t tenths = 0; // of a second until its end, when it was asked
};

// Stops it, if it runs. Errors: the controller does not answer, or refuses. Blocks as kcs::exchange().
Result<Watchdog> stop_watchdog(kcs::Access const& access);

// "a reset", "switching the machine off": what it does at its end.
std::string_view action_name(std::uint8_t action);

} // namespace mxk::arch::bmc

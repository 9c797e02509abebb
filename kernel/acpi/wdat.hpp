// The watchdog action table (Microsoft, "Hardware Watchdog Timers Design Specification" 1.0): how firmware's hardware
// watchdog is asked and stopped, as instructions on registers. It is obeyed; only stopping is of interest here.
#pragma once

#include <cstdint>

#include "base/format.hpp"
#include "kernel/acpi/generic_address.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

// How a table's registers are read and written.
class RegisterAccess {
  public:
    // Why there can be no such register, which the instructions may touch; then none of them is carried out. Else
    // nothing.
    virtual FixedText<64> objection(GenericAddress const& place) = 0;
    virtual std::uint32_t read(GenericAddress const& place) = 0;
    virtual void write(GenericAddress const& place, std::uint32_t value) = 0;

  protected:
    ~RegisterAccess() = default;
};

enum class WatchdogEnd : std::uint8_t {
    None,    // there is no table, or it describes none that runs
    Stopped, // it ran
    Runs,    // and goes on: the table has no way to stop it, or it does not obey
};

// Stops the watchdog that the table describes, if it runs. Instructions that cannot be are one WARN, and none is
// carried out. Boot core; does not block.
WatchdogEnd stop_watchdog(Tables const& tables, RegisterAccess& access);

} // namespace mxk::acpi

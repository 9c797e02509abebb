// Watchdogs that firmware has started, and that would reset the machine in mid-run.
#pragma once

#include "base/range_set.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::metal {

// Stops the one that ACPI's WDAT describes, and the chip set's (TCO). What ran is said in the log; what cannot be
// stopped is a WARN. `ram`: where no device is. The boot core.
void stop_watchdogs(acpi::Tables const& tables, RangeSet const& ram);

} // namespace mxk::metal

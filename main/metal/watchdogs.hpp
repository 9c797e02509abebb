// Watchdogs that firmware has started, and that would reset the machine in mid-run.
#pragma once

#include <cstddef>
#include <span>

#include "kernel/acpi/tables.hpp"

namespace mxk::metal {

// Stops the one that ACPI's WDAT describes, and the chip set's (TCO). What ran is said in the log; what cannot be
// stopped is a WARN. The boot core.
void stop_watchdogs(acpi::Tables const& tables);

// The same for the management controller's, where SPMI or SMBIOS says how it is reached and it speaks KCS; else what
// a person can do. `smbios`: its structures. After the clocks' start, since it may wait for an answer, up to some
// seconds. The boot core.
void stop_controllers_watchdog(acpi::Tables const& tables, std::span<std::byte const> smbios);

} // namespace mxk::metal

// A serial line without an interrupt.
#pragma once

#include "tasks/worker.hpp"

namespace mxk::metal {

// From now on the worker of the boot core, before it runs, looks every millisecond whether something has been typed:
// the 16 bytes that a UART keeps take 1.4 ms at 115200 baud. Costs that core a timer interrupt each time.
void poll_terminal(Worker& worker);

} // namespace mxk::metal

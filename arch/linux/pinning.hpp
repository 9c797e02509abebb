// Which processor each core's thread stays on.
#pragma once

#include <cstddef>

#include "base/units.hpp"

namespace mxk::arch {

// The calling thread stays on this processor from now on. False if the system refuses.
bool pin_to(int cpu);

// Says where a core was pinned; -1: nowhere. Before others ask.
void note_cpus(std::size_t cores);
void note_cpu(CoreId core, int cpu);

// The operating system's number of the processor a core runs on, -1 if it is not pinned. Any thread.
int cpu_of(CoreId core);

} // namespace mxk::arch

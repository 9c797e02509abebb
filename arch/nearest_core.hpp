// Which core is where the caller runs: for placing work beside it.
#pragma once

#include "base/units.hpp"

namespace mxk::arch {

// The core whose processor the calling thread runs on at this moment; a thread that is no core may be moved to another
// one at any time. Where none is: a number that is no core's. Any thread.
CoreId nearest_core();

} // namespace mxk::arch

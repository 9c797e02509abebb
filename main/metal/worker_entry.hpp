// What every core runs in the end.
#pragma once

#include "base/units.hpp"

namespace mxk::metal {

// Makes the calling core its worker, for ever, with what a core of the bare machine attends to besides. Each core once,
// when there are workers.
[[noreturn]] void enter_worker(CoreId core);

} // namespace mxk::metal

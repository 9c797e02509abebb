// Whether prefetching is calibrated before the first benchmark, as `calibrate=auto|yes|no` on the command line says.
#pragma once

#include <string_view>

namespace mxk::metal {

// Empty: auto. Another word is a WARN, and auto. The boot core.
void choose_calibration(std::string_view word);

} // namespace mxk::metal

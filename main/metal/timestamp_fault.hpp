// Fault injection: time-stamp counters that differ between cores.
#pragma once

#include <string_view>

namespace mxk::metal {

// `tsc-fault=adjust:CYCLES` or `tsc-fault=skew:CYCLES` on the command line (docs/boot.md), so that tests can see what
// becomes of it. `word`: what the option says; anything else is a WARN and changes nothing. Before cores are started.
void inject_timestamp_fault(std::string_view word);

} // namespace mxk::metal

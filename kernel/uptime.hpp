// How long the kernel runs.
#pragma once

#include "base/text.hpp"
#include "base/units.hpp"

namespace mxk::clock {

// Now is the start. The boot core, once for each start, before anything asks.
void note_start();
// Since note_start(). Any core, never blocks; not before the clock's frequency is known.
Nanoseconds uptime();

// "2 d 3:04:05.678": hours, minutes and seconds, and the days, if there are any. Any core; blocks as the sink does.
void print_duration(TextSink& out, Nanoseconds time);

} // namespace mxk::clock

// Where ranks take turns on the processors, the time of an operation is that of the turns in between: the shorter the
// better. The calling process asks for turns of 100 microseconds in place of the system's, which are some milliseconds
// if others compete. Linux does so from 6.12 on; an older one keeps its own.
#pragma once

namespace mxk::mpi {

void ask_for_short_slices();

} // namespace mxk::mpi

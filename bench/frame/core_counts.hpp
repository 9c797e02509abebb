// The numbers of cores that a benchmark measures with: those of --cores, or a good choice where none are given.
#pragma once

#include "base/result.hpp"
#include "kernel/console/values.hpp"

namespace mxk::bench {

// Empty becomes powers of two, and all cores of the machine. Errors: more than the machine has.
Result<void> complete_core_counts(console::CountList& cores);

} // namespace mxk::bench

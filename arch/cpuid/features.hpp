// Names of what a processor can do.
#pragma once

#include "arch/cpuid/cpuid.hpp"
#include "base/text.hpp"

namespace mxk::arch {

// The words of write_features() (arch/processor.hpp), by the answers of `ask`.
void write_features(TextSink& out, AskCpuid ask);

} // namespace mxk::arch

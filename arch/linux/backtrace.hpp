// Who called whom, on standard error, fit for signal handlers: with function names and lines if addr2line (binutils) is
// there, which is told nothing but addresses; else with what the dynamic linker knows.
#pragma once

#include "base/text.hpp"

namespace mxk::arch {

// Of the calling thread: " on core 1", or of one that is no core " in thread 'name'".
void print_who(TextSink& out);

// Loads what backtraces need, because a handler must not. Once, early.
void prepare_backtraces();

// The calling thread's. Any thread, signal handlers too; waits for addr2line, which takes some tenths of a second.
void print_backtrace();

} // namespace mxk::arch

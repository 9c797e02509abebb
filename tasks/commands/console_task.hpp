// The console as a task of core 0: appended when bytes have arrived, it feeds them to the console and with that runs
// the commands. Bytes that arrive while a command runs wait until it is done.
#pragma once

#include <string_view>

#include "kernel/console/console.hpp"
#include "tasks/worker.hpp"

namespace mxk {

struct ConsoleStart {
    std::string_view run_line; // commands to begin with, what `run=` says on the kernel's command line; must live on
    console::Partner partner = console::Partner::SerialLine;
    void (*before)() = nullptr; // in the console's task, before the first command: what takes all cores; null: nothing
};

// Prepares the task on core 0's worker, before that runs.
void prepare_console(Worker& worker, ConsoleStart const& start);

} // namespace mxk

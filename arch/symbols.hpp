// Names of functions, as far as the program that runs has them: the kernel's table from the second link, the Linux
// program's own file.
#pragma once

#include <cstdint>

#include "base/text.hpp"

namespace mxk::arch {

// Writes the name of the function that contains the address, without its parameters. False, with nothing written:
// there is none to be found. The console's core; on Linux it may wait for the file system.
bool write_function_name(TextSink& out, std::uintptr_t address);

// What the addresses in the program's file have been moved by: an address of its code, less this, stands there.
std::uintptr_t load_offset();

} // namespace mxk::arch

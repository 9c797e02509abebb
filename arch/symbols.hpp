// Names of functions, as far as the program that runs has them: the kernel's table from the second link, the Linux
// program's own file.
#pragma once

#include <cstdint>

#include <string_view>
#include <type_traits>

#include "base/text.hpp"

namespace mxk::arch {

// Writes the name of the function that contains the address, without its parameters. False, with nothing written:
// there is none to be found. The console's core; on Linux it may wait for the file system.
bool write_function_name(TextSink& out, std::uintptr_t address);

// Calls visit(name, address, context) for each function that has a name, in the order of their addresses. Names are
// those that write_function_name() writes; they stay. The console's core; on Linux the first call reads the program's
// file.
void for_each_function(void (*visit)(std::string_view name, std::uintptr_t address, void* context), void* context);
template <typename Visit> void for_each_function(Visit&& visit) {
    using Visitor = std::remove_reference_t<Visit>;
    for_each_function([](std::string_view name, std::uintptr_t address,
                         void* visitor) { (*static_cast<Visitor*>(visitor))(name, address); },
                      &visit);
}

// What the addresses in the program's file have been moved by: an address of its code, less this, stands there.
std::uintptr_t load_offset();

} // namespace mxk::arch

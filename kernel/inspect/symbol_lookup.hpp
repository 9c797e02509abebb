// Addresses of the functions of the running program by their names: whole names, or the end of one behind "::".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "kernel/console/completion.hpp"

namespace mxk::inspect {

// Calls visit(name, address) for each function that `name` stands for, in the order of their addresses, and says how
// many those are. "now" stands for mxk::clock::now, and for every other function of that name. The console's core, as
// all below; on Linux the first time it reads the program's file.
using VisitFunction = void (*)(std::string_view name, std::uintptr_t address, void* context);
std::size_t for_each_match(std::string_view name, VisitFunction visit, void* context);

// That no function is called so, and what else there is.
Error no_function_called(std::string_view name);

// The address of the only function that `name` stands for. Errors: none, or several.
Result<std::uintptr_t> address_of_function(std::string_view name);

// Offers names that the word begins, which stands behind `lead`; those that a line could not hold as a word are left
// out. Of a word without "::" the last parts of names, too.
void offer_functions(console::Candidates& candidates, std::string_view lead = {});

} // namespace mxk::inspect

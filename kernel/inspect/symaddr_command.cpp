// `symaddr NAME`: where functions of that name begin.
#include "base/format.hpp"
#include "kernel/console/command.hpp"
#include "kernel/inspect/symbol_lookup.hpp"

namespace mxk::inspect {
namespace {

struct SymaddrOptions {
    std::string_view name;
};
constexpr auto symaddr_schema = console::schema<SymaddrOptions>(
    console::positional<&SymaddrOptions::name>("NAME", "of a function: mxk::clock::now, or its last parts: now"));

console::Outcome run_symaddr(console::Invocation& invocation, SymaddrOptions const& options) {
    auto const print = [](std::string_view name, std::uintptr_t address, void* out) {
        format(*static_cast<TextSink*>(out), "0x{:016x} {}\n", address, name);
    };
    if (for_each_match(options.name, print, &invocation.out) > 0) return console::Outcome::Ok;
    return invocation.fail(no_function_called(options.name));
}

constexpr auto symaddr_command = console::command<&run_symaddr, symaddr_schema>(
    {.name = "symaddr",
     .summary = "addresses of the functions that have a name",
     .group = "debugging",
     .notes = "Example: symaddr clock::now\n"
              "Names are as in a backtrace, without parameters. Tab completes them.\n",
     .more_words = [](std::span<std::string_view const> before, console::Candidates& candidates) {
         if (before.empty()) offer_functions(candidates);
     }});
MXK_REGISTER(mxk_commands, console::Command, symaddr_command);

} // namespace
} // namespace mxk::inspect

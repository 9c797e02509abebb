// What is fuzzed: functions that take any bytes, feed them to a parser or a state machine, and expect (GoogleTest's
// EXPECT and ASSERT) what must hold for every input. They keep nothing between two calls. libFuzzer runs the one that
// the name of its program says (entry.cpp); mxk-unit runs them over the corpus and over every input that once failed.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace mxk::fuzz {

using InputBytes = std::span<std::byte const>;

// Firmware tables -> root pointer, tables, MADT, SRAT, SLIT, FADT, HPET -> topology. The layout of an input stands in
// acpi_machine.hpp.
void acpi(InputBytes bytes);
// What a loader leaves in memory -> boot information, usable memory, options of the command line.
void boot_info(InputBytes bytes);
// A line of commands -> words, arguments, typed options, help, completion. The input is the line.
void options(InputBytes bytes);
// Keys -> line editor -> an 80-column terminal. The input is the bytes of the keyboard.
void editor(InputBytes bytes);
// A recorded workload, binary or text -> the operations in it, twice the same.
void trace(InputBytes bytes);
// A column file -> its tables and columns, by number and by name.
void columns(InputBytes bytes);
// A plan over small tables, right or wrong, and a query of it. The layout of an input stands in plans.cpp.
void plans(InputBytes bytes);
// A model of boxes, connected in any way, and a query of it. The layout of an input stands in models.cpp.
void models(InputBytes bytes);

struct Target {
    std::string_view name; // of its program (mxk-fuzz-NAME) and of its folders below tests/fuzz
    void (*run)(InputBytes bytes);
};
inline constexpr std::array targets = {
    Target{"acpi", &acpi},   Target{"boot-info", &boot_info}, Target{"options", &options}, Target{"editor", &editor},
    Target{"trace", &trace}, Target{"columns", &columns},     Target{"plans", &plans},     Target{"models", &models}};

} // namespace mxk::fuzz

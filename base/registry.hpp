// Things that register themselves where they are defined: a pointer to each stands in a linker section of its own, so
// there is no central list and no start-up code. The kernel's linker script keeps the sections; on Linux the linker
// gives __start_/__stop_ for any section whose name is a C identifier. Order is the link order: sort where it shows.
//
//     MXK_REGISTER(mxk_commands, console::Command, topology_command);    // topology_command: a constant
//     for (console::Command const* command : registered_commands) ...    // MXK_REGISTRY(...) gives the range
#pragma once

#include <span>

#define MXK_REGISTER(section_name, type, object)                                                                       \
    [[gnu::section(#section_name), gnu::used]] constinit type const* const object##_in_##section_name = &(object)

// Defines `range`, a function returning std::span<type const* const> over everything registered in the section. An
// empty registry is legal, hence weak bounds.
#define MXK_REGISTRY(section_name, type, range)                                                                        \
    extern "C" [[gnu::weak]] type const* const __start_##section_name[];                                               \
    extern "C" [[gnu::weak]] type const* const __stop_##section_name[];                                                \
    inline std::span<type const* const> range() {                                                                      \
        return {__start_##section_name, __stop_##section_name};                                                        \
    }

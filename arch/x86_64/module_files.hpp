// The files of a bare machine (arch/files.hpp): the modules that its loader brought, by their names.
#pragma once

#include <span>

#include "boot/boot_info.hpp"

namespace mxk::arch {

// `modules`: mapped in the direct map; they are not written and stay where they are. The boot core, once.
void set_module_files(std::span<boot::Module const> modules);

} // namespace mxk::arch

// The kernel's command line as a whole (docs/boot.md).
#pragma once

#include <string_view>

namespace mxk::metal {

// A WARN for each word that is no NAME=VALUE of an option that there is, or names one a second time: it changes
// nothing. The boot core.
void check_command_line(std::string_view command_line);

} // namespace mxk::metal

// How wide the terminal is, as `columns=N` on the command line says.
#pragma once

#include <string_view>

namespace mxk::metal {

// Empty: 80. What is no number from 48 to 1000 is a WARN, and 80. The boot core.
void choose_columns(std::string_view word);

} // namespace mxk::metal

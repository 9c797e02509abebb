// Whether bytes are a column file (column_format.hpp), as a whole: after that, everything in them may be used without
// looking. Takes any bytes; nothing outside them is read.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"

namespace mxk::query {

// The error names the offset, what was expected there and what was found. Reads every byte once: about a second for a
// gigabyte. Any core, never blocks.
Result<void> check_column_file(std::span<std::byte const> bytes);

} // namespace mxk::query

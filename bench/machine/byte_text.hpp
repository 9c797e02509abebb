// A number of bytes for people: "4 KiB", "1.5 MiB", "1 GiB".
#pragma once

#include <cstddef>

#include "base/text.hpp"

namespace mxk::bench {

FixedText<16> byte_text(std::size_t bytes);

} // namespace mxk::bench

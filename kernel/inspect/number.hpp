// Numbers as a person types them who looks into a machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"

namespace mxk::inspect {

// 18, 0x12, 022 (octal); &NAME, the address of a function; *NUMBER, the eight bytes at an address, which may be one of
// the others: *&NAME. Errors: none of these, more than 64 bits, no such function, memory that cannot be read. The
// console's core.
Result<std::uint64_t> parse_number(std::string_view text);

} // namespace mxk::inspect

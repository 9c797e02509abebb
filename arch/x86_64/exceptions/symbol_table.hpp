// Names for addresses: the table that the second link adds (tools/symbols.py).
#pragma once

#include <cstdint>
#include <string_view>

namespace mxk::arch {

struct Symbol {
    std::string_view name; // empty: unknown
    std::uint64_t offset = 0;
};

// The function that contains the address. Any core, any context.
Symbol find_symbol(std::uint64_t address);

bool is_code(std::uint64_t address);

} // namespace mxk::arch

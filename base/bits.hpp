// Single bits of registers and of what CPUID says.
#pragma once

#include <cstdint>

namespace mxk {

constexpr bool has_bit(std::uint64_t word, unsigned number) {
    return (word >> number & 1) != 0;
}

} // namespace mxk

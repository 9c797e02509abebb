// How ACPI's tables name a register or a block of them (ACPI 6.5 section 5.2.3.2).
#pragma once

#include <cstdint>

namespace mxk::acpi {

// Table 5.1.
struct [[gnu::packed]] GenericAddress {
    std::uint8_t space;       // 0: 0 memory, 1 I/O, 2 PCI configuration
    std::uint8_t bit_width;   // 1
    std::uint8_t bit_offset;  // 2
    std::uint8_t access_size; // 3
    std::uint64_t address;    // 4
};
static_assert(sizeof(GenericAddress) == 12);

constexpr std::uint8_t memory_space = 0;
constexpr std::uint8_t io_space = 1;

} // namespace mxk::acpi

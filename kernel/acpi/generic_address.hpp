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

// In bytes, 1, 2 or 4, that a register is read by; 0: by none of these. Where the table does not say (access size 0),
// its width.
constexpr unsigned access_bytes(GenericAddress const& place) {
    if (place.access_size >= 1 && place.access_size <= 3) return 1U << (place.access_size - 1U);
    if (place.access_size != 0) return 0;
    return place.bit_width <= 8 ? 1 : place.bit_width <= 16 ? 2 : place.bit_width <= 32 ? 4 : 0;
}

constexpr std::uint8_t memory_space = 0;
constexpr std::uint8_t io_space = 1;

} // namespace mxk::acpi

// How the registers of a UART are reached: eight ports, or memory, where they may be further apart than a byte, and
// wider. Without SSE: handlers of interrupts read them, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/x86_64/cpu/registers.hpp"
#include "base/units.hpp"

namespace mxk::arch::serial {

struct UartPlace {
    std::uint16_t port = 0x3f8;    // of the first register, unless they are in memory
    PhysicalAddress memory{};      // of the first register; 0: at ports
    std::uint8_t access_bytes = 1; // in memory: 1, 2 or 4 are read and written at once
    std::uint8_t stride_bytes = 1; // from one register to the next; not smaller than access_bytes

    [[nodiscard]] constexpr bool in_memory() const { return raw(memory) != 0; }
    // That the eight registers take in memory.
    [[nodiscard]] constexpr std::uint64_t bytes() const { return std::uint64_t{8} * stride_bytes; }
    bool operator==(UartPlace const&) const = default;
};

// `registers`: where the place is mapped, if it is in memory. A register is the low byte of what is read.
inline std::uint8_t read_uart(UartPlace const& place, std::byte* registers, std::uint16_t offset) {
    if (!place.in_memory()) return in8(static_cast<std::uint16_t>(place.port + offset));
    std::byte* const at = registers + static_cast<std::size_t>(offset) * place.stride_bytes;
    switch (place.access_bytes) {
    case 4: return static_cast<std::uint8_t>(*reinterpret_cast<std::uint32_t volatile*>(at));
    case 2: return static_cast<std::uint8_t>(*reinterpret_cast<std::uint16_t volatile*>(at));
    default: return *reinterpret_cast<std::uint8_t volatile*>(at);
    }
}

inline void write_uart(UartPlace const& place, std::byte* registers, std::uint16_t offset, std::uint8_t value) {
    if (!place.in_memory()) return out8(static_cast<std::uint16_t>(place.port + offset), value);
    std::byte* const at = registers + static_cast<std::size_t>(offset) * place.stride_bytes;
    switch (place.access_bytes) {
    case 4: *reinterpret_cast<std::uint32_t volatile*>(at) = value; break;
    case 2: *reinterpret_cast<std::uint16_t volatile*>(at) = value; break;
    default: *reinterpret_cast<std::uint8_t volatile*>(at) = value; break;
    }
}

} // namespace mxk::arch::serial

// The 8042's ports, and taking a byte of the keyboard from them. Without SSE, also for interrupt handlers.
#pragma once

#include <cstdint>
#include <optional>

#include "arch/x86_64/board/serial_ring.hpp"
#include "arch/x86_64/cpu/registers.hpp"

namespace mxk::arch::keyboard {

constexpr std::uint16_t data_port = 0x60;
constexpr std::uint16_t command_port = 0x64;
constexpr std::uint16_t status_port = 0x64;
constexpr std::uint8_t output_full = 0x01; // of the status: there is something to read
constexpr std::uint8_t input_full = 0x02;  // nothing may be written yet
constexpr std::uint8_t from_mouse = 0x20;

// Scan codes on their way to the console.
extern constinit serial::ReceiveRing received;

// The keyboard's next byte, if there is one; the mouse's are dropped.
inline std::optional<std::uint8_t> scan_code() {
    std::uint8_t const status = in8(status_port);
    if ((status & output_full) == 0) return std::nullopt;
    std::uint8_t const byte = in8(data_port);
    if ((status & from_mouse) != 0) return std::nullopt;
    return byte;
}

} // namespace mxk::arch::keyboard

// Whether a 16550 or something like it answers at eight ports (TI PC16550D data sheet, section 8). Management
// controllers emulate UARTs in part only, so any one of three signs will do.
#pragma once

#include <cstdint>

namespace mxk::arch::serial {

// Register offsets of the PC16550D.
namespace uart {
constexpr std::uint16_t data = 0;
constexpr std::uint16_t interrupt_enable = 1;
constexpr std::uint16_t fifo_control = 2; // written; read, it is the interrupt's identification
constexpr std::uint16_t line_control = 3;
constexpr std::uint16_t modem_control = 4;
constexpr std::uint16_t line_status = 5;
constexpr std::uint16_t scratch = 7;
} // namespace uart

// How the registers of one UART are reached.
struct UartRegisters {
    void* context;
    std::uint8_t (*read)(void* context, std::uint16_t offset);
    void (*write)(void* context, std::uint16_t offset, std::uint8_t value);

    [[nodiscard]] std::uint8_t get(std::uint16_t offset) const { return read(context, offset); }
    void set(std::uint16_t offset, std::uint8_t value) const { write(context, offset, value); }
};

// Gives back what it is sent in loop-back; or keeps two patterns in its scratch register; or says that it has FIFOs
// that are on. Ports without a device read as all ones, or as the last value on the bus. Leaves the modem control with
// loop-back on, and the rest as it was; expects FIFOs on, and the divisor not accessed. Bounded.
bool is_uart(UartRegisters const& registers);

} // namespace mxk::arch::serial

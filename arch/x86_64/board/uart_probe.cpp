#include "arch/x86_64/board/uart_probe.hpp"

#include <initializer_list>

namespace mxk::arch::serial {
namespace {

// A character takes 1.4 ms / 16 at 115200 baud and 8 ms at 1200; a port read about 1 us.
constexpr int max_wait_turns = 200'000;

bool nothing_answers(UartRegisters const& registers) {
    constexpr std::uint8_t reserved = 0xf0; // of the interrupt enable register: always zero
    registers.set(uart::interrupt_enable, 0);
    return registers.get(uart::line_status) == 0xff || (registers.get(uart::interrupt_enable) & reserved) != 0;
}

bool loops_data_back(UartRegisters const& registers) {
    constexpr std::uint8_t loopback = 0x1e;
    constexpr std::uint8_t pattern = 0x5a;
    registers.set(uart::modem_control, loopback);
    registers.set(uart::data, pattern);
    for (int i = 0; i < max_wait_turns; ++i)
        if ((registers.get(uart::line_status) & 1) != 0) return registers.get(uart::data) == pattern;
    return false;
}

// Another register is written in between, so that a bus that keeps the last value is none.
bool keeps_scratch(UartRegisters const& registers) {
    for (std::uint8_t const pattern : {std::uint8_t{0x5a}, std::uint8_t{0xa5}}) {
        registers.set(uart::scratch, pattern);
        registers.set(uart::interrupt_enable, 0);
        if (registers.get(uart::scratch) != pattern) return false;
    }
    return true;
}

bool has_fifos(UartRegisters const& registers) {
    constexpr std::uint8_t fifos_on = 0xc0;
    constexpr std::uint8_t always_zero = 0x30; // bit 5 is a 16750's
    std::uint8_t const identification = registers.get(uart::fifo_control);
    return (identification & (fifos_on | always_zero)) == fifos_on;
}

} // namespace

bool is_uart(UartRegisters const& registers) {
    if (nothing_answers(registers)) return false;
    return loops_data_back(registers) || keeps_scratch(registers) || has_fifos(registers);
}

} // namespace mxk::arch::serial

// Empties the UART into the ring. Compiled without SSE: see interrupts.hpp.
#include "arch/x86_64/board/serial.hpp"
#include "arch/x86_64/board/serial_ring.hpp"
#include "arch/x86_64/board/uart_probe.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"

namespace mxk::arch {

constinit serial::ReceiveRing serial::received{};

void receive_serial() {
    constexpr char control_c = 3;
    constexpr int max_bytes = 256; // a UART that always says "more" must not keep the core here
    serial::UartPlace const& place = serial::line().place;
    std::byte* const registers = serial::registers();
    constexpr std::uint8_t data_ready = 0x01; // line status register, PC16550D
    constexpr std::uint8_t overrun = 0x02;    // a byte came before the one before it was read; reading clears it
    for (int i = 0; i < max_bytes; ++i) {
        std::uint8_t const status = serial::read_uart(place, registers, serial::uart::line_status);
        if ((status & overrun) != 0) serial::received.count_lost(1); // or more: the UART does not say
        if ((status & data_ready) == 0) return;
        char const byte = static_cast<char>(serial::read_uart(place, registers, serial::uart::data));
        if (byte == control_c) serial::received.interrupt_requested.store(true, std::memory_order_relaxed);
        serial::received.put(byte);
    }
}

} // namespace mxk::arch

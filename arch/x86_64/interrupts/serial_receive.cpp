// Empties the UART into the ring. Compiled without SSE: see interrupts.hpp.
#include "arch/x86_64/interrupts.hpp"
#include "arch/x86_64/registers.hpp"
#include "arch/x86_64/serial.hpp"
#include "arch/x86_64/serial_ring.hpp"

namespace mxk::arch {

constinit serial::ReceiveRing serial::received{};

void receive_serial() {
    constexpr char control_c = 3;
    constexpr int max_bytes = 256; // a UART that always says "more" must not keep the core here
    std::uint16_t const port = serial::line().port;
    constexpr std::uint8_t data_ready = 0x01; // line status register, PC16550D
    constexpr std::uint8_t overrun = 0x02;    // a byte came before the one before it was read; reading clears it
    for (int i = 0; i < max_bytes; ++i) {
        std::uint8_t const status = in8(static_cast<std::uint16_t>(port + 5));
        if ((status & overrun) != 0) serial::received.count_lost(1); // or more: the UART does not say
        if ((status & data_ready) == 0) return;
        char const byte = static_cast<char>(in8(port));
        if (byte == control_c) serial::received.interrupt_requested.store(true, std::memory_order_relaxed);
        serial::received.put(byte);
    }
}

} // namespace mxk::arch

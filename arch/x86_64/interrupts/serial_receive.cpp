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
    for (int i = 0; i < max_bytes && (in8(static_cast<std::uint16_t>(port + 5)) & 1) != 0; ++i) {
        char const byte = static_cast<char>(in8(port));
        if (byte == control_c) serial::received.interrupt_requested.store(true, std::memory_order_relaxed);
        serial::received.put(byte);
    }
}

} // namespace mxk::arch

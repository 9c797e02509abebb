// Takes scan codes from the keyboard's controller into the ring. Compiled without SSE: see interrupts.hpp.
#include "arch/x86_64/board/keyboard.hpp"
#include "arch/x86_64/board/keyboard_ports.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"

namespace mxk::arch::keyboard {

constinit serial::ReceiveRing received{};

namespace {

// Ctrl-C takes effect before anybody reads what was typed, as on the serial line.
constinit bool control_is_down = false;

} // namespace

void receive() {
    constexpr std::uint8_t control = 0x1d;
    constexpr std::uint8_t key_c = 0x2e;
    constexpr std::uint8_t released = 0x80;
    auto const code = scan_code();
    if (!code) return;
    if ((*code & ~released) == control) control_is_down = (*code & released) == 0;
    if (*code == key_c && control_is_down) serial::received.interrupt_requested.store(true, std::memory_order_relaxed);
    received.put(static_cast<char>(*code));
}

} // namespace mxk::arch::keyboard

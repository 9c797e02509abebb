// A PS/2 keyboard at the 8042 controller (8042 data sheet; IBM PS/2 Hardware Interface Technical Reference), or what
// firmware makes of a USB keyboard as one. Keys become the bytes that a terminal sends (scan_codes.hpp), and are taken
// together with those of the serial line (arch/terminal.hpp).
#pragma once

#include <optional>

namespace mxk::arch::keyboard {

// Whether the controller answers; then it is made to send set 1 and to raise ISA interrupt 1. Not to be called where
// firmware says that there is none: the ports may be something else. The boot core.
bool open();
bool is_present();

// The next byte of what was typed. The boot core.
std::optional<char> take();

// The same from the controller itself, for when no interrupt is served any more.
std::optional<char> poll();

// interrupts/keyboard_receive.cpp: one scan code, from the controller into the ring.
void receive();

} // namespace mxk::arch::keyboard

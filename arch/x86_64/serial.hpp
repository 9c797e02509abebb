// A 16550 serial line, 8 data bits, no parity (TI PC16550D data sheet). Sending polls with a bound; receiving is by
// interrupt into a ring.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"

namespace mxk::arch::serial {

struct Line {
    std::uint16_t port = 0x3f8;
    std::optional<unsigned> irq = 4; // of the ISA bus; none: it is not known, or not to be used
    std::uint32_t baud = 115200;
    bool force = false; // it is there, whatever it answers
};

// The line at this port, with the interrupt that it has by custom.
Line line_at(std::uint16_t port);

// "com2", "com1,9600", "0x3e8,57600,poll", "com1,force": what `serial=` on the command line may say. Errors: what was
// expected of the word that is wrong.
Result<Line> parse_line(std::string_view text);

// Finds out whether there is a UART, and sets it up. Without one all output is dropped.
void open(Line const& line);
Line const& line();
bool is_present();

// From now on received bytes raise the line's interrupt. The boot core.
void enable_receive_interrupt();

// The next byte from the UART itself, past the ring: for when no interrupt is served any more.
std::optional<char> read_directly();
// What has been received goes into the ring, as the interrupt would do it: for lines without one. A task of the boot
// core; bounded.
void poll();

// Without a lock: for panics.
void write_unlocked(std::string_view text);

} // namespace mxk::arch::serial

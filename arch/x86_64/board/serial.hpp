// A 16550 serial line, 8 data bits, no parity (TI PC16550D data sheet). Sending polls with a bound; receiving is by
// interrupt into a ring.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "arch/x86_64/board/serial_line.hpp"

namespace mxk::arch::serial {

// Registers in memory, once the kernel's page tables are built; as map_device(). The boot core.
std::byte* map_registers(UartPlace const& place, std::string_view field);

// Finds out whether there is a UART, and sets it up. Without one all output is dropped. One whose registers are in
// memory only where they could be mapped. The boot core.
void open(Line const& line);
Line const& line();
// Where its registers are mapped, if they are in memory.
std::byte* registers();
bool is_present();

// How wide the terminal at the other end is, since it does not tell; 80 until it is said. The boot core.
void set_columns(std::size_t count);
std::size_t columns_at_its_end(); // any core

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

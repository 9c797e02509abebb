// The screen: what is written to the serial line stands there, too, so that a machine without one can speak. A linear
// frame buffer of any depth, or VGA text, as the loader has set it up (multiboot2 3.6.12); no mode is ever set here.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/qr_code.hpp"
#include "base/result.hpp"
#include "boot/boot_info.hpp"

namespace mxk::arch {

namespace screen {

// Maps it and clears it. The boot core, on the kernel's own page tables.
void open(boot::Framebuffer const& buffer);

// Without a lock: for panics. Nothing where there is no screen.
void write_unlocked(std::string_view text);
// Clears it unless so many lines fit: for a report that is to stay on it as a whole. Without a lock, too.
void make_room(std::size_t lines);

// As in arch/screen.hpp, without a lock.
Result<void> expect_room_for_code(std::size_t modules);
void show_code(QrCode const& code, std::string_view caption);
void take_code_away();

} // namespace screen

// To the serial line and to the screen, without a lock: for panics.
void write_everywhere(std::string_view text);

} // namespace mxk::arch

// The screen as a place for pictures: QR codes, which a phone reads where there is no other way out of the machine. The
// text that is written meanwhile is seen when the picture is taken away. Metal: the frame buffer that the loader has
// set up. Linux: there is none. The console's core; waits for cores that write to the terminal.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/qr_code.hpp"
#include "base/result.hpp"

namespace mxk::arch {

// Whether a code of so many modules on each side can be shown; else what was expected.
Result<void> expect_room_for_code(std::size_t modules);

// In place of what was there, as large as it fits, and below it a line of text, cut where the screen ends. Only where
// there is room for it.
void show_code(QrCode const& code, std::string_view caption);

// The text comes back.
void take_code_away();

} // namespace mxk::arch

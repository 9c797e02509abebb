#include "arch/screen.hpp"

#include "base/panic.hpp"

namespace mxk::arch {

Result<void> expect_room_for_code(std::size_t /*modules*/) {
    return Error("expected a machine with a screen of its own: what this program prints is in the terminal already");
}

void show_code(QrCode const& /*code*/, std::string_view /*caption*/) {
    panic("a program has no screen");
}

void take_code_away() {
    panic("a program has no screen");
}

} // namespace mxk::arch

// Which serial line, and how it is set: what `serial=` on the command line may say.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "arch/x86_64/board/uart_access.hpp"
#include "base/result.hpp"
#include "base/text.hpp"

namespace mxk::arch::serial {

constexpr std::uint32_t base_baud = 115200; // a UART's clock by 16, where it has the customary one

struct Line {
    UartPlace place{};
    std::optional<unsigned> irq = 4; // of the ISA bus; none: it is not known, or not to be used
    std::uint32_t baud = 115200;     // 0: as the firmware has set it; its clock is not known
    bool force = false;              // it is there, whatever it answers
};

// The line at this port, with the interrupt that it has by custom.
Line line_at(std::uint16_t port);

// "com2", "com1,9600", "0x3e8,57600,poll", "com1,force"; in memory "mmio:0xfe034000", and, where registers of 16 or 32
// bits stand side by side, "mmio16:..." and "mmio32:...". Errors: what was expected of the word that is wrong.
Result<Line> parse_line(std::string_view text);

// "at port 0x3f8", "in memory at 0xfe034000".
void print_place(TextSink& out, UartPlace const& place);

} // namespace mxk::arch::serial

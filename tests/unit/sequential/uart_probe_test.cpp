// What counts as a UART, and what does not, from made-up registers.
#include "arch/x86_64/board/uart_probe.hpp"

#include <gtest/gtest.h>

#include <array>

namespace mxk::arch::serial {
namespace {

// A 16550A of which parts may be missing.
struct FakeUart {
    bool answers = true;    // else all ones
    bool loops_back = true; // data in loop-back mode
    bool has_scratch = true;
    bool has_fifos = true;
    bool keeps_the_bus = false; // no device: what was written last is read
    std::array<std::uint8_t, 8> registers{};
    std::uint8_t last = 0;
    bool has_data = false;

    std::uint8_t read(std::uint16_t offset) {
        if (keeps_the_bus) return last;
        if (!answers) return 0xff;
        switch (offset) {
        case uart::data: return has_data = false, registers[uart::data];
        case uart::fifo_control: return has_fifos ? 0xc1 : 0x01;
        case uart::line_status: return has_data ? 0x61 : 0x60;
        case uart::scratch: return has_scratch ? registers[uart::scratch] : 0;
        default: return registers[offset];
        }
    }
    void write(std::uint16_t offset, std::uint8_t value) {
        last = value;
        registers[offset] = value;
        if (offset == uart::data) has_data = loops_back && (registers[uart::modem_control] & 0x10) != 0;
    }
};

bool is_found(FakeUart device) {
    return is_uart(
        {&device, [](void* it, std::uint16_t offset) { return static_cast<FakeUart*>(it)->read(offset); },
         [](void* it, std::uint16_t offset, std::uint8_t value) { static_cast<FakeUart*>(it)->write(offset, value); }});
}

TEST(UartProbe, any_of_its_parts_will_do) {
    EXPECT_TRUE(is_found({}));
    EXPECT_TRUE(is_found({.has_scratch = false, .has_fifos = false})) << "an 8250";
    EXPECT_TRUE(is_found({.loops_back = false})) << "of a management controller";
    EXPECT_TRUE(is_found({.loops_back = false, .has_fifos = false}));
    EXPECT_TRUE(is_found({.loops_back = false, .has_scratch = false}));
}

TEST(UartProbe, nothing_is_none) {
    EXPECT_FALSE(is_found({.answers = false}));
    EXPECT_FALSE(is_found({.keeps_the_bus = true}));
    EXPECT_FALSE(is_found({.loops_back = false, .has_scratch = false, .has_fifos = false}));
}

} // namespace
} // namespace mxk::arch::serial

// What `serial=` may say, and registers of a UART in memory of several widths.
#include "arch/x86_64/board/serial_line.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "arch/x86_64/board/uart_probe.hpp"
#include "base/format.hpp"

namespace mxk::arch::serial {
namespace {

std::string shown(std::string_view text) {
    auto const line = parse_line(text);
    if (!line) return std::string(line.error().message());
    FixedText<100> out;
    print_place(out, line.value().place);
    format(out, ", {} bytes each {}, {} baud{}{}", line.value().place.access_bytes, line.value().place.stride_bytes,
           line.value().baud, line.value().irq ? "" : ", polled", line.value().force ? ", forced" : "");
    return std::string(out.view());
}

TEST(SerialLine, is_named_by_its_port_or_by_its_place_in_memory) {
    EXPECT_EQ(shown("com2"), "at port 0x2f8, 1 bytes each 1, 115200 baud");
    EXPECT_EQ(shown("0x3e8,57600,poll"), "at port 0x3e8, 1 bytes each 1, 57600 baud, polled");
    EXPECT_EQ(shown("0x2000"), "at port 0x2000, 1 bytes each 1, 115200 baud, polled");
    EXPECT_EQ(shown("mmio:0xfe034001"), "in memory at 0xfe034001, 1 bytes each 1, 0 baud, polled");
    EXPECT_EQ(shown("mmio16:0xfe034002,force"), "in memory at 0xfe034002, 2 bytes each 2, 0 baud, polled, forced");
    EXPECT_EQ(shown("mmio32:0x1fe034000,9600"), "in memory at 0x1fe034000, 4 bytes each 4, 9600 baud, polled");
}

TEST(SerialLine, what_is_none_is_told) {
    for (std::string_view const wrong :
         {"com5", "com", "0x", "0x0", "0x12345", "mmio", "mmio:", "mmio:0", "mmio8:0xfe034000", "mmio32:0xfe034002",
          "mmio16:0xfe034001", "mmio:0xg", "mmio:0x12345678901234"}) {
        auto const line = parse_line(wrong);
        ASSERT_FALSE(line) << wrong;
        EXPECT_NE(line.error().message().find("expected com1 to com4, a port such as 0x3f8, or registers in memory"),
                  std::string_view::npos)
            << wrong;
    }
    EXPECT_EQ(shown("mmio32:0xfe034000,loud"),
              "serial: expected a baud rate that divides 115200, 'force' or 'poll', got 'loud'");
}

// A file of registers that keeps what is written, between others that must stay as they are.
struct RegisterFile {
    static constexpr std::byte untouched{0xee};
    alignas(8) std::array<std::byte, 8 * 8> content{};
    UartPlace place;

    explicit RegisterFile(std::uint8_t access, std::uint8_t stride)
        : place{.memory = PhysicalAddress{0x1000}, .access_bytes = access, .stride_bytes = stride} {
        content.fill(untouched);
    }
    UartRegisters registers() {
        return {this,
                [](void* it, std::uint16_t offset) {
                    auto& file = *static_cast<RegisterFile*>(it);
                    return read_uart(file.place, file.content.data(), offset);
                },
                [](void* it, std::uint16_t offset, std::uint8_t value) {
                    auto& file = *static_cast<RegisterFile*>(it);
                    write_uart(file.place, file.content.data(), offset, value);
                }};
    }
};

TEST(SerialLine, registers_in_memory_are_as_wide_and_as_far_apart_as_said) {
    struct Layout {
        std::uint8_t access, stride;
    };
    for (auto const [access, stride] : {Layout{1, 1}, Layout{1, 4}, Layout{2, 2}, Layout{4, 4}, Layout{4, 8}}) {
        RegisterFile file(access, stride);
        write_uart(file.place, file.content.data(), 3, 0x83);
        EXPECT_EQ(read_uart(file.place, file.content.data(), 3), 0x83);
        EXPECT_EQ(file.place.bytes(), 8U * stride);
        for (std::size_t at = 0; at < file.content.size(); ++at) {
            std::size_t const in_register = at - std::size_t{3} * stride;
            std::byte const expected = in_register == 0       ? std::byte{0x83}
                                       : in_register < access ? std::byte{0}
                                                              : RegisterFile::untouched;
            EXPECT_EQ(file.content[at], expected) << "access " << +access << ", stride " << +stride << ", byte " << at;
        }
    }
}

TEST(SerialLine, a_uart_in_memory_is_found_by_its_scratch_register) {
    RegisterFile wide(4, 4);
    write_uart(wide.place, wide.content.data(), uart::line_status, 0x60);
    EXPECT_TRUE(is_uart(wide.registers()));
    RegisterFile nothing(4, 4);
    write_uart(nothing.place, nothing.content.data(), uart::line_status, 0xff);
    EXPECT_FALSE(is_uart(nothing.registers())) << "all ones, as where no device is";
}

} // namespace
} // namespace mxk::arch::serial

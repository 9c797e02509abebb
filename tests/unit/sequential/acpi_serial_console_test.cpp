// SPCR: where firmware has its console.
#include "kernel/acpi/serial_console.hpp"

#include <gtest/gtest.h>

#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {
namespace {

struct Said {
    std::uint8_t interface = 0;
    std::uint8_t space = 1;
    std::uint64_t address = 0x2f8;
    std::uint8_t interrupt_type = 3;
    std::uint8_t irq = 3;
    std::uint8_t baud = 7;
    std::uint8_t bit_width = 8;
    std::uint8_t access_size = 1;
};

Bytes spcr(Said const& said) {
    Bytes body(44);
    put(body, 0, said.interface);
    put(body, 4, said.space);
    put(body, 5, said.bit_width);
    put(body, 7, said.access_size);
    put(body, 8, said.address);
    put(body, 16, said.interrupt_type);
    put(body, 17, said.irq);
    put(body, 22, said.baud);
    return table("SPCR", 2, {}, body);
}

std::optional<acpi::SerialConsole> console_of(Bytes const& table) {
    Firmware firmware({table});
    return acpi::serial_console(firmware.tables());
}

TEST(AcpiSerialConsole, is_a_port_with_its_interrupt_and_rate) {
    LogCapture const log;
    auto const found = console_of(spcr({}));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->port, std::uint16_t{0x2f8});
    EXPECT_EQ(found->irq, std::uint8_t{3});
    EXPECT_EQ(found->baud, std::uint32_t{115200});
    EXPECT_EQ(console_of(spcr({.baud = 3}))->baud, std::uint32_t{9600});
    EXPECT_FALSE(console_of(spcr({.baud = 0}))->baud.has_value()) << "as it is";
    EXPECT_FALSE(console_of(spcr({.interrupt_type = 2}))->irq.has_value()) << "not of the ISA bus";
    EXPECT_EQ(log.warnings(), no_warnings);
}

TEST(AcpiSerialConsole, may_have_its_registers_in_memory) {
    auto const found = console_of(spcr({.interface = 0x12, .space = 0, .address = 0xfe03'4000}));
    ASSERT_TRUE(found.has_value());
    EXPECT_FALSE(found->port.has_value());
    EXPECT_EQ(raw(found->memory), 0xfe03'4000U);
}

TEST(AcpiSerialConsole, registers_in_memory_have_a_width_and_a_distance) {
    struct Layout {
        std::uint8_t bit_width, access_size, access_bytes, stride_bytes;
    };
    for (auto const [bit_width, access_size, access_bytes, stride_bytes] :
         {Layout{8, 1, 1, 1}, Layout{8, 0, 1, 1}, Layout{16, 2, 2, 2}, Layout{32, 3, 4, 4}, Layout{32, 1, 1, 4},
          Layout{8, 3, 4, 4}, Layout{32, 0, 4, 4}}) {
        auto const found =
            console_of(spcr({.space = 0, .address = 0xfe03'4000, .bit_width = bit_width, .access_size = access_size}));
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->access_bytes, access_bytes) << +bit_width << " " << +access_size;
        EXPECT_EQ(found->stride_bytes, stride_bytes) << +bit_width << " " << +access_size;
    }
    LogCapture const log;
    EXPECT_FALSE(console_of(spcr({.space = 0, .address = 0xfe03'4000, .bit_width = 64, .access_size = 4})));
    EXPECT_FALSE(console_of(spcr({.space = 0, .address = 0xfe03'4002, .bit_width = 32, .access_size = 3})));
    EXPECT_EQ(
        log.warnings(),
        (std::vector<std::string>{
            "ACPI: SPCR names a serial line with registers of 64 bits, access size 4, at 0xfe034000, expected 8, 16 "
            "or 32 bits, aligned; it is not used",
            "ACPI: SPCR names a serial line with registers of 32 bits, access size 3, at 0xfe034002, expected 8, 16 "
            "or 32 bits, aligned; it is not used"}));
}

TEST(AcpiSerialConsole, is_none_without_a_table_or_an_address) {
    LogCapture const log;
    EXPECT_FALSE(acpi::serial_console(acpi::Tables()).has_value());
    EXPECT_FALSE(console_of(spcr({.address = 0})).has_value());
    EXPECT_EQ(log.warnings(), no_warnings);
}

TEST(AcpiSerialConsole, what_cannot_be_used_is_told) {
    LogCapture const log;
    EXPECT_FALSE(console_of(spcr({.interface = 3})).has_value());
    EXPECT_FALSE(console_of(spcr({.space = 2})).has_value());
    EXPECT_FALSE(console_of(spcr({.address = 0x1'02f8})).has_value());
    EXPECT_FALSE(console_of(table("SPCR", 2, {}, Bytes(22))).has_value());
    std::string const expected = ", expected a 16550 at a port or in memory; it is not used";
    EXPECT_EQ(log.warnings(), (std::vector<std::string>{
                                  "ACPI: SPCR names a serial line of interface type 3 in address space 1" + expected,
                                  "ACPI: SPCR names a serial line of interface type 0 in address space 2" + expected,
                                  "ACPI: SPCR names a serial line of interface type 0 in address space 1" + expected,
                                  "ACPI: SPCR of 58 bytes; it is not read",
                              }));
}

} // namespace
} // namespace mxk::acpi_test

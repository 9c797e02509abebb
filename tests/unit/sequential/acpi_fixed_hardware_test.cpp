// FADT and HPET: clocks, the reset register, legacy devices.
#include <gtest/gtest.h>

#include "kernel/acpi/fixed_hardware.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {
namespace {

// The compiled FADT with its bytes changed by `change`, as the machine's only table.
template <typename Change> acpi::Tables with_fadt(Firmware& firmware, Change change) {
    Bytes fadt = compiled("facp");
    change(fadt);
    fix_checksum(fadt);
    firmware.memory.place(Firmware::first_table_address, fadt);
    return firmware.tables();
}

TEST(AcpiFixedHardware, compiled) {
    Firmware firmware({compiled("facp"), compiled("hpet")});
    auto const tables = firmware.tables();
    auto const clocks = acpi::clocks(tables);
    EXPECT_EQ(clocks.pm_timer_port, 0x608);
    EXPECT_TRUE(clocks.pm_timer_32_bit);
    EXPECT_EQ(raw(clocks.hpet.value()), 0xfed0'0000U);

    auto const reset = acpi::reset_register(tables).value();
    EXPECT_EQ(reset.space, acpi::ResetRegister::Space::Io);
    EXPECT_EQ(reset.address, 0xcf9U);
    EXPECT_EQ(reset.value, 6U);

    EXPECT_TRUE(acpi::legacy_devices(tables).keyboard_controller);
    EXPECT_TRUE(acpi::legacy_devices(tables).cmos_clock);
}

TEST(AcpiFixedHardware, nothing_is_known_without_tables) {
    acpi::Tables const tables;
    EXPECT_FALSE(acpi::clocks(tables).pm_timer_port.has_value());
    EXPECT_FALSE(acpi::clocks(tables).hpet.has_value());
    EXPECT_FALSE(acpi::reset_register(tables).has_value());
    EXPECT_TRUE(acpi::legacy_devices(tables).keyboard_controller);
}

TEST(AcpiFixedHardware, the_pm_timer_falls_back_to_the_legacy_block) {
    Firmware firmware({compiled("facp")});
    auto const in_memory = with_fadt(firmware, [](Bytes& fadt) { put(fadt, 208, std::uint8_t{0}); });
    EXPECT_EQ(acpi::clocks(in_memory).pm_timer_port, 0x408);
    auto const too_far = with_fadt(firmware, [](Bytes& fadt) { put(fadt, 212, std::uint64_t{0x1'0000}); });
    EXPECT_EQ(acpi::clocks(too_far).pm_timer_port, 0x408);
    auto const without_any = with_fadt(firmware, [](Bytes& fadt) {
        put(fadt, 212, std::uint64_t{0});
        put(fadt, 76, std::uint32_t{0});
    });
    EXPECT_FALSE(acpi::clocks(without_any).pm_timer_port.has_value());
}

TEST(AcpiFixedHardware, fadt_of_revision_1_ends_early) {
    Firmware firmware({compiled("facp")});
    auto const tables = with_fadt(firmware, [](Bytes& fadt) {
        fadt.resize(116);
        put(fadt, 4, std::uint32_t{116});
        put(fadt, 8, std::uint8_t{1});
        put(fadt, 109, std::uint16_t{0}); // reserved in this revision
    });
    EXPECT_EQ(acpi::clocks(tables).pm_timer_port, 0x408);
    EXPECT_FALSE(acpi::reset_register(tables).has_value());
    EXPECT_TRUE(acpi::legacy_devices(tables).keyboard_controller);
}

TEST(AcpiFixedHardware, a_reset_register_must_be_announced_and_reachable) {
    Firmware firmware({compiled("facp")});
    auto const silent = with_fadt(firmware, [](Bytes& fadt) { put(fadt, 112, std::uint32_t{0}); });
    EXPECT_FALSE(acpi::reset_register(silent).has_value());
    EXPECT_FALSE(acpi::clocks(silent).pm_timer_32_bit);
    auto const odd = with_fadt(firmware, [](Bytes& fadt) { put(fadt, 116, std::uint8_t{0x7f}); });
    EXPECT_FALSE(acpi::reset_register(odd).has_value());
    auto const memory = with_fadt(firmware, [](Bytes& fadt) { put(fadt, 116, std::uint8_t{0}); });
    EXPECT_EQ(acpi::reset_register(memory).value().space, acpi::ResetRegister::Space::Memory);
}

TEST(AcpiFixedHardware, legacy_devices_that_are_not_there) {
    Firmware firmware({compiled("facp")});
    auto const tables = with_fadt(firmware, [](Bytes& fadt) { put(fadt, 109, std::uint16_t{0x20}); });
    EXPECT_FALSE(acpi::legacy_devices(tables).keyboard_controller);
    EXPECT_FALSE(acpi::legacy_devices(tables).cmos_clock);
}

TEST(AcpiFixedHardware, an_hpet_must_be_in_memory) {
    Bytes hpet = compiled("hpet");
    put(hpet, 40, std::uint8_t{1});
    fix_checksum(hpet);
    Firmware firmware({hpet});
    EXPECT_FALSE(acpi::clocks(firmware.tables()).hpet.has_value());
}

} // namespace
} // namespace mxk::acpi_test

// How a machine is switched off: registers from the FADT, the sleep type from the DSDT.
#include <gtest/gtest.h>

#include "kernel/acpi/power_off.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {
namespace {

constexpr std::uint64_t dsdt_address = 0x7d00'0003;

// A machine with a FADT that points to this DSDT, and its bytes changed by `change`.
class SwitchedMachine {
  public:
    template <typename Change> SwitchedMachine(Bytes const& dsdt, Change change) {
        Bytes fadt = compiled("facp");
        put(fadt, 40, std::uint32_t{0});
        put(fadt, 140, dsdt_address);
        put(fadt, 176, std::uint64_t{0x604}); // PM1a control, extended
        put(fadt, 64, std::uint32_t{0x404});  // the same, legacy
        put(fadt, 48, std::uint32_t{0xb2});
        put(fadt, 52, std::uint8_t{0xf1});
        change(fadt);
        fix_checksum(fadt);
        firmware_.memory.place(Firmware::first_table_address, fadt);
        firmware_.memory.place(dsdt_address, dsdt);
    }
    explicit SwitchedMachine(Bytes const& dsdt)
        : SwitchedMachine(dsdt, [](Bytes&) {}) {}

    std::optional<acpi::PowerOff> power_off() { return acpi::power_off(firmware_.tables(), firmware_.memory); }

  private:
    Firmware firmware_{{compiled("facp")}};
};

// A DSDT of these bytes.
Bytes aml(std::initializer_list<unsigned> bytes) {
    Bytes code;
    for (unsigned const byte : bytes) code.push_back(static_cast<std::byte>(byte));
    return table("DSDT", 2, {code}, {});
}

TEST(AcpiPowerOff, compiled) {
    auto const found = SwitchedMachine(compiled("dsdt")).power_off();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->control_port, 0x604);
    EXPECT_EQ(found->second_control_port, 0);
    EXPECT_EQ(found->sleep_type, 5);
    EXPECT_EQ(found->second_sleep_type, 6);
    EXPECT_EQ(found->enable_port, 0xb2);
    EXPECT_EQ(found->enable_value, 0xf1);
}

TEST(AcpiPowerOff, older_fields_where_the_newer_ones_say_nothing) {
    SwitchedMachine older(compiled("dsdt"), [](Bytes& fadt) {
        put(fadt, 176, std::uint64_t{0});
        put(fadt, 68, std::uint32_t{0x444});
        put(fadt, 140, std::uint64_t{0});
        put(fadt, 40, static_cast<std::uint32_t>(dsdt_address));
        put(fadt, 52, std::uint8_t{0});
    });
    auto const found = older.power_off();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->control_port, 0x404);
    EXPECT_EQ(found->second_control_port, 0x444);
    EXPECT_EQ(found->enable_port, 0) << "nothing is to be written there";
}

TEST(AcpiPowerOff, not_known) {
    EXPECT_FALSE(SwitchedMachine(compiled("dsdt"), [](Bytes& fadt) {
                     put(fadt, 112, std::uint32_t{1U << 20}); // reduced hardware
                 }).power_off());
    EXPECT_FALSE(SwitchedMachine(compiled("dsdt"), [](Bytes& fadt) {
                     put(fadt, 176, std::uint64_t{0});
                     put(fadt, 64, std::uint32_t{0x1'0000}); // no port
                 }).power_off());
    EXPECT_FALSE(
        SwitchedMachine(compiled("dsdt"), [](Bytes& fadt) { put(fadt, 140, std::uint64_t{0x1000}); }).power_off())
        << "nothing lies there";
    Bytes damaged = compiled("dsdt");
    damaged.back() ^= std::byte{1};
    EXPECT_FALSE(SwitchedMachine(damaged).power_off());
    Firmware none({compiled("hpet")});
    EXPECT_FALSE(acpi::power_off(none.tables(), none.memory).has_value());
}

TEST(AcpiPowerOff, packages_of_every_kind_and_damaged_ones) {
    // Behind Name, "_S5_": PackageOp, its length (here of two bytes), the number of elements, an element.
    auto const one = SwitchedMachine(aml({0x08, '\\', '_', 'S', '5', '_', 0x12, 0x45, 0x00, 1, 0x0a, 7})).power_off();
    ASSERT_TRUE(one.has_value());
    EXPECT_EQ(one->sleep_type, 7);
    EXPECT_EQ(one->second_sleep_type, 7) << "of one element, for both registers";
    for (auto const& code : {
             aml({0x08, '_', 'S', '5', '_'}),
             aml({0x08, '_', 'S', '5', '_', 0x12}),
             aml({0x08, '_', 'S', '5', '_', 0x12, 0xc5, 0, 0}),          // a length of four bytes, cut off
             aml({0x08, '_', 'S', '5', '_', 0x12, 0x03, 0}),             // no element
             aml({0x08, '_', 'S', '5', '_', 0x12, 0x04, 1, 0x0a}),       // the element is cut off
             aml({0x08, '_', 'S', '5', '_', 0x12, 0x05, 1, 0x0a, 8}),    // a type has three bits
             aml({0x08, '_', 'S', '5', '_', 0x11, 0x05, 1, 0x0a, 5}),    // no package
             aml({0x07, '_', 'S', '5', '_', 0x12, 0x05, 1, 0x0a, 5}),    // no name
             aml({0x08, '_', 'S', '5', '_', 0x12, 0x05, 1, 0x0b, 5, 0}), // a word
             aml({'_', 'S', '5', '_'}),
             aml({'_', 'S', '5'}),
             aml({}),
         })
        EXPECT_FALSE(SwitchedMachine(code).power_off().has_value());
}

} // namespace
} // namespace mxk::acpi_test

// DMAR: the one flag that is read of it.
#include "kernel/acpi/dmar.hpp"

#include <gtest/gtest.h>

#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {
namespace {

bool opts_out(std::uint8_t flags) {
    Bytes body(12);
    put(body, 1, flags); // behind the host address width
    Firmware firmware({table("DMAR", 1, {}, body)});
    return acpi::opts_out_of_x2apic(firmware.tables());
}

TEST(AcpiDmar, opts_out_of_x2apic_where_interrupts_are_remapped) {
    EXPECT_TRUE(opts_out(0b011));
    EXPECT_TRUE(opts_out(0b111));
    EXPECT_FALSE(opts_out(0b010)) << "valid with the first bit only";
    EXPECT_FALSE(opts_out(0b001));
    EXPECT_FALSE(opts_out(0b101));
}

TEST(AcpiDmar, without_one_nothing_is_said) {
    EXPECT_FALSE(acpi::opts_out_of_x2apic(acpi::Tables()));
    Firmware firmware({table("DMAR", 1, {}, Bytes(1))});
    EXPECT_FALSE(acpi::opts_out_of_x2apic(firmware.tables())) << "cut off before the flags";
}

} // namespace
} // namespace mxk::acpi_test

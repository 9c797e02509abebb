// SRAT and SLIT: domains of processors and memory, distances.
#include <gtest/gtest.h>

#include "kernel/acpi/slit.hpp"
#include "kernel/acpi/srat.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {
namespace {

TEST(AcpiSrat, compiled_two_nodes) {
    LogCapture log;
    Firmware firmware({compiled("two_nodes_srat")});
    auto const srat_content = acpi::affinities(firmware.tables(), firmware.arena.arena).value().value();
    ASSERT_EQ(srat_content.processors.size(), 4U);
    EXPECT_EQ(raw(srat_content.processors[2].apic_id), 2U);
    EXPECT_EQ(srat_content.processors[2].proximity_domain, 1U);
    // The hot-pluggable range is memory where there is some; the non-volatile one is listed apart.
    ASSERT_EQ(srat_content.memory.size(), 4U);
    EXPECT_EQ(srat_content.non_volatile.size(), 1U);
    EXPECT_EQ(raw(srat_content.memory[3].start), 0x1'0000'0000U);
    EXPECT_EQ(srat_content.memory[3].bytes, 0x4000'0000U);
    EXPECT_EQ(srat_content.memory[3].proximity_domain, 1U);
    EXPECT_EQ(log.warnings(), no_warnings);
}

TEST(AcpiSrat, compiled_x2apic) {
    Firmware firmware({compiled("x2apic_srat")});
    auto const srat_content = acpi::affinities(firmware.tables(), firmware.arena.arena).value().value();
    ASSERT_EQ(srat_content.processors.size(), 6U);
    EXPECT_EQ(raw(srat_content.processors[4].apic_id), 0x1234'5678U);
    EXPECT_EQ(srat_content.processors[4].proximity_domain, 0x1'0000U);
}

TEST(AcpiSrat, none) {
    Firmware firmware({});
    EXPECT_FALSE(acpi::affinities(firmware.tables(), firmware.arena.arena).value().has_value());
}

TEST(AcpiSrat, the_high_bits_of_a_domain_count_from_revision_2_on) {
    for (std::uint8_t const revision : std::to_array<std::uint8_t>({1, 2, 3})) {
        Firmware firmware(
            {srat({processor_affinity(0x1234'5678, 1), memory_affinity(0x1234'5678, 0, 4096)}, revision)});
        auto const content = acpi::affinities(firmware.tables(), firmware.arena.arena).value().value();
        std::uint32_t const expected = revision < 2 ? 0x78 : 0x1234'5678;
        EXPECT_EQ(content.processors[0].proximity_domain, expected);
        EXPECT_EQ(content.memory[0].proximity_domain, expected);
    }
}

TEST(AcpiSrat, disabled_empty_and_endless_entries) {
    LogCapture log;
    Firmware firmware({srat({processor_affinity(0, 1, 0), x2apic_affinity(0, 2, 0), memory_affinity(0, 0, 4096, 0),
                             memory_affinity(0, 4096, 0), memory_affinity(1, 0x1000, ~0ULL)})});
    auto const content = acpi::affinities(firmware.tables(), firmware.arena.arena).value().value();
    EXPECT_TRUE(content.processors.empty());
    ASSERT_EQ(content.memory.size(), 1U);
    EXPECT_EQ(content.memory[0].bytes, ~0ULL - 0x1000);
    EXPECT_EQ(log.warnings(),
              std::vector<std::string>{"ACPI: SRAT: 18446744073709551615 bytes from 0x1000 on pass the end of the "
                                       "address space; cut"});
}

TEST(AcpiSrat, a_zero_length_record_ends_the_walk) {
    Bytes broken = processor_affinity(0, 2);
    put(broken, 1, std::uint8_t{0});
    LogCapture log;
    Firmware firmware({srat({processor_affinity(0, 1), broken, processor_affinity(0, 3)})});
    EXPECT_EQ(acpi::affinities(firmware.tables(), firmware.arena.arena).value().value().processors.size(), 1U);
    EXPECT_EQ(log.warnings(),
              std::vector<std::string>{"ACPI: SRAT: no valid record at offset 64 of 96; the rest is not read"});
}

std::string slit_error(Bytes const& slit_table) {
    Firmware firmware({slit_table});
    auto const distances = acpi::locality_distances(firmware.tables());
    return distances.ok() ? "" : std::string(distances.error().message());
}

TEST(AcpiSlit, compiled) {
    Firmware firmware({compiled("two_nodes_slit")});
    auto const distances = acpi::locality_distances(firmware.tables()).value();
    EXPECT_EQ(distances.between(0, 0), 10U);
    EXPECT_EQ(distances.between(0, 1), 21U);
    EXPECT_EQ(distances.between(1, 0), 31U);
    EXPECT_TRUE(distances.covers(1));
    EXPECT_FALSE(distances.covers(2));
}

TEST(AcpiSlit, nonsense_is_refused) {
    EXPECT_EQ(slit_error(slit(2, {10, 255, 20, 10})), "");
    EXPECT_EQ(slit_error(slit(2, {10, 20, 20, 11})), "ACPI: SLIT with distance 11 from 1 to 1");
    EXPECT_EQ(slit_error(slit(2, {10, 9, 20, 10})), "ACPI: SLIT with distance 9 from 0 to 1");
    EXPECT_EQ(slit_error(slit(0, {})), "ACPI: SLIT for 0 localities in 44 bytes");
    EXPECT_EQ(slit_error(slit(3, {10, 20, 20, 10})), "ACPI: SLIT for 3 localities in 48 bytes");
    EXPECT_EQ(slit_error(slit(1ULL << 32, {10})), "ACPI: SLIT for 4294967296 localities in 45 bytes");
    EXPECT_EQ(slit_error(table("SLIT", 1, {}, Bytes(4))), "ACPI: SLIT of 40 bytes");
    EXPECT_EQ(slit_error(table("ELSE", 1, {}, Bytes(4))), "ACPI: no SLIT");
}

} // namespace
} // namespace mxk::acpi_test

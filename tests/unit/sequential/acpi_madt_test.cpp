// MADT: the processors and the interrupt model, from compiled tables and from broken ones.
#include <gtest/gtest.h>

#include "kernel/acpi/madt.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {
namespace {

struct Listing {
    std::vector<std::uint64_t> apic_ids;
    std::size_t listed;
    std::vector<std::string> warnings;
};

Listing listing_of(Bytes const& madt_table) {
    LogCapture log;
    Firmware firmware({madt_table});
    auto const found = acpi::processors(firmware.tables(), firmware.arena.arena).value();
    Listing result{{}, found.listed, log.warnings()};
    for (auto const& processor : found.enabled) result.apic_ids.push_back(raw(processor.apic_id));
    return result;
}

using Ids = std::vector<std::uint64_t>;

TEST(AcpiMadt, compiled_two_nodes) {
    LogCapture log;
    Firmware firmware({compiled("two_nodes_madt")});
    auto const found = acpi::processors(firmware.tables(), firmware.arena.arena).value();
    ASSERT_EQ(found.enabled.size(), 4U);
    EXPECT_EQ(found.listed, 4U);
    EXPECT_EQ(raw(found.enabled[3].apic_id), 3U);
    EXPECT_EQ(found.enabled[3].acpi_uid, 3U);

    auto const model = acpi::interrupt_model(firmware.tables(), firmware.arena.arena).value();
    EXPECT_EQ(raw(model.local_apic), 0xfee0'0000U);
    EXPECT_TRUE(model.has_legacy_pics);
    ASSERT_EQ(model.io_apics.size(), 1U);
    EXPECT_EQ(model.io_apics[0].id, 4U);
    EXPECT_EQ(raw(model.io_apics[0].address), 0xfec0'0000U);
    EXPECT_EQ(model.io_apics[0].first_interrupt, 0U);
    ASSERT_EQ(model.overrides.size(), 2U);
    EXPECT_EQ(model.overrides[0].isa_interrupt, 0U);
    EXPECT_EQ(model.overrides[0].global_interrupt, 2U);
    EXPECT_FALSE(model.overrides[0].signal.active_low);
    EXPECT_FALSE(model.overrides[0].signal.level_triggered);
    EXPECT_EQ(model.overrides[1].isa_interrupt, 9U);
    EXPECT_TRUE(model.overrides[1].signal.active_low);
    EXPECT_TRUE(model.overrides[1].signal.level_triggered);
    ASSERT_EQ(model.local_nmis.size(), 1U);
    EXPECT_FALSE(model.local_nmis[0].acpi_uid.has_value());
    EXPECT_EQ(model.local_nmis[0].input, 1U);
    EXPECT_EQ(log.warnings(), no_warnings);
}

TEST(AcpiMadt, compiled_x2apic) {
    auto const listing = listing_of(compiled("x2apic_madt"));
    EXPECT_EQ(listing.apic_ids, (Ids{0, 2, 0x100, 0x102, 0x1234'5678}));
    EXPECT_EQ(listing.listed, 8U);
    EXPECT_EQ(listing.warnings, no_warnings);

    Firmware firmware({compiled("x2apic_madt")});
    auto const model = acpi::interrupt_model(firmware.tables(), firmware.arena.arena).value();
    EXPECT_EQ(raw(model.local_apic), 0x1'fee0'0000U);
    EXPECT_FALSE(model.has_legacy_pics);
    ASSERT_EQ(model.io_apics.size(), 2U);
    EXPECT_EQ(model.io_apics[1].first_interrupt, 24U);
    ASSERT_EQ(model.local_nmis.size(), 2U);
    EXPECT_FALSE(model.local_nmis[0].acpi_uid.has_value());
    EXPECT_EQ(model.local_nmis[1].acpi_uid, 0x200U);
    EXPECT_EQ(model.local_nmis[1].input, 0U);
}

TEST(AcpiMadt, without_one_there_are_no_processors_and_a_pc) {
    Firmware firmware({});
    auto const tables = firmware.tables();
    EXPECT_TRUE(acpi::processors(tables, firmware.arena.arena).value().enabled.empty());
    auto const model = acpi::interrupt_model(tables, firmware.arena.arena).value();
    EXPECT_EQ(raw(model.local_apic), 0xfee0'0000U);
    EXPECT_TRUE(model.io_apics.empty());
}

TEST(AcpiMadt, disabled_and_broadcast_entries) {
    auto const listing =
        listing_of(madt({local_apic(0, 4), local_apic(1, 0, 0), local_apic(2, 6, 2), local_apic(3, 255),
                         local_x2apic(4, 0xffff'ffff), local_apic(5, 0), local_apic(6, 0, 0)}));
    EXPECT_EQ(listing.apic_ids, (Ids{4, 0}));
    EXPECT_EQ(listing.listed, 5U);
    EXPECT_EQ(listing.warnings, no_warnings);
}

TEST(AcpiMadt, one_processor_in_both_record_types_is_customary) {
    auto const listing = listing_of(
        madt({local_x2apic(7, 300), local_x2apic(0, 2), local_x2apic(1, 0), local_apic(1, 0), local_apic(0, 2)}));
    EXPECT_EQ(listing.apic_ids, (Ids{300, 2, 0}));
    EXPECT_EQ(listing.warnings, no_warnings);
}

TEST(AcpiMadt, inputs_of_a_processor_are_its_own_then_the_common_ones_then_the_customary) {
    acpi::LocalNmi const common{std::nullopt, 1, {false, false}};
    acpi::LocalNmi const own{7U, 0, {true, true}};
    acpi::LocalNmi const impossible{8U, 2, {false, false}};
    constexpr acpi::LocalInput nmi{.non_maskable = true};
    constexpr acpi::LocalInput low{.non_maskable = true, .active_low = true};
    constexpr acpi::LocalInput nothing{};
    using Inputs = acpi::LocalInputs;

    acpi::InterruptModel model;
    EXPECT_EQ(acpi::local_inputs(model, 7), (Inputs{nothing, nmi})) << "no record at all";
    acpi::LocalNmi const all[] = {common, own, impossible};
    model.local_nmis = all;
    EXPECT_EQ(acpi::local_inputs(model, 7), (Inputs{low, nothing}));
    EXPECT_EQ(acpi::local_inputs(model, 8), (Inputs{nothing, nmi})) << "an input that there is not";
    EXPECT_EQ(acpi::local_inputs(model, 9), (Inputs{nothing, nmi}));
    model.local_nmis = std::span(all).subspan(1);
    EXPECT_EQ(acpi::local_inputs(model, 9), (Inputs{nothing, nmi})) << "others' records only";
}

TEST(AcpiMadt, inputs_that_bring_an_nmi) {
    auto const source = [](std::uint32_t interrupt, std::uint16_t signal) { // type 3, ACPI 6.5 section 5.2.12.6
        Bytes record(8);
        put(record, 0, std::uint8_t{3});
        put(record, 1, std::uint8_t{8});
        put(record, 2, signal);
        put(record, 4, interrupt);
        return record;
    };
    LogCapture log;
    Firmware firmware({madt({local_apic(0, 0), source(9, 0x0f), source(0x1'0002, 0)})});
    auto const model = acpi::interrupt_model(firmware.tables(), firmware.arena.arena).value();
    ASSERT_EQ(model.nmi_sources.size(), 2U);
    EXPECT_EQ(model.nmi_sources[0].global_interrupt, 9U);
    EXPECT_TRUE(model.nmi_sources[0].signal.active_low);
    EXPECT_EQ(model.nmi_sources[1].global_interrupt, 0x1'0002U);
    EXPECT_FALSE(model.nmi_sources[1].signal.active_low);
    EXPECT_EQ(log.warnings(), no_warnings);
}

TEST(AcpiMadt, one_processor_twice_in_one_type_is_not) {
    std::vector<std::string> const expected{"ACPI: MADT enables 2 processors more than once; each is taken once"};
    auto const listing = listing_of(madt({local_apic(0, 2), local_apic(1, 2), local_x2apic(2, 9), local_apic(3, 1),
                                          local_x2apic(4, 9), local_apic(5, 9)}));
    EXPECT_EQ(listing.apic_ids, (Ids{2, 9, 1}));
    EXPECT_EQ(listing.warnings, expected);
}

TEST(AcpiMadt, unknown_types_are_stepped_over) {
    Bytes unknown(7, std::byte{0x77});
    put(unknown, 1, std::uint8_t{7});
    auto const listing = listing_of(madt({unknown, local_apic(0, 1), unknown, local_apic(1, 2)}));
    EXPECT_EQ(listing.apic_ids, (Ids{1, 2}));
    EXPECT_EQ(listing.warnings, no_warnings);
}

TEST(AcpiMadt, an_impossible_record_length_ends_the_walk) {
    for (std::uint8_t const length : std::to_array<std::uint8_t>({0, 1, 17, 255})) {
        Bytes broken = local_apic(1, 2);
        put(broken, 1, length);
        auto const listing = listing_of(madt({local_apic(0, 1), broken, local_apic(2, 3)}));
        EXPECT_EQ(listing.apic_ids, Ids{1}) << unsigned{length};
        EXPECT_EQ(listing.warnings,
                  std::vector<std::string>{"ACPI: MADT: no valid record at offset 52 of 68; the rest is not read"});
    }
}

TEST(AcpiMadt, a_record_cut_by_the_end_of_the_table) {
    Bytes const cut{std::byte{0}};
    auto const listing = listing_of(madt({local_apic(0, 1), cut}));
    EXPECT_EQ(listing.apic_ids, Ids{1});
    EXPECT_EQ(listing.warnings.size(), 1U);
    EXPECT_EQ(listing_of(table("APIC", 1, {}, Bytes(3))).warnings,
              std::vector<std::string>{"ACPI: MADT: no valid record at offset 44 of 39; the rest is not read"});
}

TEST(AcpiMadt, records_too_short_for_their_type_are_skipped) {
    Bytes short_record = local_apic(1, 2);
    short_record.resize(4);
    put(short_record, 1, std::uint8_t{4});
    auto const listing = listing_of(madt({local_apic(0, 1), short_record, local_apic(2, 3)}));
    EXPECT_EQ(listing.apic_ids, (Ids{1, 3}));
    EXPECT_EQ(listing.warnings, std::vector<std::string>{"ACPI: MADT: 1 records too short for their type; skipped"});
}

} // namespace
} // namespace mxk::acpi_test

// Root pointer and table list: what is sound is found, what is broken is named once and stepped over.
#include <gtest/gtest.h>

#include "kernel/acpi/root_pointer.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {
namespace {

Bytes small_table(std::string_view signature) {
    return table(signature, 1, {}, Bytes(8));
}

TEST(AcpiTables, are_found_by_both_lists) {
    for (std::uint8_t const revision : std::to_array<std::uint8_t>({0, 1, 2, 6})) {
        LogCapture log;
        Firmware firmware({small_table("AAAA"), small_table("BBBB")}, revision);
        auto const tables = firmware.tables();
        EXPECT_EQ(tables.find("AAAA").size(), 44U);
        EXPECT_EQ(tables.find("BBBB").size(), 44U);
        EXPECT_TRUE(tables.find("CCCC").empty());
        EXPECT_EQ(log.warnings(), no_warnings);
    }
}

TEST(AcpiTables, the_first_valid_one_of_a_signature_counts) {
    Bytes broken = small_table("AAAA");
    put(broken, 40, std::uint8_t{1});
    Bytes second = table("AAAA", 2, {}, Bytes(8));
    LogCapture log;
    Firmware firmware({broken, second, small_table("AAAA")});
    auto const found = firmware.tables().find("AAAA");
    EXPECT_EQ(Bytes(found.begin(), found.end()), second);
    EXPECT_EQ(log.warnings(),
              std::vector<std::string>{"ACPI: XSDT entry 0: table AAAA at 0x7ff00005: wrong checksum; skipped"});
}

TEST(AcpiTables, impossible_lengths_are_named_and_skipped) {
    for (std::uint32_t const length : {0U, 1U, 35U, 0xffff'ffffU}) {
        Bytes broken = small_table("AAAA");
        put(broken, 4, length);
        fix_checksum(broken);
        LogCapture log;
        Firmware firmware({broken, small_table("BBBB")});
        auto const tables = firmware.tables();
        EXPECT_TRUE(tables.find("AAAA").empty());
        EXPECT_FALSE(tables.find("BBBB").empty());
        EXPECT_EQ(log.warnings(),
                  std::vector<std::string>{"ACPI: XSDT entry 0: table AAAA at 0x7ff00005: impossible length " +
                                           std::to_string(length) + "; skipped"});
    }
}

TEST(AcpiTables, truncated_and_unreadable_ones_are_named_and_skipped) {
    Bytes truncated = small_table("AAAA");
    truncated.pop_back();
    Bytes headless = small_table("B\x1b"
                                 "BB");
    headless.resize(20);
    LogCapture log;
    Firmware firmware({truncated, headless, small_table("CCCC")});
    EXPECT_FALSE(firmware.tables().find("CCCC").empty());
    EXPECT_EQ(log.warnings(),
              (std::vector<std::string>{
                  "ACPI: XSDT entry 0: table AAAA at 0x7ff00005: its 44 bytes are not readable; skipped",
                  "ACPI: XSDT entry 1: table at 0x8000000c: not readable; skipped"}));
}

TEST(AcpiTables, signatures_are_made_printable) {
    Bytes broken = small_table("A\x1b[2");
    put(broken, 40, std::uint8_t{1});
    LogCapture log;
    Firmware firmware({broken});
    firmware.tables();
    EXPECT_EQ(log.warnings(),
              std::vector<std::string>{"ACPI: XSDT entry 0: table A?[2 at 0x7ff00005: wrong checksum; skipped"});
}

// The list at the address of `list`, of the given table addresses.
Bytes list_of(std::string_view signature, std::vector<std::uint64_t> const& addresses, std::size_t more_bytes = 0) {
    Bytes entries(addresses.size() * sizeof(std::uint64_t) + more_bytes);
    for (std::size_t i = 0; i < addresses.size(); ++i) put(entries, i * sizeof(std::uint64_t), addresses[i]);
    return table(signature, 1, {}, entries);
}

TEST(AcpiTables, a_list_that_names_lists_or_a_table_twice_is_read_once) {
    LogCapture log;
    Firmware firmware({small_table("AAAA")});
    firmware.memory.place(Firmware::xsdt_address,
                          list_of("XSDT", {Firmware::xsdt_address, Firmware::first_table_address,
                                           Firmware::first_table_address, Firmware::rsdt_address}));
    EXPECT_FALSE(firmware.tables().find("AAAA").empty());
    EXPECT_EQ(log.warnings(), (std::vector<std::string>{
                                  "ACPI: XSDT entry 0: table at 0x7fe10003 is a list of tables; skipped",
                                  "ACPI: XSDT entry 2: the table at 0x7ff00005 stands in it before; skipped",
                                  "ACPI: XSDT entry 3: table at 0x7fe00001 is a list of tables; skipped",
                              }));
}

TEST(AcpiTables, a_part_of_an_entry_is_not_read) {
    LogCapture log;
    Firmware firmware({small_table("AAAA")});
    firmware.memory.place(Firmware::xsdt_address, list_of("XSDT", {Firmware::first_table_address}, 7));
    EXPECT_FALSE(firmware.tables().find("AAAA").empty());
    EXPECT_EQ(log.warnings(),
              std::vector<std::string>{"ACPI: XSDT with 7 bytes behind its last whole entry; not read"});
}

TEST(AcpiTables, a_list_without_end_is_read_as_far_as_any_machine_needs) {
    LogCapture log;
    Firmware firmware({small_table("AAAA")});
    std::vector<std::uint64_t> addresses(5000, Firmware::first_table_address);
    firmware.memory.place(Firmware::xsdt_address, list_of("XSDT", addresses));
    EXPECT_FALSE(firmware.tables().find("AAAA").empty());
    ASSERT_EQ(log.warnings().size(), 4096U);
    EXPECT_EQ(log.warnings()[0], "ACPI: XSDT with 5000 entries, expected up to 4096; the rest is not read");
}

TEST(AcpiTables, an_unusable_xsdt_gives_way_to_the_rsdt) {
    LogCapture log;
    Firmware firmware({small_table("AAAA")});
    firmware.memory.place(Firmware::xsdt_address, small_table("BBBB"));
    EXPECT_FALSE(firmware.tables().find("AAAA").empty());
    EXPECT_EQ(log.warnings(), std::vector<std::string>{"ACPI: table at 0x7fe10003: not the XSDT; using the RSDT"});
}

TEST(AcpiTables, without_any_list_there_is_an_error) {
    LogCapture log;
    Firmware firmware({small_table("AAAA")});
    firmware.memory.place(Firmware::xsdt_address, {});
    firmware.memory.place(Firmware::rsdt_address, {});
    auto const result = firmware.open();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().message(), "ACPI: table at 0x7fe00001: not readable");
    firmware.rsdp = root_pointer(0, 0, 0);
    auto const nameless = firmware.open();
    ASSERT_FALSE(nameless.ok());
    EXPECT_EQ(nameless.error().message(), "ACPI: the RSDP names no RSDT");
}

TEST(AcpiRootPointer, errors_of_the_first_part) {
    Bytes good = root_pointer(0, 0x1000, 0);
    for (std::size_t length = 0; length < good.size(); ++length) {
        EXPECT_FALSE(acpi::parse_root_pointer(std::span(good).first(length)).ok());
    }
    for (std::size_t i = 0; i < good.size(); ++i) {
        Bytes bad = good;
        bad[i] ^= std::byte{4};
        EXPECT_FALSE(acpi::parse_root_pointer(bad).ok()) << "byte " << i;
    }
    EXPECT_EQ(raw(acpi::parse_root_pointer(good).value().rsdt.value()), 0x1000U);
}

TEST(AcpiRootPointer, errors_of_the_extension_leave_the_rsdt) {
    Bytes const good = root_pointer(2, 0x1000, 0x1'2345'6789);
    EXPECT_EQ(raw(acpi::parse_root_pointer(good).value().xsdt.value()), 0x1'2345'6789U);

    auto const warning_of = [](Bytes const& rsdp) {
        LogCapture log;
        auto const root = acpi::parse_root_pointer(rsdp);
        EXPECT_EQ(raw(root.value().rsdt.value()), 0x1000U);
        EXPECT_FALSE(root.value().xsdt.has_value());
        return log.warnings();
    };
    auto const expected = [](std::string const& fault) {
        return std::vector<std::string>{"ACPI: no XSDT from the RSDP, " + fault + ": using the RSDT"};
    };
    EXPECT_EQ(warning_of(Bytes(good.begin(), good.begin() + 20)), expected("it is cut short"));
    Bytes changed = good;
    changed[25] ^= std::byte{1};
    EXPECT_EQ(warning_of(changed), expected("the extended checksum is wrong"));
    changed = good;
    put(changed, 20, std::uint32_t{37});
    EXPECT_EQ(warning_of(changed), expected("its length is wrong"));
    EXPECT_EQ(warning_of(root_pointer(2, 0x1000, 0)), expected("it names no XSDT"));
}

TEST(AcpiRootPointer, an_old_one_without_an_rsdt_is_read_as_a_new_one) {
    LogCapture log;
    Bytes old = root_pointer(2, 0, 0x1'2345'6789);
    put(old, 15, std::uint8_t{0}); // two less, which the two checksums make up for: one adds 2, and so the other none
    put(old, 8, static_cast<std::uint8_t>(std::to_integer<unsigned>(old[8]) + 2));
    EXPECT_EQ(raw(acpi::parse_root_pointer(old).value().xsdt.value()), 0x1'2345'6789U);
    EXPECT_EQ(log.warnings(),
              std::vector<std::string>{"ACPI: RSDP of revision 0 names no RSDT, but a valid XSDT: it is taken"});
    old[33] = std::byte{1}; // now the extended checksum is wrong, and nothing is left
    EXPECT_FALSE(acpi::parse_root_pointer(old).value().xsdt.has_value());
}

TEST(AcpiRootPointer, is_found_by_scanning) {
    FakeMemory memory;
    Bytes bios(0x2'0000);
    Bytes const pointer = root_pointer(2, 0x1000, 0x2000);
    std::copy(pointer.begin(), pointer.end(), bios.begin() + 0x1'0008);        // not at a 16-byte step
    std::copy(pointer.begin(), pointer.begin() + 19, bios.begin() + 0x1'1000); // wrong checksum
    bios[0x1'1000] = std::byte{'r'};
    PhysicalAddress const start{0xe'0000};
    memory.place(raw(start), bios);
    EXPECT_TRUE(acpi::scan_for_root_pointer(memory, start, bios.size()).empty());

    std::copy(pointer.begin(), pointer.end(), bios.begin() + 0x1'2340);
    memory.place(raw(start), bios);
    auto const found = acpi::scan_for_root_pointer(memory, start, bios.size());
    EXPECT_EQ(Bytes(found.begin(), found.end()), pointer);
    EXPECT_TRUE(acpi::scan_for_root_pointer(memory, start, 0x1'2340).empty());
    EXPECT_EQ(acpi::scan_for_root_pointer(memory, start, 0x1'2340 + 20).size(), 20U);
    EXPECT_TRUE(acpi::scan_for_root_pointer(memory, PhysicalAddress{0}, 1024).empty());
}

} // namespace
} // namespace mxk::acpi_test

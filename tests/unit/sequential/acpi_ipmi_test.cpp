// Where the management controller listens, by SPMI and by SMBIOS.
#include "kernel/acpi/ipmi_interface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "kernel/acpi/smbios.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {
namespace {

using acpi::IpmiInterface;
using Kind = IpmiInterface::Kind;

Bytes spmi(std::uint8_t type, std::uint8_t space, std::uint8_t bit_width, std::uint64_t address) {
    Bytes body(30);
    put(body, 0, type);
    put(body, 1, std::uint8_t{1});
    put(body, 12, space);
    put(body, 13, bit_width);
    put(body, 16, address);
    return table("SPMI", 5, {}, body);
}
std::optional<IpmiInterface> named_by(Bytes const& table) {
    Firmware firmware({table});
    return acpi::ipmi_interface(firmware.tables());
}

TEST(AcpiIpmi, spmi_names_an_interface) {
    LogCapture const log;
    EXPECT_EQ(named_by(spmi(1, 1, 8, 0xca2)), (IpmiInterface{.address = 0xca2}));
    EXPECT_EQ(named_by(spmi(1, 1, 32, 0xca8)), (IpmiInterface{.address = 0xca8, .spacing = 4}));
    EXPECT_EQ(named_by(spmi(3, 0, 8, 0xfe00'0000)),
              (IpmiInterface{.kind = Kind::Bt, .in_memory = true, .address = 0xfe00'0000}));
    EXPECT_EQ(named_by(spmi(4, 4, 0, 0)), (IpmiInterface{.kind = Kind::Ssif}));
    EXPECT_FALSE(acpi::ipmi_interface(acpi::Tables()).has_value());
    EXPECT_EQ(log.warnings(), no_warnings);
}

TEST(AcpiIpmi, spmi_that_cannot_be_is_told) {
    LogCapture const log;
    EXPECT_FALSE(named_by(spmi(5, 1, 8, 0xca2)).has_value());
    EXPECT_FALSE(named_by(spmi(1, 1, 8, 0)).has_value());
    EXPECT_FALSE(named_by(spmi(1, 1, 8, 0x1'0ca2)).has_value());
    EXPECT_FALSE(named_by(table("SPMI", 5, {}, Bytes(8))).has_value());
    EXPECT_EQ(log.warnings().size(), 4U);
    EXPECT_EQ(log.warnings()[0],
              "ACPI: SPMI of 66 bytes names an interface of type 5, expected one of 1 to 4 at a port "
              "or in memory; it is not used");
}

// With a string behind it, as structures have.
Bytes structure(std::uint8_t type, Bytes content, std::string_view text) {
    Bytes result(4);
    put(result, 0, type);
    put(result, 1, static_cast<std::uint8_t>(4 + content.size()));
    result.insert(result.end(), content.begin(), content.end());
    for (char const c : text) result.push_back(static_cast<std::byte>(c));
    result.resize(result.size() + 2); // of the string and of all of them
    return result;
}
Bytes type_38(std::uint8_t type, std::uint64_t address, std::optional<std::uint8_t> modifier = std::nullopt) {
    Bytes content(modifier ? 14 : 12);
    put(content, 0, type);
    put(content, 4, address);
    if (modifier) put(content, 12, *modifier);
    return structure(38, content, "");
}
Bytes all(std::vector<Bytes> const& parts) {
    Bytes result;
    for (Bytes const& part : parts) result.insert(result.end(), part.begin(), part.end());
    return result;
}

TEST(AcpiIpmi, smbios_names_an_interface) {
    Bytes const first = structure(0, Bytes(20), "vendor");
    Bytes const end = structure(127, {}, "");
    EXPECT_EQ(acpi::ipmi_interface_in(all({first, type_38(1, 0xca3), end})), (IpmiInterface{.address = 0xca2}));
    EXPECT_EQ(acpi::ipmi_interface_in(all({first, type_38(1, 0xca3, 0x50), end})),
              (IpmiInterface{.address = 0xca3, .spacing = 4}));
    EXPECT_EQ(acpi::ipmi_interface_in(all({type_38(2, 0xfe00'0000, 0x80)})),
              (IpmiInterface{.kind = Kind::Smic, .in_memory = true, .address = 0xfe00'0000, .spacing = 16}));
    EXPECT_FALSE(acpi::ipmi_interface_in(all({first, end, type_38(1, 0xca3)})).has_value()) << "behind the end";
    EXPECT_FALSE(acpi::ipmi_interface_in(all({type_38(7, 0xca3)})).has_value());
    EXPECT_FALSE(acpi::ipmi_interface_in(all({type_38(1, 0xca3, 0xc0)})).has_value()) << "reserved spacing";
    EXPECT_FALSE(acpi::ipmi_interface_in(all({type_38(1, 0)})).has_value());
}

TEST(AcpiIpmi, smbios_may_end_anywhere) {
    Bytes const whole = all({structure(0, Bytes(20), "vendor"), structure(1, Bytes(23), "maker"), type_38(1, 0xca3)});
    std::size_t const needed = whole.size() - 2; // its strings' end
    for (std::size_t length = 0; length < whole.size(); ++length) {
        Bytes const cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_EQ(acpi::ipmi_interface_in(cut).has_value(), length >= needed) << length;
    }
    Bytes endless = whole;
    put(endless, 1, std::uint8_t{0});
    EXPECT_FALSE(acpi::ipmi_interface_in(endless).has_value()) << "no structure has no bytes";
}

// Entry points in the fake memory, and structures, of which one is of type 38.
struct Machine {
    static constexpr std::uint64_t structures_at = 0x7f10'0000;
    Bytes structures = all({structure(0, Bytes(20), "vendor"), type_38(1, 0xca3), structure(127, {}, "")});
    FakeMemory memory;

    Machine() { memory.place(structures_at, structures); }
    [[nodiscard]] Bytes entry_2() const {
        Bytes entry(32);
        put(entry, 0, std::array<char, 4>{'_', 'S', 'M', '_'});
        put(entry, 5, std::uint8_t{31});
        put(entry, 22, static_cast<std::uint16_t>(structures.size()));
        put(entry, 24, static_cast<std::uint32_t>(structures_at));
        return with_sum(entry, 31, 4);
    }
    [[nodiscard]] Bytes entry_3() const {
        Bytes entry(32);
        put(entry, 0, std::array<char, 5>{'_', 'S', 'M', '3', '_'});
        put(entry, 6, std::uint8_t{24});
        put(entry, 12, static_cast<std::uint32_t>(structures.size()));
        put(entry, 16, structures_at);
        return with_sum(entry, 24, 5);
    }
    static Bytes with_sum(Bytes entry, std::size_t length, std::size_t at) {
        std::uint8_t const sum = byte_sum(std::span(entry).first(length));
        put(entry, at, static_cast<std::uint8_t>(-sum));
        return entry;
    }
    bool is_found(std::uint64_t efi = 0) {
        return acpi::ipmi_interface_in(acpi::smbios_structures(memory, PhysicalAddress{efi})).has_value();
    }
};

TEST(Smbios, is_found_in_the_bios_memory) {
    for (bool const is_3 : {false, true}) {
        Machine machine;
        Bytes bios(0x10000);
        Bytes const entry = is_3 ? machine.entry_3() : machine.entry_2();
        std::copy(entry.begin(), entry.end(), bios.begin() + 0x59f0);
        machine.memory.place(0xf0000, bios);
        EXPECT_TRUE(machine.is_found());
        bios[0x59f0 + 20] ^= std::byte{1};
        machine.memory.place(0xf0000, bios);
        EXPECT_FALSE(machine.is_found()) << "a wrong checksum";
    }
    Machine nothing;
    EXPECT_FALSE(nothing.is_found()) << "memory that cannot be read";
}

TEST(Smbios, is_found_by_the_efi_system_table) {
    constexpr std::uint64_t system_table = 0x7f00'1000;
    constexpr std::uint64_t configuration = 0x7f00'2000;
    constexpr std::uint64_t entry_point = 0x7f00'3000;
    constexpr std::array<std::uint8_t, 16> guid_3{0x44, 0x15, 0xfd, 0xf2, 0x94, 0x97, 0x2c, 0x4a,
                                                  0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20, 0xe3, 0x94};
    constexpr std::array<std::uint8_t, 16> guid_2{0x31, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11,
                                                  0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d};
    for (bool const is_3 : {false, true}) {
        Machine machine;
        Bytes table(120);
        put(table, 0, std::array<char, 8>{'I', 'B', 'I', ' ', 'S', 'Y', 'S', 'T'});
        put(table, 104, std::uint64_t{2});
        put(table, 112, configuration);
        Bytes entries(48);
        put(entries, 24, is_3 ? guid_3 : guid_2);
        put(entries, 40, entry_point);
        machine.memory.place(system_table, table);
        machine.memory.place(configuration, entries);
        machine.memory.place(entry_point, is_3 ? machine.entry_3() : machine.entry_2());
        EXPECT_TRUE(machine.is_found(system_table));
        EXPECT_FALSE(machine.is_found(system_table + 8)) << "no EFI system table";
        put(table, 104, std::uint64_t{1} << 60); // more than there are
        machine.memory.place(system_table, table);
        EXPECT_FALSE(machine.is_found(system_table)) << "entries that cannot be read as a whole";
    }
}

} // namespace
} // namespace mxk::acpi_test

// Where the management controller listens, by SPMI and by SMBIOS.
#include "kernel/acpi/ipmi_interface.hpp"

#include <gtest/gtest.h>

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

// With a string behind it, as most structures have.
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

} // namespace
} // namespace mxk::acpi_test

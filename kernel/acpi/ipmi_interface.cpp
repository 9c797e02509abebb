#include "kernel/acpi/ipmi_interface.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/bytes.hpp"
#include "kernel/acpi/generic_address.hpp"

namespace mxk::acpi {
namespace {

using Kind = IpmiInterface::Kind;

std::optional<Kind> kind_of(std::uint8_t type) {
    if (type < 1 || type > 4) return std::nullopt;
    return static_cast<Kind>(type);
}

struct [[gnu::packed]] Spmi {
    std::uint8_t type;                     // 36
    std::array<std::uint8_t, 11> reserved; // 37
    GenericAddress address;                // 48
};
static_assert(sizeof(Spmi) == 24);

// A structure of type 38.
constexpr std::uint8_t ipmi_device = 38;
constexpr std::uint8_t end_of_table = 127;
constexpr std::size_t type_offset = 4;
constexpr std::size_t address_offset = 8;   // 8 bytes; bit 0: at ports
constexpr std::size_t modifier_offset = 16; // bits 6-7: spacing, bit 4: bit 0 of the address

std::optional<IpmiInterface> as_interface(std::span<std::byte const> structure) {
    auto const type = read<std::uint8_t>(structure, type_offset);
    auto const address = read<std::uint64_t>(structure, address_offset);
    auto const kind = kind_of(type.value_or(0));
    if (!kind || !address || *address == 0) return std::nullopt;
    IpmiInterface result{.kind = *kind, .in_memory = (*address & 1) == 0, .address = *address & ~std::uint64_t{1}};
    auto const modifier = read<std::uint8_t>(structure, modifier_offset).value_or(0);
    constexpr std::uint8_t spacings[] = {1, 4, 16, 0};
    result.spacing = spacings[modifier >> 6];
    result.address |= modifier >> 4 & 1U;
    if (result.spacing == 0 || (!result.in_memory && result.address > 0xffff)) return std::nullopt;
    return result;
}

} // namespace

std::optional<IpmiInterface> ipmi_interface(Tables const& tables) {
    auto const table = tables.find_only("SPMI");
    auto const type = read<std::uint8_t>(table, table_header_bytes + offsetof(Spmi, type));
    auto const place = read<GenericAddress>(table, table_header_bytes + offsetof(Spmi, address));
    if (table.empty()) return std::nullopt;
    auto const kind = kind_of(type.value_or(0));
    bool const is_ssif = kind == Kind::Ssif; // on the SMBus: it has no registers
    bool const is_port = place && place->space == io_space && place->address <= 0xffff;
    bool const has_place = place && place->address != 0 && (is_port || place->space == memory_space);
    if (!kind || (!is_ssif && !has_place)) {
        tables.warnings().warn(
            "ACPI: SPMI of {} bytes names an interface of type {}, expected one of 1 to 4 at a port or "
            "in memory; it is not used",
            table.size(), type.value_or(0));
        return std::nullopt;
    }
    if (is_ssif) return IpmiInterface{.kind = Kind::Ssif};
    return IpmiInterface{.kind = *kind,
                         .in_memory = !is_port,
                         .address = place->address,
                         .spacing = std::max(static_cast<std::uint8_t>(place->bit_width / 8), std::uint8_t{1})};
}

std::optional<IpmiInterface> ipmi_interface_in(std::span<std::byte const> structures) {
    while (structures.size() >= 4) { // type, length, handle
        std::uint8_t const type = *read<std::uint8_t>(structures);
        std::size_t const length = *read<std::uint8_t>(structures, 1);
        if (type == end_of_table || length < 4 || length > structures.size()) return std::nullopt;
        if (type == ipmi_device) return as_interface(structures.first(length));
        // Its strings follow, each ended by a zero, and another zero ends them.
        std::size_t next = length;
        while (read<std::uint16_t>(structures, next).value_or(0) != 0) ++next;
        if (next + 2 > structures.size()) return std::nullopt;
        structures = structures.subspan(next + 2);
    }
    return std::nullopt;
}

} // namespace mxk::acpi

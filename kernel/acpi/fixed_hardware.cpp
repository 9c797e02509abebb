#include "kernel/acpi/fixed_hardware.hpp"

#include <cstddef>

#include "base/bytes.hpp"
#include "kernel/acpi/fadt.hpp"
#include "kernel/acpi/generic_address.hpp"

namespace mxk::acpi {
namespace {

constexpr std::uint32_t flag_pm_timer_32_bit = 1U << 8;
constexpr std::uint32_t flag_reset_supported = 1U << 10;
constexpr std::uint16_t boot_has_8042 = 1U << 1;
constexpr std::uint16_t boot_no_cmos_clock = 1U << 5;

struct [[gnu::packed]] HpetTable { // IA-PC HPET 1.0a section 3.2.4
    std::uint32_t block_id;        // 36
    GenericAddress base;           // 40
    std::uint8_t number;           // 52
    std::uint16_t min_tick;        // 53
    std::uint8_t page_protection;  // 55
};
static_assert(sizeof(HpetTable) == 20);

std::optional<std::uint16_t> as_port(Tables const& tables, std::string_view name, std::uint64_t address) {
    if (address == 0) return std::nullopt;
    if (address <= 0xffff) return static_cast<std::uint16_t>(address);
    tables.warnings().warn("ACPI: FADT, {}: expected a port, got 0x{:x}: it is not used", name, address);
    return std::nullopt;
}

std::uint32_t flags_of(std::span<std::byte const> fadt) {
    return read_fadt<std::uint32_t>(fadt, offsetof(Fadt, flags)).value_or(0);
}

std::optional<PhysicalAddress> hpet_address(std::span<std::byte const> table) {
    auto const base = read<GenericAddress>(table, table_header_bytes + offsetof(HpetTable, base));
    if (!base || base->space != memory_space || base->address == 0) return std::nullopt;
    return PhysicalAddress{base->address};
}

} // namespace

std::optional<std::uint16_t> fadt_port(Tables const& tables, std::string_view name, std::size_t extended_offset,
                                       std::size_t legacy_offset) {
    auto const fadt = tables.find("FACP");
    auto const extended = read_fadt<GenericAddress>(fadt, extended_offset);
    if (extended && extended->space == io_space)
        if (auto const port = as_port(tables, name, extended->address)) return port;
    return as_port(tables, name, read_fadt<std::uint32_t>(fadt, legacy_offset).value_or(0));
}

Clocks clocks(Tables const& tables) {
    auto const table = tables.find("FACP");
    auto const port = fadt_port(tables, "PM timer", offsetof(Fadt, x_pm_timer), offsetof(Fadt, pm_timer));
    return {port, (flags_of(table) & flag_pm_timer_32_bit) != 0, hpet_address(tables.find("HPET"))};
}

std::optional<ResetRegister> reset_register(Tables const& tables) {
    auto const table = tables.find("FACP");
    auto const where = read_fadt<GenericAddress>(table, offsetof(Fadt, reset_register));
    auto const value = read_fadt<std::uint8_t>(table, offsetof(Fadt, reset_value));
    bool const supported = (flags_of(table) & flag_reset_supported) != 0;
    if (!supported || !where || !value || where->address == 0) return std::nullopt;
    if (where->space > static_cast<std::uint8_t>(ResetRegister::Space::PciConfiguration)) return std::nullopt;
    if (where->space == io_space && !as_port(tables, "reset register", where->address)) return std::nullopt;
    return ResetRegister{static_cast<ResetRegister::Space>(where->space), where->address, *value};
}

LegacyDevices legacy_devices(Tables const& tables) {
    auto const table = tables.find("FACP");
    auto const boot = read_fadt<std::uint16_t>(table, offsetof(Fadt, boot_architecture));
    if (!boot || *read<std::uint8_t>(table, revision_offset) < 3) return {};
    return {(*boot & boot_has_8042) != 0, (*boot & boot_no_cmos_clock) == 0};
}

} // namespace mxk::acpi

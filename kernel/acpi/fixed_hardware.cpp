#include "kernel/acpi/fixed_hardware.hpp"

#include <cstddef>

#include "base/bytes.hpp"
#include "kernel/acpi/generic_address.hpp"

namespace mxk::acpi {
namespace {

// ACPI 6.5 table 5.9. Offsets and not a struct, because older revisions end earlier: each field is there or not.
namespace fadt {
constexpr std::size_t pm_timer_block = 76;     // 4 bytes, I/O port
constexpr std::size_t boot_architecture = 109; // 2 bytes
constexpr std::size_t flags = 112;             // 4 bytes
constexpr std::size_t reset_register = 116;    // GenericAddress
constexpr std::size_t reset_value = 128;       // 1 byte
constexpr std::size_t x_pm_timer_block = 208;  // GenericAddress

constexpr std::uint32_t flag_pm_timer_32_bit = 1U << 8;
constexpr std::uint32_t flag_reset_supported = 1U << 10;
constexpr std::uint16_t boot_has_8042 = 1U << 1;
constexpr std::uint16_t boot_no_cmos_clock = 1U << 5;
} // namespace fadt

constexpr std::size_t hpet_base = 40; // GenericAddress

std::optional<std::uint16_t> as_port(std::uint64_t address) {
    if (address == 0 || address > 0xffff) return std::nullopt;
    return static_cast<std::uint16_t>(address);
}

std::optional<std::uint16_t> pm_timer_port(std::span<std::byte const> table) {
    auto const extended = read<GenericAddress>(table, fadt::x_pm_timer_block);
    if (extended && extended->space == io_space) {
        if (auto const port = as_port(extended->address)) return port;
    }
    return as_port(read<std::uint32_t>(table, fadt::pm_timer_block).value_or(0));
}

std::uint32_t flags_of(std::span<std::byte const> table) {
    return read<std::uint32_t>(table, fadt::flags).value_or(0);
}

std::optional<PhysicalAddress> hpet_address(std::span<std::byte const> table) {
    auto const base = read<GenericAddress>(table, hpet_base);
    if (!base || base->space != memory_space || base->address == 0) return std::nullopt;
    return PhysicalAddress{base->address};
}

} // namespace

Clocks clocks(Tables const& tables) {
    auto const table = tables.find("FACP");
    return {pm_timer_port(table), (flags_of(table) & fadt::flag_pm_timer_32_bit) != 0,
            hpet_address(tables.find("HPET"))};
}

std::optional<ResetRegister> reset_register(Tables const& tables) {
    auto const table = tables.find("FACP");
    auto const where = read<GenericAddress>(table, fadt::reset_register);
    auto const value = read<std::uint8_t>(table, fadt::reset_value);
    bool const supported = (flags_of(table) & fadt::flag_reset_supported) != 0;
    if (!supported || !where || !value || where->address == 0) return std::nullopt;
    if (where->space > static_cast<std::uint8_t>(ResetRegister::Space::PciConfiguration)) return std::nullopt;
    return ResetRegister{static_cast<ResetRegister::Space>(where->space), where->address, *value};
}

LegacyDevices legacy_devices(Tables const& tables) {
    auto const table = tables.find("FACP");
    auto const boot = read<std::uint16_t>(table, fadt::boot_architecture);
    if (!boot || *read<std::uint8_t>(table, revision_offset) < 3) return {};
    return {(*boot & fadt::boot_has_8042) != 0, (*boot & fadt::boot_no_cmos_clock) == 0};
}

} // namespace mxk::acpi

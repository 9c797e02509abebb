#include "kernel/acpi/power_off.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/bytes.hpp"

namespace mxk::acpi {
namespace {

// Offsets in the FADT, ACPI 6.5 table 5.9.
constexpr std::size_t dsdt_at = 40;            // 4 bytes
constexpr std::size_t smi_command_at = 48;     // 4 bytes, I/O port
constexpr std::size_t acpi_enable_at = 52;     // 1 byte
constexpr std::size_t pm1a_control_at = 64;    // 4 bytes, I/O port
constexpr std::size_t pm1b_control_at = 68;    // 4 bytes, I/O port
constexpr std::size_t fadt_flags_at = 112;     // 4 bytes
constexpr std::size_t x_dsdt_at = 140;         // 8 bytes
constexpr std::size_t x_pm1a_control_at = 172; // generic address: space 1, widths 3, address 8 bytes
constexpr std::size_t x_pm1b_control_at = 184;
constexpr std::uint32_t reduced_hardware = 1U << 20;
constexpr std::uint8_t port_space = 1;

constexpr std::uint8_t max_sleep_type = 7;

// 0: no port there.
std::uint16_t port_at(std::span<std::byte const> fadt, std::size_t extended, std::size_t legacy) {
    auto const usable = [](std::uint64_t address) {
        return address <= 0xffff ? static_cast<std::uint16_t>(address) : 0;
    };
    if (read<std::uint8_t>(fadt, extended) == port_space) {
        if (auto const port = usable(read<std::uint64_t>(fadt, extended + 4).value_or(0)); port != 0)
            return static_cast<std::uint16_t>(port);
    }
    return static_cast<std::uint16_t>(usable(read<std::uint32_t>(fadt, legacy).value_or(0)));
}

// The table at `address`, or nothing.
std::span<std::byte const> table_at(PhysicalReader& memory, std::uint64_t address) {
    if (address == 0) return {};
    auto const length = read<std::uint32_t>(memory.view(PhysicalAddress{address}, table_header_bytes), 4);
    if (!length || *length < table_header_bytes || *length > max_table_bytes) return {};
    auto const table = memory.view(PhysicalAddress{address}, *length);
    return byte_sum(table) == 0 ? table : std::span<std::byte const>();
}

// Takes an integer constant of up to a byte off the front.
std::optional<std::uint8_t> take_integer(std::span<std::byte const>& aml) {
    constexpr std::uint8_t zero = 0x00;
    constexpr std::uint8_t one = 0x01;
    constexpr std::uint8_t byte_prefix = 0x0a;
    auto const prefix = read<std::uint8_t>(aml);
    if (!prefix) return std::nullopt;
    if (*prefix == zero || *prefix == one) {
        aml = aml.subspan(1);
        return prefix;
    }
    auto const value = read<std::uint8_t>(aml, 1);
    if (*prefix != byte_prefix || !value) return std::nullopt;
    aml = aml.subspan(2);
    return value;
}

struct SleepTypes {
    std::uint8_t first;
    std::uint8_t second;
};

// `package`: what stands behind the name: PackageOp, its length in one to four bytes, the number of elements, these.
std::optional<SleepTypes> sleep_types(std::span<std::byte const> package) {
    constexpr std::uint8_t package_op = 0x12;
    auto const lead = read<std::uint8_t>(package, 1);
    if (read<std::uint8_t>(package) != package_op || !lead) return std::nullopt;
    std::size_t const before_elements = 1 + 1 + (*lead >> 6) + 1;
    auto const count = read<std::uint8_t>(package, before_elements - 1);
    if (!count || *count == 0) return std::nullopt;
    auto elements = package.subspan(before_elements);
    auto const first = take_integer(elements);
    auto const second = *count > 1 ? take_integer(elements) : first;
    if (!first || !second || *first > max_sleep_type || *second > max_sleep_type) return std::nullopt;
    return SleepTypes{*first, *second};
}

// The first object `Name (\_S5, Package ...)` that can be understood.
std::optional<SleepTypes> find_sleep_types(std::span<std::byte const> aml) {
    constexpr std::array name{std::byte{'_'}, std::byte{'S'}, std::byte{'5'}, std::byte{'_'}};
    constexpr std::byte name_op{0x08};
    constexpr std::byte root{'\\'};
    for (auto at = aml.begin(); (at = std::search(at, aml.end(), name.begin(), name.end())) != aml.end(); ++at) {
        auto const before = static_cast<std::size_t>(at - aml.begin());
        bool const is_named = (before > 0 && aml[before - 1] == name_op) ||
                              (before > 1 && aml[before - 1] == root && aml[before - 2] == name_op);
        if (!is_named) continue;
        if (auto const found = sleep_types(aml.subspan(before + name.size()))) return found;
    }
    return std::nullopt;
}

} // namespace

std::optional<PowerOff> power_off(Tables const& tables, PhysicalReader& memory) {
    auto const fadt = tables.find("FACP");
    if ((read<std::uint32_t>(fadt, fadt_flags_at).value_or(0) & reduced_hardware) != 0) return std::nullopt;
    std::uint16_t const control = port_at(fadt, x_pm1a_control_at, pm1a_control_at);
    if (control == 0) return std::nullopt;
    auto dsdt = table_at(memory, read<std::uint64_t>(fadt, x_dsdt_at).value_or(0));
    if (dsdt.empty()) dsdt = table_at(memory, read<std::uint32_t>(fadt, dsdt_at).value_or(0));
    if (dsdt.empty()) return std::nullopt;
    auto const types = find_sleep_types(dsdt.subspan(table_header_bytes));
    if (!types) return std::nullopt;
    std::uint32_t const enable_port = read<std::uint32_t>(fadt, smi_command_at).value_or(0);
    std::uint8_t const enable_value = read<std::uint8_t>(fadt, acpi_enable_at).value_or(0);
    bool const has_enable = enable_value != 0 && enable_port <= 0xffff;
    return PowerOff{control,
                    port_at(fadt, x_pm1b_control_at, pm1b_control_at),
                    types->first,
                    types->second,
                    has_enable ? static_cast<std::uint16_t>(enable_port) : std::uint16_t{0},
                    enable_value};
}

} // namespace mxk::acpi

#include "kernel/acpi/power_off.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/bytes.hpp"
#include "kernel/acpi/fadt.hpp"

namespace mxk::acpi {
namespace {

constexpr std::uint32_t reduced_hardware = 1U << 20;
constexpr std::uint8_t max_sleep_type = 7;

// The DSDT at `address`, or nothing; with a WARN where that is none.
std::span<std::byte const> dsdt_at(Tables const& tables, std::string_view field, PhysicalReader& memory,
                                   std::uint64_t address) {
    if (address == 0) return {};
    auto const length = read<std::uint32_t>(memory.view(PhysicalAddress{address}, table_header_bytes), 4);
    if (length && *length >= table_header_bytes && *length <= max_table_bytes) {
        auto const table = memory.view(PhysicalAddress{address}, *length);
        if (!table.empty() && byte_sum(table) == 0) return table;
    }
    tables.warnings().warn("ACPI: FADT, {}: expected a table, got {}: it is not used", field, PhysicalAddress{address});
    return {};
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
    if ((read_fadt<std::uint32_t>(fadt, offsetof(Fadt, flags)).value_or(0) & reduced_hardware) != 0)
        return std::nullopt;
    auto const control =
        fadt_port(tables, "PM1a control", offsetof(Fadt, x_pm1a_control), offsetof(Fadt, pm1a_control));
    if (!control) return std::nullopt;
    auto dsdt = dsdt_at(tables, "X_DSDT", memory, read_fadt<std::uint64_t>(fadt, offsetof(Fadt, x_dsdt)).value_or(0));
    if (dsdt.empty())
        dsdt = dsdt_at(tables, "DSDT", memory, read_fadt<std::uint32_t>(fadt, offsetof(Fadt, dsdt)).value_or(0));
    if (dsdt.empty()) return std::nullopt;
    auto const types = find_sleep_types(dsdt.subspan(table_header_bytes));
    if (!types) return std::nullopt;
    std::uint8_t const enable_value = read_fadt<std::uint8_t>(fadt, offsetof(Fadt, acpi_enable)).value_or(0);
    std::uint16_t enable_port = 0;
    if (enable_value != 0)
        enable_port = fadt_port(tables, "SMI command", not_extended, offsetof(Fadt, smi_command)).value_or(0);
    auto const second = fadt_port(tables, "PM1b control", offsetof(Fadt, x_pm1b_control), offsetof(Fadt, pm1b_control));
    return PowerOff{*control, second.value_or(0), types->first, types->second, enable_port, enable_value};
}

} // namespace mxk::acpi

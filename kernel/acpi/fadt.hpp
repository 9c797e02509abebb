// The fixed ACPI description table (ACPI 6.5 table 5.9), as far as anything of it is read. Older revisions end earlier:
// each field is there or not, and is read by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "kernel/acpi/generic_address.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

struct [[gnu::packed]] Fadt {
    std::uint32_t firmware_control;            // 36
    std::uint32_t dsdt;                        // 40
    std::uint32_t reserved_44;                 // 44
    std::uint32_t smi_command;                 // 48: port
    std::uint8_t acpi_enable;                  // 52
    std::array<std::uint8_t, 11> reserved_53;  // 53
    std::uint32_t pm1a_control;                // 64: port
    std::uint32_t pm1b_control;                // 68: port
    std::uint32_t pm2_control;                 // 72
    std::uint32_t pm_timer;                    // 76: port
    std::array<std::uint8_t, 29> reserved_80;  // 80
    std::uint16_t boot_architecture;           // 109
    std::uint8_t reserved_111;                 // 111
    std::uint32_t flags;                       // 112
    GenericAddress reset_register;             // 116
    std::uint8_t reset_value;                  // 128
    std::array<std::uint8_t, 11> reserved_129; // 129
    std::uint64_t x_dsdt;                      // 140
    std::array<std::uint8_t, 24> reserved_148; // 148
    GenericAddress x_pm1a_control;             // 172
    GenericAddress x_pm1b_control;             // 184
    GenericAddress x_pm2_control;              // 196
    GenericAddress x_pm_timer;                 // 208
};
static_assert(sizeof(Fadt) == 184);

template <typename T> std::optional<T> read_fadt(std::span<std::byte const> fadt, std::size_t offset_in_struct) {
    return read<T>(fadt, table_header_bytes + offset_in_struct);
}

constexpr std::size_t not_extended = SIZE_MAX / 2; // beyond any table: the field has no extended form

// A port as the extended field has it, else as the legacy one; nothing where neither names one. An address that is no
// port is one WARN, which says which register's. Any core.
std::optional<std::uint16_t> fadt_port(Tables const& tables, std::string_view name, std::size_t extended_offset,
                                       std::size_t legacy_offset);

} // namespace mxk::acpi

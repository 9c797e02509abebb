#include "kernel/acpi/smbios.hpp"

#include <algorithm>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/log.hpp"

namespace mxk::acpi {
namespace {

// Entry points: SMBIOS 3.6 sections 5.2.1 and 5.2.2.
std::span<std::byte const> structures_at(std::span<std::byte const> entry, PhysicalReader& memory) {
    constexpr std::uint32_t anchor_3 = 0x334d'535f; // "_SM3"
    constexpr std::uint32_t anchor_2 = 0x5f4d'535f; // "_SM_"
    std::uint32_t const anchor = read<std::uint32_t>(entry).value_or(0);
    bool const is_3 = anchor == anchor_3;
    if (!is_3 && anchor != anchor_2) return {};
    std::size_t const length = read<std::uint8_t>(entry, is_3 ? 6 : 5).value_or(0);
    if (length < (is_3 ? 24U : 30U) || length > entry.size() || byte_sum(entry.first(length)) != 0) return {};
    std::uint64_t const start = is_3 ? *read<std::uint64_t>(entry, 16) : *read<std::uint32_t>(entry, 24);
    std::size_t const bytes = is_3 ? *read<std::uint32_t>(entry, 12) : *read<std::uint16_t>(entry, 22);
    constexpr std::size_t max_bytes = MiB;
    auto const structures = memory.view(PhysicalAddress{start}, std::min(bytes, max_bytes));
    if (structures.empty())
        log::warn("SMBIOS: entry point, structures: nothing can be read at {}", PhysicalAddress{start});
    return structures;
}

struct Guid {
    std::uint64_t low;
    std::uint64_t high;
    bool operator==(Guid const&) const = default;
};
// F2FD1544-9794-4A2C-992E-E5BBCF20E394 and EB9D2D31-2D88-11D3-9A16-0090273FC14D, as they lie in memory.
constexpr Guid smbios_3{0x4a2c'9794'f2fd'1544, 0x94e3'20cf'bbe5'2e99};
constexpr Guid smbios_2{0x11d3'2d88'eb9d'2d31, 0x4dc1'3f27'9000'169a};

struct ConfigurationEntry {
    Guid vendor;
    std::uint64_t table;
};
static_assert(sizeof(ConfigurationEntry) == 24);

constexpr std::size_t entry_point_bytes = 32; // and more than any has

// The entry point that the EFI system table names for it; nothing without one.
std::span<std::byte const> named_by_efi(PhysicalReader& memory, PhysicalAddress system_table, Guid const& wanted) {
    constexpr std::uint64_t signature = 0x5453'5953'2049'4249; // "IBI SYST"
    constexpr std::size_t table_bytes = 120;
    constexpr std::size_t count_offset = 104;
    constexpr std::size_t entries_offset = 112;
    constexpr std::uint64_t max_entries = 256;
    auto const table = memory.view(system_table, table_bytes);
    if (read<std::uint64_t>(table) != signature) return {};
    std::uint64_t const count = std::min(read<std::uint64_t>(table, count_offset).value_or(0), max_entries);
    PhysicalAddress const place{read<std::uint64_t>(table, entries_offset).value_or(0)};
    auto const entries = memory.view(place, count * sizeof(ConfigurationEntry));
    for (std::size_t at = 0; at < entries.size(); at += sizeof(ConfigurationEntry)) {
        auto const entry = read<ConfigurationEntry>(entries, at);
        if (entry && entry->vendor == wanted) return memory.view(PhysicalAddress{entry->table}, entry_point_bytes);
    }
    return {};
}

} // namespace

std::span<std::byte const> smbios_structures(PhysicalReader& memory, PhysicalAddress efi_system_table) {
    if (raw(efi_system_table) != 0) {
        if (memory.view(efi_system_table, 1).empty())
            log::warn("multiboot2: EFI system table: nothing can be read at {}", efi_system_table);
        auto const found = structures_at(named_by_efi(memory, efi_system_table, smbios_3), memory);
        return found.empty() ? structures_at(named_by_efi(memory, efi_system_table, smbios_2), memory) : found;
    }
    constexpr PhysicalAddress bios{0xf0000};
    constexpr std::size_t bios_bytes = 0x10000;
    auto const area = memory.view(bios, bios_bytes);
    for (std::size_t at = 0; at < area.size(); at += 16) {
        auto const found = structures_at(area.subspan(at), memory);
        if (!found.empty()) return found;
    }
    return {};
}

} // namespace mxk::acpi

#include "kernel/acpi/srat.hpp"

#include <array>
#include <cstddef>

#include "base/bytes.hpp"
#include "kernel/acpi/records.hpp"

namespace mxk::acpi {
namespace {

// ACPI 6.5 table 5.57: 12 reserved bytes follow the table header.
constexpr std::size_t first_affinity = table_header_bytes + 12;

// Offset 0 of each record holds its type, offset 1 its length.
struct [[gnu::packed]] LocalApicAffinity { // section 5.2.16.1
    static constexpr std::uint8_t type = 0;
    std::uint16_t header;
    std::uint8_t domain_low;                 // 2: bits 0-7 of the proximity domain
    std::uint8_t apic_id;                    // 3
    std::uint32_t flags;                     // 4: bit 0: enabled
    std::uint8_t sapic_eid;                  // 8
    std::array<std::uint8_t, 3> domain_high; // 9: bits 8-31
    std::uint32_t clock_domain;              // 12
};
static_assert(sizeof(LocalApicAffinity) == 16);

struct [[gnu::packed]] MemoryRecord { // section 5.2.16.2
    static constexpr std::uint8_t type = 1;
    std::uint16_t header;
    std::uint32_t domain;      // 2
    std::uint16_t reserved_6;  // 6
    std::uint64_t start;       // 8
    std::uint64_t bytes;       // 16
    std::uint32_t reserved_24; // 24
    std::uint32_t flags;       // 28: bit 0: enabled, bit 1: hot-pluggable, bit 2: non-volatile
    std::uint64_t reserved_32; // 32
};
static_assert(sizeof(MemoryRecord) == 40);

struct [[gnu::packed]] LocalX2ApicAffinity { // section 5.2.16.3
    static constexpr std::uint8_t type = 2;
    std::uint16_t header;
    std::uint16_t reserved_2;   // 2
    std::uint32_t domain;       // 4
    std::uint32_t apic_id;      // 8
    std::uint32_t flags;        // 12: bit 0: enabled
    std::uint32_t clock_domain; // 16
    std::uint32_t reserved_20;  // 20
};
static_assert(sizeof(LocalX2ApicAffinity) == 24);

constexpr std::array known_affinities = {
    RecordLayout{LocalApicAffinity::type, sizeof(LocalApicAffinity)},
    RecordLayout{MemoryRecord::type, sizeof(MemoryRecord)},
    RecordLayout{LocalX2ApicAffinity::type, sizeof(LocalX2ApicAffinity)},
};

constexpr std::uint32_t affinity_enabled = 1U << 0;
constexpr std::uint32_t affinity_nonvolatile = 1U << 2;

std::uint32_t domain_of(LocalApicAffinity const& record) {
    std::uint32_t domain = record.domain_low;
    for (std::size_t i = 0; i < record.domain_high.size(); ++i) {
        domain |= std::uint32_t{record.domain_high[i]} << (8 * (i + 1));
    }
    return domain;
}

// `domain_mask`: the bits of a proximity domain that the table's revision defines.
std::optional<ProcessorAffinity> as_processor(Record const& record, std::uint32_t domain_mask) {
    if (record.type == LocalApicAffinity::type) {
        auto const found = read<LocalApicAffinity>(record.bytes);
        if (!found || (found->flags & affinity_enabled) == 0) return std::nullopt;
        return ProcessorAffinity{ApicId{found->apic_id}, domain_of(*found) & domain_mask};
    }
    if (record.type == LocalX2ApicAffinity::type) {
        auto const found = read<LocalX2ApicAffinity>(record.bytes);
        if (!found || (found->flags & affinity_enabled) == 0) return std::nullopt;
        return ProcessorAffinity{ApicId{found->apic_id}, found->domain & domain_mask};
    }
    return std::nullopt;
}

// `wanted`: 0, or affinity_nonvolatile: such memory has a domain too, but is not RAM to be handed out. That a range is
// hot-pluggable (bit 1) says nothing of what is there: the memory map does.
std::optional<MemoryAffinity> as_memory(Record const& record, std::uint32_t domain_mask, std::uint32_t wanted) {
    if (record.type != MemoryRecord::type) return std::nullopt;
    auto const found = read<MemoryRecord>(record.bytes);
    constexpr std::uint32_t looked_at = affinity_enabled | affinity_nonvolatile;
    if (!found || (found->flags & looked_at) != (affinity_enabled | wanted) || found->bytes == 0) return std::nullopt;
    return MemoryAffinity{PhysicalAddress{found->start}, found->bytes, found->domain & domain_mask};
}

void cut_at_end_of_address_space(std::span<MemoryAffinity> ranges, WarningSink& warnings) {
    for (MemoryAffinity& range : ranges) {
        std::uint64_t const left = UINT64_MAX - raw(range.start);
        if (range.bytes <= left) continue;
        warnings.warn("ACPI: SRAT: {} bytes from {} on pass the end of the address space; cut", range.bytes,
                      range.start);
        range.bytes = left;
    }
}

} // namespace

Result<std::optional<Affinities>> affinities(Tables const& tables, Arena& arena) {
    auto const srat = tables.find_only("SRAT");
    if (srat.empty()) return std::optional<Affinities>();
    check_records("SRAT", srat, first_affinity, known_affinities, tables.warnings());

    // Before revision 2 a proximity domain had 8 bits, and what is now bits 8-31 was reserved: firmware left junk
    // there.
    std::uint32_t const domain_mask = *read<std::uint8_t>(srat, revision_offset) >= 2 ? 0xffff'ffff : 0xff;
    auto const processor = [=](Record const& record) { return as_processor(record, domain_mask); };
    auto const memory = [=](Record const& record) { return as_memory(record, domain_mask, 0); };
    auto const lasting = [=](Record const& record) { return as_memory(record, domain_mask, affinity_nonvolatile); };

    Affinities result;
    result.processors = MXK_TRY(collect_records<ProcessorAffinity>(srat, first_affinity, arena, processor));
    std::span<MemoryAffinity> const ranges =
        MXK_TRY(collect_records<MemoryAffinity>(srat, first_affinity, arena, memory));
    cut_at_end_of_address_space(ranges, tables.warnings());
    result.memory = ranges;
    std::span<MemoryAffinity> const non_volatile =
        MXK_TRY(collect_records<MemoryAffinity>(srat, first_affinity, arena, lasting));
    cut_at_end_of_address_space(non_volatile, tables.warnings());
    result.non_volatile = non_volatile;
    return std::optional(result);
}

} // namespace mxk::acpi

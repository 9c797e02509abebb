#include "kernel/acpi/madt.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "kernel/acpi/records.hpp"

namespace mxk::acpi {
namespace {

// ACPI 6.5 table 5.19, after the 36 bytes of the table header.
struct [[gnu::packed]] MadtFixedPart {
    std::uint32_t local_apic; // 36
    std::uint32_t flags;      // 40: bit 0: the machine also has two 8259
};
static_assert(sizeof(MadtFixedPart) == 8);
constexpr std::size_t first_record = table_header_bytes + sizeof(MadtFixedPart);

// Offset 0 of each record holds its type, offset 1 its length.
struct [[gnu::packed]] LocalApicRecord { // section 5.2.12.2
    static constexpr std::uint8_t type = 0;
    std::uint16_t header;
    std::uint8_t acpi_uid; // 2
    std::uint8_t apic_id;  // 3
    std::uint32_t flags;   // 4: bit 0: enabled
};
static_assert(sizeof(LocalApicRecord) == 8);

struct [[gnu::packed]] IoApicRecord { // section 5.2.12.3
    static constexpr std::uint8_t type = 1;
    std::uint16_t header;
    std::uint8_t id;               // 2
    std::uint8_t reserved;         // 3
    std::uint32_t address;         // 4
    std::uint32_t first_interrupt; // 8
};
static_assert(sizeof(IoApicRecord) == 12);

struct [[gnu::packed]] OverrideRecord { // section 5.2.12.5
    static constexpr std::uint8_t type = 2;
    std::uint16_t header;
    std::uint8_t bus;               // 2: always 0, ISA
    std::uint8_t source;            // 3
    std::uint32_t global_interrupt; // 4
    std::uint16_t signal;           // 8
};
static_assert(sizeof(OverrideRecord) == 10);

struct [[gnu::packed]] NmiSourceRecord { // section 5.2.12.6
    static constexpr std::uint8_t type = 3;
    std::uint16_t header;
    std::uint16_t signal;           // 2
    std::uint32_t global_interrupt; // 4
};
static_assert(sizeof(NmiSourceRecord) == 8);

struct [[gnu::packed]] LocalNmiRecord { // section 5.2.12.7
    static constexpr std::uint8_t type = 4;
    static constexpr std::uint8_t every_processor = 0xff;
    std::uint16_t header;
    std::uint8_t acpi_uid; // 2
    std::uint16_t signal;  // 3
    std::uint8_t input;    // 5
};
static_assert(sizeof(LocalNmiRecord) == 6);

struct [[gnu::packed]] LocalApicAddressRecord { // section 5.2.12.8
    static constexpr std::uint8_t type = 5;
    std::uint16_t header;
    std::uint16_t reserved; // 2
    std::uint64_t address;  // 4
};
static_assert(sizeof(LocalApicAddressRecord) == 12);

struct [[gnu::packed]] LocalX2ApicRecord { // section 5.2.12.12
    static constexpr std::uint8_t type = 9;
    std::uint16_t header;
    std::uint16_t reserved; // 2
    std::uint32_t apic_id;  // 4
    std::uint32_t flags;    // 8: as in LocalApicRecord
    std::uint32_t acpi_uid; // 12
};
static_assert(sizeof(LocalX2ApicRecord) == 16);

struct [[gnu::packed]] LocalX2ApicNmiRecord { // section 5.2.12.13
    static constexpr std::uint8_t type = 10;
    static constexpr std::uint32_t every_processor = 0xffff'ffff;
    std::uint16_t header;
    std::uint16_t signal;                 // 2
    std::uint32_t acpi_uid;               // 4
    std::uint8_t input;                   // 8
    std::array<std::uint8_t, 3> reserved; // 9
};
static_assert(sizeof(LocalX2ApicNmiRecord) == 12);

template <typename Layout> constexpr RecordLayout layout_of{Layout::type, sizeof(Layout)};

constexpr std::array known_records = {
    layout_of<LocalApicRecord>,   layout_of<IoApicRecord>,         layout_of<OverrideRecord>,
    layout_of<NmiSourceRecord>,   layout_of<LocalNmiRecord>,       layout_of<LocalApicAddressRecord>,
    layout_of<LocalX2ApicRecord>, layout_of<LocalX2ApicNmiRecord>,
};

template <typename Layout> std::optional<Layout> read_as(Record const& record) {
    return record.type == Layout::type ? read<Layout>(record.bytes) : std::nullopt;
}

constexpr std::uint32_t flag_enabled = 1;

struct ListedProcessor {
    Processor processor;
    bool enabled;
    std::uint8_t record_type;
    std::size_t position; // in the table's order
};

// The ids that mean "every APIC" belong to no processor; firmware fills unused slots with them.
std::optional<ListedProcessor> as_processor(Record const& record) {
    constexpr std::uint32_t broadcast = 0xff;
    constexpr std::uint32_t x2apic_broadcast = 0xffff'ffff;
    if (auto const apic = read_as<LocalApicRecord>(record); apic && apic->apic_id != broadcast) {
        return ListedProcessor{
            {ApicId{apic->apic_id}, apic->acpi_uid}, (apic->flags & flag_enabled) != 0, record.type, 0};
    }
    if (auto const apic = read_as<LocalX2ApicRecord>(record); apic && apic->apic_id != x2apic_broadcast) {
        return ListedProcessor{
            {ApicId{apic->apic_id}, apic->acpi_uid}, (apic->flags & flag_enabled) != 0, record.type, 0};
    }
    return std::nullopt;
}

// ACPI 6.5 table 5.26: bits 0-1 polarity, bits 2-3 trigger mode; 3 says low or level, 1 the ISA default, 0 "as the
// bus".
Signal signal_from(std::uint16_t flags) {
    return {(flags & 3) == 3, ((flags >> 2) & 3) == 3};
}

std::optional<IoApic> as_io_apic(Record const& record) {
    auto const found = read_as<IoApicRecord>(record);
    if (!found) return std::nullopt;
    return IoApic{found->id, PhysicalAddress{found->address}, found->first_interrupt};
}

std::optional<InterruptOverride> as_override(Record const& record) {
    auto const found = read_as<OverrideRecord>(record);
    if (!found) return std::nullopt;
    return InterruptOverride{found->source, found->global_interrupt, signal_from(found->signal)};
}

std::optional<NmiSource> as_nmi_source(Record const& record) {
    auto const found = read_as<NmiSourceRecord>(record);
    if (!found) return std::nullopt;
    return NmiSource{found->global_interrupt, signal_from(found->signal)};
}

template <typename Layout> LocalNmi local_nmi_from(Layout const& record) {
    std::optional<std::uint32_t> uid;
    if (record.acpi_uid != Layout::every_processor) uid = record.acpi_uid;
    return {uid, record.input, signal_from(record.signal)};
}

std::optional<LocalNmi> as_local_nmi(Record const& record) {
    if (auto const nmi = read_as<LocalNmiRecord>(record)) return local_nmi_from(*nmi);
    if (auto const nmi = read_as<LocalX2ApicNmiRecord>(record)) return local_nmi_from(*nmi);
    return std::nullopt;
}

// Brings `found` to the enabled processors, each APIC id at its first place; returns how many those are.
std::size_t keep_enabled_once(std::span<ListedProcessor> found, WarningSink& warnings) {
    auto const disabled = std::partition(found.begin(), found.end(), [](auto const& entry) { return entry.enabled; });
    std::span<ListedProcessor> const enabled(found.begin(), disabled);
    // By id and type, so that the records of one processor stand together and repeated ones of one type are neighbours.
    std::sort(enabled.begin(), enabled.end(), [](auto const& a, auto const& b) {
        if (a.processor.apic_id != b.processor.apic_id) return a.processor.apic_id < b.processor.apic_id;
        if (a.record_type != b.record_type) return a.record_type < b.record_type;
        return a.position < b.position;
    });
    std::size_t count = 0;
    std::size_t repeated = 0;
    for (ListedProcessor const& entry : enabled) {
        if (count == 0 || enabled[count - 1].processor.apic_id != entry.processor.apic_id) {
            enabled[count++] = entry;
            continue;
        }
        ListedProcessor& kept = enabled[count - 1];
        if (kept.record_type == entry.record_type) ++repeated;
        kept.record_type = entry.record_type;
        kept.position = std::min(kept.position, entry.position);
    }
    if (repeated != 0) warnings.warn("ACPI: MADT enables {} processors more than once; each is taken once", repeated);
    std::sort(enabled.begin(), enabled.begin() + static_cast<std::ptrdiff_t>(count),
              [](auto const& a, auto const& b) { return a.position < b.position; });
    return count;
}

} // namespace

Result<Processors> processors(Tables const& tables, Arena& arena) {
    auto const madt = tables.find_only("APIC");
    if (madt.empty()) return Processors{};
    check_records("MADT", madt, first_record, known_records, tables.warnings());
    std::span<ListedProcessor> const found =
        MXK_TRY(collect_records<ListedProcessor>(madt, first_record, arena, as_processor));
    for (std::size_t i = 0; i < found.size(); ++i) found[i].position = i;
    std::size_t const count = keep_enabled_once(found, tables.warnings());
    std::span<Processor> const enabled = MXK_TRY(arena.array<Processor>(count));
    std::transform(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), enabled.begin(),
                   [](ListedProcessor const& entry) { return entry.processor; });
    return Processors{enabled, found.size()};
}

LocalInputs local_inputs(InterruptModel const& model, std::uint32_t acpi_uid) {
    auto const of = [&](std::optional<std::uint32_t> uid) {
        LocalInputs inputs{};
        for (LocalNmi const& nmi : model.local_nmis)
            if (nmi.acpi_uid == uid && nmi.input < inputs.size()) inputs[nmi.input] = {true, nmi.signal.active_low};
        return inputs;
    };
    constexpr LocalInputs none{};
    if (LocalInputs const own = of(acpi_uid); own != none) return own;
    if (LocalInputs const common = of(std::nullopt); common != none) return common;
    return {LocalInput{}, LocalInput{.non_maskable = true}};
}

Result<InterruptModel> interrupt_model(Tables const& tables, Arena& arena) {
    InterruptModel result;
    auto const madt = tables.find("APIC");
    auto const fixed_part = read<MadtFixedPart>(madt, table_header_bytes);
    if (!fixed_part) return result;
    result.local_apic = PhysicalAddress{fixed_part->local_apic};
    result.has_legacy_pics = (fixed_part->flags & 1) != 0;
    RecordCursor cursor(madt, first_record);
    while (auto const record = cursor.next()) {
        if (auto const wider = read_as<LocalApicAddressRecord>(*record)) {
            result.local_apic = PhysicalAddress{wider->address};
        }
    }
    result.io_apics = MXK_TRY(collect_records<IoApic>(madt, first_record, arena, as_io_apic));
    result.overrides = MXK_TRY(collect_records<InterruptOverride>(madt, first_record, arena, as_override));
    result.nmi_sources = MXK_TRY(collect_records<NmiSource>(madt, first_record, arena, as_nmi_source));
    result.local_nmis = MXK_TRY(collect_records<LocalNmi>(madt, first_record, arena, as_local_nmi));
    return result;
}

} // namespace mxk::acpi

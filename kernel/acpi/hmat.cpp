#include "kernel/acpi/hmat.hpp"

#include "base/bytes.hpp"

namespace mxk::acpi {
namespace {

// ACPI 6.5 table 5.145: 4 reserved bytes follow the table header.
constexpr std::size_t first_structure = table_header_bytes + 4;

struct [[gnu::packed]] StructureHeader {
    std::uint16_t type;     // 0
    std::uint16_t reserved; // 2
    std::uint32_t length;   // 4: of the whole structure
};
static_assert(sizeof(StructureHeader) == 8);

// Section 5.2.28.4. Behind it: the initiators' domains and the targets' (4 bytes each), then the entries (2 bytes
// each), initiator by initiator.
struct [[gnu::packed]] LocalityStructure {
    static constexpr std::uint16_t type = 1;
    StructureHeader header;
    std::uint8_t flags;             // 8: bits 0-3: 0 memory, else a cache before it
    std::uint8_t measure;           // 9
    std::uint8_t min_transfer;      // 10
    std::uint8_t reserved_11;       // 11
    std::uint32_t initiators;       // 12
    std::uint32_t targets;          // 16
    std::uint32_t reserved_20;      // 20
    std::uint64_t entry_base_units; // 24
};
static_assert(sizeof(LocalityStructure) == 32);

constexpr std::uint8_t hierarchy_mask = 0xf;
constexpr std::uint8_t hierarchy_memory = 0;
constexpr auto last_measure = static_cast<std::uint8_t>(Measure::WriteBandwidth);

// What an entry says besides a value.
constexpr std::uint16_t entry_unknown = 0;
constexpr std::uint16_t entry_unreachable = 0xffff;

// A second, or an exabyte a second: a figure beyond it is no measurement of memory.
constexpr std::uint64_t largest_value = 1'000'000'000'000;

constexpr std::size_t domain_bytes = sizeof(std::uint32_t);
constexpr std::size_t entry_bytes = sizeof(std::uint16_t);

// Goes once over the structures of a table, as RecordCursor over the records of others.
class StructureCursor {
  public:
    explicit StructureCursor(std::span<std::byte const> table)
        : table_(table) {}

    std::span<std::byte const> next() {
        auto const header = read<StructureHeader>(table_, offset_);
        if (!header || header->length < sizeof(StructureHeader) || header->length > table_.size() - offset_) return {};
        auto const result = table_.subspan(offset_, header->length);
        offset_ += header->length;
        return result;
    }
    [[nodiscard]] std::size_t offset() const { return offset_; }

  private:
    std::span<std::byte const> table_;
    std::size_t offset_ = first_structure;
};

bool is_about_memory(std::span<std::byte const> structure) {
    if (read<StructureHeader>(structure)->type != LocalityStructure::type) return false;
    auto const found = read<LocalityStructure>(structure);
    // One that is cut short counts, so that it is complained about.
    return !found || ((found->flags & hierarchy_mask) == hierarchy_memory && found->measure <= last_measure);
}

std::size_t count_impossible(LocalityMatrix const& matrix) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < matrix.initiators(); ++i) {
        for (std::size_t j = 0; j < matrix.targets(); ++j) count += matrix.is_impossible(i, j) ? 1U : 0U;
    }
    return count;
}

} // namespace

std::optional<LocalityMatrix> LocalityMatrix::parse(std::span<std::byte const> structure, std::uint8_t revision) {
    auto const found = read<LocalityStructure>(structure);
    if (!found) return std::nullopt;
    std::uint64_t const room = structure.size() - sizeof(LocalityStructure);
    std::uint64_t const initiators = found->initiators;
    std::uint64_t const targets = found->targets;
    // Each list first, so that the product below cannot overflow.
    if (initiators > room / domain_bytes || targets > room / domain_bytes) return std::nullopt;
    if ((initiators + targets) * domain_bytes + initiators * targets * entry_bytes > room) return std::nullopt;

    LocalityMatrix result;
    result.structure_ = structure;
    result.measure_ = static_cast<Measure>(found->measure);
    result.initiators_ = initiators;
    result.targets_ = targets;
    result.unit_ = found->entry_base_units;
    result.old_units_ = revision < 2;
    return result;
}

std::uint32_t LocalityMatrix::initiator(std::size_t i) const {
    return *read<std::uint32_t>(structure_, sizeof(LocalityStructure) + i * domain_bytes);
}

std::uint32_t LocalityMatrix::target(std::size_t j) const {
    return *read<std::uint32_t>(structure_, sizeof(LocalityStructure) + (initiators_ + j) * domain_bytes);
}

std::uint16_t LocalityMatrix::entry(std::size_t i, std::size_t j) const {
    std::size_t const matrix = sizeof(LocalityStructure) + (initiators_ + targets_) * domain_bytes;
    return *read<std::uint16_t>(structure_, matrix + (i * targets_ + j) * entry_bytes);
}

bool LocalityMatrix::is_impossible(std::size_t i, std::size_t j) const {
    std::uint16_t const value = entry(i, j);
    if (value == entry_unknown || value == entry_unreachable) return false;
    return unit_ == 0 || unit_ > largest_value / value;
}

std::optional<std::uint64_t> LocalityMatrix::between(std::size_t i, std::size_t j) const {
    std::uint16_t const value = entry(i, j);
    if (value == entry_unreachable) return unreachable_memory;
    if (value == entry_unknown || is_impossible(i, j)) return std::nullopt;
    std::uint64_t const product = value * unit_;
    if (!old_units_) return product;
    // Revision 1 (ACPI 6.2) counts in tenths: of a nanosecond, of a MB/s. As Linux reads it.
    return is_latency(measure_) ? product * 100 : (product + 9) / 10;
}

Result<std::span<LocalityMatrix const>> locality_matrices(Tables const& tables, Arena& arena) {
    auto const hmat = tables.find_only("HMAT");
    if (hmat.empty()) return std::span<LocalityMatrix const>();
    WarningSink& warnings = tables.warnings();
    auto const revision = *read<std::uint8_t>(hmat, revision_offset);
    if (revision == 0) {
        warnings.warn("ACPI: HMAT of revision 0, expected 1 or higher; it is not read");
        return std::span<LocalityMatrix const>();
    }

    std::size_t structures = 0;
    StructureCursor counting(hmat);
    for (auto structure = counting.next(); !structure.empty(); structure = counting.next()) ++structures;
    if (counting.offset() != hmat.size()) {
        warnings.warn("ACPI: HMAT: no valid structure at offset {} of {}; the rest is not read", counting.offset(),
                      hmat.size());
    }

    std::span<LocalityMatrix> const matrices = MXK_TRY(arena.array<LocalityMatrix>(structures));
    std::size_t count = 0;
    std::size_t too_short = 0;
    std::size_t impossible = 0;
    StructureCursor filling(hmat);
    for (auto structure = filling.next(); !structure.empty(); structure = filling.next()) {
        if (!is_about_memory(structure)) continue;
        auto const matrix = LocalityMatrix::parse(structure, revision);
        if (!matrix) {
            ++too_short;
            continue;
        }
        impossible += count_impossible(*matrix);
        matrices[count++] = *matrix;
    }
    if (too_short != 0) warnings.warn("ACPI: HMAT: {} structures too short for their matrix; skipped", too_short);
    if (impossible != 0) warnings.warn("ACPI: HMAT: {} values that no memory has; taken as not known", impossible);
    return std::span<LocalityMatrix const>(matrices.first(count));
}

} // namespace mxk::acpi

#include "kernel/acpi/records.hpp"

#include "base/bytes.hpp"

namespace mxk::acpi {
namespace {

struct [[gnu::packed]] RecordHeader {
    std::uint8_t type;   // 0
    std::uint8_t length; // 1: of the whole record
};
static_assert(sizeof(RecordHeader) == 2);

bool is_too_short(Record const& record, std::span<RecordLayout const> known) {
    for (RecordLayout const& layout : known) {
        if (layout.type == record.type) return record.bytes.size() < layout.bytes;
    }
    return false;
}

} // namespace

std::optional<Record> RecordCursor::next() {
    auto const header = read<RecordHeader>(table_, offset_);
    if (!header || header->length < sizeof(RecordHeader) || header->length > table_.size() - offset_) {
        return std::nullopt;
    }
    Record const record{header->type, table_.subspan(offset_, header->length)};
    offset_ += header->length;
    return record;
}

void check_records(std::string_view name, std::span<std::byte const> table, std::size_t first,
                   std::span<RecordLayout const> known, WarningSink& warnings) {
    std::size_t too_short = 0;
    RecordCursor cursor(table, first);
    while (auto const record = cursor.next()) {
        if (is_too_short(*record, known)) ++too_short;
    }
    if (cursor.offset() != table.size()) {
        warnings.warn("ACPI: {}: no valid record at offset {} of {}; the rest is not read", name, cursor.offset(),
                      table.size());
    }
    if (too_short != 0) warnings.warn("ACPI: {}: {} records too short for their type; skipped", name, too_short);
}

} // namespace mxk::acpi

// The records that the MADT and the SRAT consist of after their fixed part: type, length, fields (ACPI 6.5 sections
// 5.2.12 and 5.2.16). Unknown types are stepped over by their length; a length that is impossible ends the walk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "kernel/acpi/warning_sink.hpp"

namespace mxk::acpi {

struct Record {
    std::uint8_t type;
    std::span<std::byte const> bytes; // type and length included
};

// Goes once over the records of a table.
class RecordCursor {
  public:
    RecordCursor(std::span<std::byte const> table, std::size_t first)
        : table_(table)
        , offset_(first) {}

    // The next record, or nothing at the end of the table or where no valid record begins.
    std::optional<Record> next();

    // Where the cursor stands: the table's size after a walk over a sound table.
    [[nodiscard]] std::size_t offset() const { return offset_; }

  private:
    std::span<std::byte const> table_;
    std::size_t offset_;
};

struct RecordLayout {
    std::uint8_t type;
    std::size_t bytes;
};

// One WARN if the walk over `table` ends early, one if records are too short for what their type has (`known`). Kept
// apart from collect_records so that a table which several readers walk is complained about once.
void check_records(std::string_view name, std::span<std::byte const> table, std::size_t first,
                   std::span<RecordLayout const> known, WarningSink& warnings);

// What `convert` (Record -> std::optional<T>) makes of the records, in the table's order.
template <typename T, typename Convert>
Result<std::span<T>> collect_records(std::span<std::byte const> table, std::size_t first, Arena& arena,
                                     Convert convert) {
    std::size_t count = 0;
    RecordCursor counting(table, first);
    while (auto const record = counting.next()) {
        if (convert(*record)) ++count;
    }

    std::span<T> const result = MXK_TRY(arena.array<T>(count));
    std::size_t next = 0;
    RecordCursor filling(table, first);
    while (auto const record = filling.next()) {
        if (std::optional<T> const value = convert(*record)) result[next++] = *value;
    }
    return result;
}

} // namespace mxk::acpi

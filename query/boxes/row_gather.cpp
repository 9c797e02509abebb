#include "query/boxes/row_gather.hpp"

#include <array>
#include <cstddef>

namespace mxk::query {
namespace {

template <typename T> void gather_as(std::span<RowPlace const> rows, std::size_t column, void* to) {
    auto* const values = static_cast<T*>(to);
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = rows[i].envelope->values<T>(column)[rows[i].row];
}

using SixteenBytes = std::array<std::uint64_t, 2>;

void gather_values(std::span<RowPlace const> rows, std::size_t column, std::size_t value_bytes,
                   dataflow::Envelope& to) {
    void* const values = to.columns[column].writable<void>();
    switch (value_bytes) {
    case 1: return gather_as<std::uint8_t>(rows, column, values);
    case 2: return gather_as<std::uint16_t>(rows, column, values);
    case 4: return gather_as<std::uint32_t>(rows, column, values);
    case 8: return gather_as<std::uint64_t>(rows, column, values);
    default: return gather_as<SixteenBytes>(rows, column, values);
    }
}

} // namespace

Result<dataflow::EnvelopePointer> gather_rows(std::span<RowPlace const> rows, std::span<Field const> fields,
                                              std::uint64_t sequence) {
    auto envelope = MXK_TRY(make_rows(fields, static_cast<std::uint32_t>(rows.size()), sequence));
    for (Field const& field : fields) {
        gather_values(rows, field.values, bytes_of(field.storage), *envelope);
        if (field.is_nullable()) gather_values(rows, field.validity, 1, *envelope);
    }
    return envelope;
}

} // namespace mxk::query

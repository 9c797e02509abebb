#include "query/boxes/row_gather.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace mxk::query {
namespace {

template <typename T> void gather_as(std::span<RowPlace const> rows, std::size_t column, void* to) {
    auto* const values = static_cast<T*>(to);
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = rows[i].envelope->values<T>(column)[rows[i].row];
}

using SixteenBytes = std::array<std::uint64_t, 2>;

} // namespace

void gather_values(std::span<RowPlace const> rows, std::size_t column, std::size_t value_bytes, void* to) {
    switch (value_bytes) {
    case 1: return gather_as<std::uint8_t>(rows, column, to);
    case 2: return gather_as<std::uint16_t>(rows, column, to);
    case 4: return gather_as<std::uint32_t>(rows, column, to);
    case 8: return gather_as<std::uint64_t>(rows, column, to);
    default: return gather_as<SixteenBytes>(rows, column, to);
    }
}

Result<dataflow::EnvelopePointer> gather_rows(std::span<RowPlace const> rows, Schema const& schema,
                                              std::uint64_t sequence) {
    auto envelope = dataflow::Envelope::create(static_cast<std::uint32_t>(rows.size()), sequence);
    if (!envelope) return dataflow::no_memory_for_envelopes();
    auto const add = [&](std::size_t column, std::size_t value_bytes) {
        auto values = dataflow::Column::create(rows.size() * value_bytes);
        if (!values) return false;
        gather_values(rows, column, value_bytes, values.writable<void>());
        envelope->columns[column] = std::move(values);
        return true;
    };
    for (Field const& field : schema.fields()) {
        if (!add(field.values, bytes_of(field.storage))) return dataflow::no_memory_for_envelopes();
        if (field.is_nullable() && !add(field.validity, 1)) return dataflow::no_memory_for_envelopes();
    }
    return envelope;
}

} // namespace mxk::query

#include "query/boxes/map_box.hpp"

#include <algorithm>
#include <utility>

namespace mxk::query {
namespace {

using dataflow::Envelope;
using Row = Envelope::Row;

// Into the rows that are meant, from `first` on.
template <typename From, typename To>
void put_as(From const* values, Envelope const& rows, Row first, Row count, void* to) {
    Row const* const chosen = rows.selection ? rows.selection.values<Row>() + first : nullptr;
    for (Row i = 0; i < count; ++i)
        static_cast<To*>(to)[chosen == nullptr ? first + i : chosen[i]] = static_cast<To>(values[i]);
}
void put(Registers const& registers, Program::Value const& value, Storage storage, Envelope const& rows, Row first,
         Row count, void* to) {
    auto const whole = [&]<typename From>(From const* values) {
        switch (storage) {
        case Storage::U8: return put_as<From, std::uint8_t>(values, rows, first, count, to);
        case Storage::U16: return put_as<From, std::uint16_t>(values, rows, first, count, to);
        case Storage::U32: return put_as<From, std::uint32_t>(values, rows, first, count, to);
        case Storage::U64: return put_as<From, std::uint64_t>(values, rows, first, count, to);
        case Storage::I8: return put_as<From, std::int8_t>(values, rows, first, count, to);
        case Storage::I16: return put_as<From, std::int16_t>(values, rows, first, count, to);
        case Storage::I32: return put_as<From, std::int32_t>(values, rows, first, count, to);
        case Storage::I128: return put_as<From, Int128>(values, rows, first, count, to);
        default: return put_as<From, std::int64_t>(values, rows, first, count, to);
        }
    };
    switch (value.lane()) {
    case Lane::Bool:
        return put_as<std::uint8_t, std::uint8_t>(registers.values<std::uint8_t>(value.at), rows, first, count, to);
    case Lane::I64: return whole(registers.values<std::int64_t>(value.at));
    case Lane::I128: return whole(registers.values<Int128>(value.at));
    case Lane::F64:
        if (storage == Storage::F32)
            return put_as<double, float>(registers.values<double>(value.at), rows, first, count, to);
        return put_as<double, double>(registers.values<double>(value.at), rows, first, count, to);
    case Lane::Text:
        return put_as<std::string_view, std::string_view>(registers.values<std::string_view>(value.at), rows, first,
                                                          count, to);
    }
}

} // namespace

Result<void> MapSpec::bind(std::span<NamedExpression const> columns, Schema const& rows) {
    std::size_t at = 0;
    for (NamedExpression const& column : columns) {
        auto const bind_one = [&]() -> Result<void> {
            Program::Value const value = MXK_TRY(program.add(column.of, rows));
            Field field{
                .name = column.name, .type = value.type, .storage = storage_of(value.type.kind), .range = value.range};
            Field const* same = nullptr;
            if (column.of.root()->operation == Expression::Operation::Column) {
                same = MXK_TRY(rows.find(column.of.root()->name.view()));
                field.storage = same->storage;
            }
            has_expressions = has_expressions || same == nullptr;
            MXK_TRY(result.add(field, value.is_nullable));
            outputs[at++] = {.value = value, .same = same};
            return {};
        };
        auto const bound = bind_one();
        if (!bound) return Error::of("column '{}': {}", column.name, bound.error().message());
    }
    if (at == 0) return Error("expected a column to give, got none");
    return {};
}

Result<dataflow::Step> MapBox::receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                       dataflow::EnvelopePointer envelope) {
    auto result = Envelope::create(envelope->rows, envelope->sequence);
    if (!result) return dataflow::no_memory_for_envelopes();
    result->selection = envelope->selection;
    result->selected = envelope->selected;
    auto const fields = spec_.result.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        Field const* const same = spec_.outputs[i].same;
        dataflow::Column values = same != nullptr
                                      ? envelope->columns[same->values]
                                      : dataflow::Column::create(envelope->rows * bytes_of(fields[i].storage));
        if (!values) return dataflow::no_memory_for_envelopes();
        result->columns[fields[i].values] = std::move(values);
        if (!fields[i].is_nullable()) continue;
        dataflow::Column validity = same != nullptr ? envelope->columns[same->validity]
                                                    : dataflow::Column::create_for<std::uint8_t>(envelope->rows);
        if (!validity) return dataflow::no_memory_for_envelopes();
        result->columns[fields[i].validity] = std::move(validity);
    }
    if (spec_.has_expressions) MXK_TRY(compute(*envelope, *result));
    emit(std::move(result));
    return dataflow::Step::More;
}

Result<void> MapBox::compute(Envelope const& from, Envelope& to) {
    MXK_TRY(registers_.prepare(spec_.program));
    auto const fields = spec_.result.fields();
    for (Row first = 0; first < from.selected; first += Program::chunk) {
        Row const count = std::min(Program::chunk, from.selected - first);
        MXK_TRY(spec_.program.run(registers_, from, first, count));
        for (std::size_t i = 0; i < fields.size(); ++i) {
            MapSpec::Output const& output = spec_.outputs[i];
            if (output.same != nullptr) continue;
            put(registers_, output.value, fields[i].storage, from, first, count,
                to.columns[fields[i].values].writable<void>());
            if (fields[i].is_nullable())
                put_as<std::uint8_t, std::uint8_t>(registers_.validity(output.value.at), from, first, count,
                                                   to.columns[fields[i].validity].writable<void>());
        }
    }
    return {};
}

} // namespace mxk::query

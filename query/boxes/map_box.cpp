#include "query/boxes/map_box.hpp"

#include <algorithm>
#include <utility>

#include "query/boxes/column_values.hpp"

namespace mxk::query {
namespace {

using dataflow::Envelope;
using Row = Envelope::Row;

// A value, or its validity, into the rows that are meant, from `first` on.
template <typename T>
void put(T const* values, Storage storage, Envelope const& rows, Row first, Row count, dataflow::Column& to) {
    Row const* const chosen = rows.selection ? rows.selection.values<Row>() + first : nullptr;
    write_values<T>(
        storage, to.writable<void>(), count, [&](std::size_t i) { return values[i]; },
        [&](std::size_t i) { return chosen == nullptr ? first + i : chosen[i]; });
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
            with_lane(output.value.lane(), [&]<typename T>(T /*type*/) {
                put(registers_.values<T>(output.value.at), fields[i].storage, from, first, count,
                    to.columns[fields[i].values]);
            });
            if (fields[i].is_nullable())
                put(registers_.validity(output.value.at), Storage::U8, from, first, count,
                    to.columns[fields[i].validity]);
        }
    }
    return {};
}

} // namespace mxk::query

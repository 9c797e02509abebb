#include "query/boxes/map_box.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "query/boxes/column_values.hpp"
#include "query/expression/shown_names.hpp"

namespace mxk::query {
namespace {

using dataflow::Envelope;
using Row = Envelope::Row;

// A value into the rows that are meant, from `first` on.
template <typename T>
void put(T const* values, Storage storage, Envelope const& rows, Row first, Row count, dataflow::Column& to) {
    Row const* const chosen = rows.selection ? rows.selection.values<Row>() + first : nullptr;
    write_values<T>(
        storage, to.writable<void>(), count, [&](std::size_t i) { return values[i]; },
        [&](std::size_t i) { return chosen == nullptr ? first + i : chosen[i]; });
}

// As far as expressions can make it one of the other's type.
Expression towards(Field const& own, Field const& other) {
    Expression self = column(own.name.view());
    if (own.type == other.type || !is_number(own.type.kind) || !is_number(other.type.kind)) return self;
    if (!is_whole(own.type.kind) || !is_whole(other.type.kind)) return self * real(1);
    return own.type.scale < other.type.scale ? self + decimal(0, other.type.scale) : self;
}

// Of values that are of this type or that one. Nothing: they do not meet.
std::optional<Field> meet(Field const& a, Field const& b) {
    Field field = a;
    field.range = {.low = std::min(a.range.low, b.range.low), .high = std::max(a.range.high, b.range.high)};
    if (a.type != b.type) {
        bool const are_numbers = is_number(a.type.kind) && is_number(b.type.kind);
        if (!are_numbers || !is_whole(a.type.kind) || a.type.scale != b.type.scale) return {};
        bool const is_wide = a.type.kind == Kind::Decimal128 || b.type.kind == Kind::Decimal128;
        field.type = whole_type(field.range, is_decimal(a.type.kind) || is_decimal(b.type.kind), a.type.scale);
        if (is_wide) field.type.kind = Kind::Decimal128;
    }
    if (a.type != b.type || a.storage != b.storage) field.storage = storage_of(field.type.kind);
    return field;
}

} // namespace

Result<void> bind_alike(std::array<MapSpec, 2>& specs, std::array<Schema const*, 2> const& rows) {
    std::size_t const count = rows[0]->fields().size();
    if (rows[1]->fields().size() != count)
        return Error::of("expected as many columns of both, got {} and {}", count, rows[1]->fields().size());
    for (std::size_t side = 0; side < 2; ++side) {
        std::array<NamedExpression, Envelope::max_columns> columns;
        for (std::size_t i = 0; i < count; ++i)
            columns[i] = {rows[0]->fields()[i].name.view(),
                          towards(rows[side]->fields()[i], rows[1 - side]->fields()[i])};
        MXK_TRY(specs[side].bind(std::span(columns).first(count), *rows[side]));
    }
    Schema alike;
    for (std::size_t i = 0; i < count; ++i) {
        Field const& a = specs[0].result.fields()[i];
        Field const& b = specs[1].result.fields()[i];
        auto const both = meet(a, b);
        if (!both)
            return Error::of("column '{}': expected values of one type, got {} and {}", a.name.view(),
                             name_of(a.type).view(), name_of(b.type).view());
        MXK_TRY(alike.add(*both, a.is_nullable() || b.is_nullable()));
    }
    for (MapSpec& spec : specs) spec.give_as(alike);
    return {};
}

void MapSpec::give_as(Schema const& wanted) {
    for (std::size_t i = 0; i < result.fields().size(); ++i) {
        Field const& own = result.fields()[i];
        Field const& other = wanted.fields()[i];
        if (own.storage == other.storage && own.is_nullable() == other.is_nullable()) continue;
        outputs[i].same = nullptr;
        has_expressions = true;
    }
    result = wanted;
}

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
        if (!bound) return Error::of("column '{}': {}", shown(column.name).view(), bound.error().message());
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

// Also of values that are never NULL, where others of the column are.
Result<void> MapBox::compute(Envelope const& from, Envelope& to) {
    static constexpr auto all_valid = [] {
        std::array<std::uint8_t, Program::chunk> ones{};
        ones.fill(1);
        return ones;
    }();
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
            if (!fields[i].is_nullable()) continue;
            std::uint8_t const* const validity = registers_.validity(output.value.at);
            put(validity != nullptr ? validity : all_valid.data(), Storage::U8, from, first, count,
                to.columns[fields[i].validity]);
        }
    }
    return {};
}

} // namespace mxk::query

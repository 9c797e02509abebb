#include "query/boxes/filter_box.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace mxk::query {
namespace {

using dataflow::Envelope;
using Row = Envelope::Row;
using Node = Expression::Node;
using Operation = Expression::Operation;

// The constant beside a column of this type, if it can stand for one of its values.
std::optional<Int128> constant_for(Type type, Constant const& constant) {
    if (constant.is_null) return {};
    if (type.kind == Kind::Character && constant.type.kind == Kind::Text && constant.text.size() == 1)
        return static_cast<unsigned char>(constant.text.front());
    if ((type.kind == Kind::Date || type.kind == Kind::Character) != (constant.type.kind == Kind::Date) ||
        type.kind == Kind::Character)
        return {};
    if (!is_whole(constant.type.kind) || constant.type.scale > type.scale) return {};
    Int128 value = constant.number;
    auto const is_large = [&] { return value > int128_max / 16 || value < int128_min / 16; };
    for (unsigned digit = constant.type.scale; digit < type.scale && !is_large(); ++digit) value *= 10;
    if (is_large()) return {};
    return value;
}

// No branch depends on a row: it is written in any case. `chosen`: null: all rows.
template <typename T>
Row select(Envelope const& rows, FilterSpec::RangeTest const& test, Row const* chosen, Row count, Row* out) {
    using Difference = std::make_unsigned_t<T>;
    T const* const values = rows.values<T>(test.field.values);
    auto const low = static_cast<Difference>(test.wanted.low);
    auto const span = static_cast<Difference>(static_cast<Difference>(test.wanted.high) - low);
    auto const* const valid = test.field.is_nullable() ? rows.values<std::uint8_t>(test.field.validity) : nullptr;
    Row kept = 0;
    auto const is_within = [&](Row row) {
        return static_cast<Difference>(static_cast<Difference>(values[row]) - low) <= span;
    };
    if (valid != nullptr) {
        for (Row i = 0; i < count; ++i) {
            Row const row = chosen == nullptr ? i : chosen[i];
            out[kept] = row;
            kept += is_within(row) && valid[row] != 0 ? 1U : 0U;
        }
    } else if (chosen != nullptr) {
        for (Row i = 0; i < count; ++i) {
            Row const row = chosen[i];
            out[kept] = row;
            kept += is_within(row) ? 1U : 0U;
        }
    } else {
        for (Row row = 0; row < count; ++row) {
            out[kept] = row;
            kept += is_within(row) ? 1U : 0U;
        }
    }
    return kept;
}

Row select_range(Envelope const& rows, FilterSpec::RangeTest const& test, Row const* chosen, Row count, Row* out) {
    if (test.wanted.low > test.wanted.high) return 0;
    return with_whole(test.field.storage,
                      [&]<typename T>(T /*type*/) { return select<T>(rows, test, chosen, count, out); });
}

} // namespace

// As a whole first, so that what is wrong is found also where no program will compute it. Then, if there are ranges,
// what is left behind them: a chain, which may have too many levels where the condition has not.
Result<void> FilterSpec::bind(Expression const& wanted, Schema const& schema) {
    condition = MXK_TRY(rest.add(wanted, schema));
    if (condition->type.kind != Kind::Bool)
        return Error::of("expected a condition to filter by, got {}", name_of(condition->type).view());
    Expression left;
    MXK_TRY(add(*wanted.root(), schema, left));
    if (range_count == 0) return {};
    if (left.root() == nullptr) {
        condition.reset();
        return {};
    }
    Program of_left;
    if (auto const bound = of_left.add(left, schema); bound.ok()) {
        rest = of_left;
        condition = bound.value();
    } else {
        range_count = 0;
    }
    return {};
}

// What all of must be true: one range each, or left over.
Result<void> FilterSpec::add(Node const& node, Schema const& schema, Expression& left) {
    if (node.operation == Operation::And) {
        MXK_TRY(add(*node.operands[0], schema, left));
        return add(*node.operands[1], schema, left);
    }
    if (add_range(node, schema)) return {};
    Expression const all = Expression::of(node);
    left = left.root() == nullptr ? all : left && all;
    if (left.root() == nullptr) return Error("out of memory: no room for a condition");
    return {};
}

bool FilterSpec::add_range(Node const& node, Schema const& schema) {
    bool const is_comparison = node.operation == Operation::Equal || node.operation == Operation::Less ||
                               node.operation == Operation::LessOrEqual;
    if (!is_comparison) return false;
    bool const is_column_first = node.operands[0]->operation == Operation::Column;
    Node const& column = is_column_first ? *node.operands[0] : *node.operands[1];
    Node const& other = is_column_first ? *node.operands[1] : *node.operands[0];
    if (column.operation != Operation::Column || other.operation != Operation::Constant) return false;
    auto const found = schema.find(column.name.view());
    if (!found) return false;
    Field const& field = *found.value();
    if (lane_of(field.type.kind) != Lane::I64) return false;
    auto const constant = constant_for(field.type, other.constant);
    if (!constant) return false;
    Range wanted = field.range;
    Int128 const beside = node.operation == Operation::Less ? 1 : 0;
    if (node.operation == Operation::Equal || !is_column_first) wanted.low = std::max(wanted.low, *constant + beside);
    if (node.operation == Operation::Equal || is_column_first) wanted.high = std::min(wanted.high, *constant - beside);
    auto const same = std::ranges::find(ranges.begin(), ranges.begin() + range_count, field.values,
                                        [](RangeTest const& test) { return test.field.values; });
    if (same != ranges.begin() + range_count) {
        same->wanted.low = std::max(same->wanted.low, wanted.low);
        same->wanted.high = std::min(same->wanted.high, wanted.high);
        return true;
    }
    if (range_count == ranges.size()) return false;
    ranges[range_count++] = {.field = field, .wanted = wanted};
    return true;
}

Result<dataflow::Step> FilterBox::receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                          dataflow::EnvelopePointer envelope) {
    auto kept = dataflow::Column::create_for<Row>(envelope->selected);
    if (!kept) return dataflow::no_memory_for_envelopes();
    Row* const out = kept.writable<Row>();
    Row const* chosen = envelope->selection ? envelope->selection.values<Row>() : nullptr;
    Row count = envelope->selected;
    for (std::size_t i = 0; i < spec_.range_count && count != 0; ++i) {
        count = select_range(*envelope, spec_.ranges[i], chosen, count, out); // in place, from the second one on
        chosen = out;
    }
    if (spec_.condition && count != 0) {
        if (spec_.range_count != 0) envelope->selection = kept;
        envelope->selected = count;
        count = MXK_TRY(keep_true(*envelope, out));
    }
    if (count == 0) return dataflow::Step::More;
    envelope->selection = std::move(kept);
    envelope->selected = count;
    emit(std::move(envelope));
    return dataflow::Step::More;
}

// Of the selected rows; gives how many. `out`: may be where the selection is.
Result<FilterBox::Row> FilterBox::keep_true(Envelope const& rows, Row* out) {
    MXK_TRY(registers_.prepare(spec_.rest));
    Row const* const chosen = rows.selection ? rows.selection.values<Row>() : nullptr;
    Row count = 0;
    for (Row first = 0; first < rows.selected; first += Program::chunk) {
        Row const size = std::min(Program::chunk, rows.selected - first);
        MXK_TRY(spec_.rest.run(registers_, rows, first, size));
        auto const* const is_true = registers_.values<std::uint8_t>(spec_.condition->at);
        std::uint8_t const* const is_known = registers_.validity(spec_.condition->at);
        for (Row i = 0; i < size; ++i) {
            out[count] = chosen == nullptr ? first + i : chosen[first + i];
            count += static_cast<Row>(is_true[i] & (is_known == nullptr ? 1U : is_known[i]));
        }
    }
    return count;
}

} // namespace mxk::query

// Steps of a plan that are made of its other steps: counts of values that differ, and sets.
#include <algorithm>
#include <array>

#include "query/plan/plan.hpp"
#include "tasks/dataflow/graph/envelope.hpp"

namespace mxk::query {
namespace {

constexpr std::size_t max_columns = dataflow::Envelope::max_columns;

// Of what is too much for an envelope one more is kept, so that the step that makes it is refused by name.
template <typename Column> class ColumnList {
  public:
    static constexpr std::size_t max = max_columns + 1;

    ColumnList() = default;
    // The columns of these rows, each as it is.
    explicit ColumnList(Schema const& schema) {
        for (Field const& field : schema.fields()) add(field.name.view(), column(field.name.view()));
    }
    template <typename... Parts> void add(Parts const&... parts) {
        if (count_ != max) columns_[count_++] = Column{parts...};
    }
    [[nodiscard]] std::span<Column const> all() const { return {columns_.data(), count_}; }

  private:
    std::array<Column, max> columns_{};
    std::size_t count_ = 0;
};
using NamedColumns = ColumnList<NamedExpression>;
using NamedAggregates = ColumnList<Aggregate>;

bool is_distinct(Aggregate const& aggregate) {
    return aggregate.function == Function::CountDistinct;
}

} // namespace

Plan::Rows Plan::group_by(std::string_view name, Rows rows, std::span<NamedExpression const> keys,
                          std::span<Aggregate const> aggregates) {
    bool const has_distinct = std::ranges::any_of(aggregates, is_distinct);
    return has_distinct ? group_distinct(name, rows, keys, aggregates) : group(name, rows, keys, aggregates);
}

// The values that differ are the groups of a group by of their own, which another one counts. It and one for all other
// aggregates give each group a row, in which the aggregates of the others are NULL; a last group by makes one of them.
Plan::Rows Plan::group_distinct(std::string_view name, Rows rows, std::span<NamedExpression const> keys,
                                std::span<Aggregate const> aggregates) {
    NamedColumns same_keys;
    for (NamedExpression const& key : keys) same_keys.add(key.name, column(key.name));
    NamedAggregates others;
    for (Aggregate const& aggregate : aggregates)
        if (!is_distinct(aggregate)) others.add(aggregate);
    std::array<Rows, NamedAggregates::max> part_of{};
    Rows const of_others = others.all().empty() ? Rows{} : group(name, rows, keys, others.all());
    for (std::size_t i = 0; i < aggregates.size() && i < part_of.size(); ++i) {
        Aggregate const& wanted = aggregates[i];
        part_of[i] = of_others;
        if (!is_distinct(wanted)) continue;
        NamedColumns all_keys;
        for (NamedExpression const& key : keys) all_keys.add(key.name, key.of);
        all_keys.add(wanted.name, wanted.of);
        Aggregate const values{wanted.name, Function::CountValues, column(wanted.name)};
        part_of[i] = group(name, group(name, rows, all_keys.all(), {}), same_keys.all(), {&values, 1});
    }
    if (aggregates.size() == 1) return part_of[0];
    if (std::size_t const columns = keys.size() + aggregates.size(); columns > max_columns)
        fail(name, Error::of("expected up to {} columns, got {}", max_columns, columns));
    Rows all{};
    NamedAggregates single;
    for (std::size_t i = 0; i < aggregates.size() && !error_; ++i) {
        single.add(aggregates[i].name, Function::Max, column(aggregates[i].name));
        if (std::ranges::find(part_of.begin(), part_of.begin() + i, part_of[i].number, &Rows::number) !=
            part_of.begin() + i)
            continue;
        NamedColumns columns;
        for (NamedExpression const& key : same_keys.all()) columns.add(key.name, key.of);
        for (std::size_t other = 0; other < aggregates.size(); ++other) {
            std::string_view const of = aggregates[other].name;
            Field const* const field = schema_of(name, part_of[other])->find(of).value();
            bool const is_own = part_of[other].number == part_of[i].number;
            columns.add(of, is_own ? column(of) : null_of(field->type));
        }
        Rows const part = map(name, part_of[i], columns.all());
        all = all.plan == nullptr ? part : concatenate(name, all, part);
    }
    return group(name, all, same_keys.all(), single.all());
}

// Groups by all columns; which sides a row comes from stands in a column of its own.
Plan::Rows Plan::combine(std::string_view name, SetKind kind, Rows first, Rows second) {
    Schema const* const schema = schema_of(name, first);
    if (schema == nullptr || schema_of(name, second) == nullptr) return {};
    if (kind == SetKind::All) return concatenate(name, first, second);
    constexpr std::string_view side = ".side";
    bool const has_sides = kind != SetKind::Union;
    auto const with_side = [&](Rows rows, int number_of_side) {
        if (!has_sides || error_) return rows;
        NamedColumns columns(*schema_of(name, rows));
        columns.add(side, number(number_of_side));
        return map(name, rows, columns.all());
    };
    Rows const all = concatenate(name, with_side(first, 0), with_side(second, 1));
    NamedColumns const columns(*schema);
    if (!has_sides) return group(name, all, columns.all(), {});
    Aggregate const sides{side, Function::Average, column(side)}; // 0 or 1 if there is but one
    Rows const groups = group(name, all, columns.all(), {&sides, 1});
    Expression const is_wanted =
        kind == SetKind::Intersection ? real(0) < column(side) && column(side) < real(1) : column(side) == real(0);
    return map(name, filter(name, groups, is_wanted), columns.all());
}

} // namespace mxk::query

// Random plans over random tables: the same steps of a plan, of the reference, and in SQL.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/splitmix.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tests/kernel/dataflow/queries.hpp"
#include "tests/kernel/query/plan_sql.hpp"
#include "tests/kernel/query/random_formulas.hpp"
#include "tests/kernel/query/random_tables.hpp"
#include "tests/kernel/query/reference.hpp"

namespace mxk::query_tests {

using query::Aggregate;
using query::Answer;
using query::NamedExpression;
using query::no_limit;
using query::OrderKey;
using query::Plan;

constexpr std::array<std::size_t, 10> sizes{0, 1, 5, 60, 60, 300, 300, 700, 700, 3000};
constexpr std::size_t max_table_rows = 300; // of a join: the reference looks at all of them for each row
constexpr std::size_t max_joined_rows = 6000;

class RandomPlan {
  public:
    explicit RandomPlan(std::uint64_t number)
        : random_(splitmix(number)) // not the number times splitmix's step: the next plan would draw nearly the same
        , plan_(options(random_))
        , pool_(NodeVector<Formula>::create(4000, Worker::current().node()).value())
        , steps_(NodeVector<ReferenceRows>::create(150, Worker::current().node()).value())
        , formulas_(random_, pool_) {
        make();
    }

    // Once. Errors: of a step, or an overflow.
    Result<void> run(Answer& answer) {
        plan_.answer("answer", result_.of_plan, answer);
        MXK_TRY(plan_.check());
        return dataflow_tests::run(plan_.model());
    }
    // All rows of the result, in no order.
    [[nodiscard]] ReferenceRows const& rows() const { return *result_.rows; }
    // What they are ordered by, and how many are wanted.
    [[nodiscard]] std::span<ResultKey const> order() const { return std::span(order_).first(order_count_); }
    [[nodiscard]] std::uint64_t limit() const { return limit_; }
    [[nodiscard]] std::string_view sql() const { return sql_.view(); } // for all rows, in their order
    [[nodiscard]] auto const& tables() const { return tables_; }

    [[nodiscard]] bool may_overflow() const { return may_overflow_; }
    [[nodiscard]] bool has_to_overflow() const { return has_to_overflow_ && !stops_early_; }

  private:
    struct Stream {
        ReferenceRows const* rows = nullptr;
        Plan::Rows of_plan{};
        PlanSql::Step of_sql = 0;
    };
    static query::PlanOptions options(Random& random) {
        constexpr std::array<std::uint32_t, 8> rows{1, 2, 7, 64, 511, 512, 1000, 0};
        return {.cores = 1 + random.below(4),
                .parts = 1 + random.below(4),
                .rows_per_envelope = one_of(random, rows),
                .capacity = static_cast<std::uint32_t>(1 + random.below(4)),
                .min_shared_rows = random.below(2) == 0 ? 10U : 1000U};
    }

    void make() {
        result_ = changed(scan(*new_table("a", one_of(random_, sizes))));
        for (std::uint64_t joins = random_.below(5) / 2; joins != 0; --joins) {
            bool const is_same = random_.below(6) == 0 && tables_[0]->reference.rows <= max_table_rows;
            std::size_t const rows = std::min(one_of(random_, sizes), max_table_rows);
            Stream table = changed(scan(is_same ? *tables_[0] : *new_table(joins == 1 ? "b" : "c", rows)));
            if (random_.below(5) == 0) table = group(table);
            result_ = changed(join(table, result_));
        }
        if (random_.below(4) == 0) {
            bool const is_same = random_.below(4) == 0; // a table may be on both sides
            Stream const other = changed(scan(is_same ? *tables_[0] : *new_table("d", one_of(random_, sizes))));
            result_ = combined(result_, other);
        }
        if (random_.below(2) == 0) {
            result_ = changed(group(result_));
            if (random_.below(4) == 0) result_ = group(result_);
        }
        if (random_.below(2) == 0) result_ = ordered(result_);
        if (random_.below(5) == 0) add_limit(one_of(random_, limits));
        sql_.answer(result_.of_sql, rows(), order());
    }

    // ---- steps

    RandomTable* new_table(std::string_view name, std::size_t rows) {
        tables_[table_count_].emplace(random_, name, rows, 1 + random_.below(3));
        return &*tables_[table_count_++];
    }
    ReferenceRows& new_rows() { return steps_.emplace(); }
    std::string_view new_name() {
        FixedText<32>& name = names_[name_count_++];
        format(name, "n{}", name_count_);
        return name.view();
    }

    Stream scan(RandomTable& table) {
        ReferenceRows const& from = table.reference;
        ReferenceRows& to = new_rows();
        std::array<std::string_view, 3> names;
        std::array<std::string_view, 3> aliases;
        std::size_t const begin = random_.below(from.columns);
        for (std::size_t i = 0; i < from.columns; ++i) {
            std::size_t const at = (begin + i) % from.columns;
            names[i] = from.column[at].name.view();
            aliases[i] = new_name();
            to.add_column(aliases[i], from.column[at].meaning);
        }
        for (std::size_t row = 0; row < from.rows; ++row)
            for (std::size_t i = 0; i < from.columns; ++i) to.add_cell(from.row(row)[(begin + i) % from.columns]);
        to.rows = from.rows;
        to.measure();
        auto const scanned =
            plan_.scan("scan", table.source, std::span<std::string_view const>(names).first(from.columns));
        // Names differ also where a table is joined with itself.
        std::array<NamedExpression, 3> columns;
        for (std::size_t i = 0; i < from.columns; ++i) columns[i] = {aliases[i], query::column(names[i])};
        return {&to, plan_.map("names", scanned, std::span<NamedExpression const>(columns).first(from.columns)),
                sql_.scan(table.source.name(), std::span<std::string_view const>(names).first(from.columns), to)};
    }
    Stream changed(Stream from) {
        for (std::uint64_t steps = random_.below(3); steps != 0; --steps)
            from = random_.below(2) == 0 ? filter(from) : map(from);
        return from;
    }
    // Nearly all keep some rows.
    Stream filter(Stream from) {
        for (std::uint64_t tries = random_.below(6);; --tries) {
            formulas_.begin(*from.rows);
            Formula const& condition = *formulas_.of(Class::Truth, 3);
            ReferenceRows& to = new_rows();
            Evaluation evaluation;
            filter_rows(*from.rows, condition, to, evaluation);
            if (to.rows == 0 && tries != 0) continue;
            may_overflow_ = may_overflow_ || evaluation.has_overflowed();
            return {&to, plan_.filter("filter", from.of_plan, expression_of(condition, *from.rows)),
                    sql_.filter(from.of_sql, *from.rows, condition)};
        }
    }
    void note(Evaluation const& evaluation) {
        may_overflow_ = may_overflow_ || evaluation.has_overflowed();
        has_to_overflow_ = has_to_overflow_ || evaluation.has_overflowed();
    }
    Stream map(Stream from) {
        formulas_.begin(*from.rows);
        ReferenceRows& to = new_rows();
        std::array<Formula const*, 3> made{};
        std::array<NamedExpression, 3> columns;
        std::size_t const count = 1 + random_.below(3);
        for (std::size_t i = 0; i < count; ++i) {
            bool const is_column = random_.below(3) == 0;
            made[i] = is_column ? formulas_.column_at(random_.below(from.rows->columns)) : formulas_.any(3);
            columns[i] = {new_name(), expression_of(*made[i], *from.rows)};
            to.add_column(columns[i].name, made[i]->meaning);
        }
        Evaluation evaluation;
        auto const formulas = std::span<Formula const* const>(made).first(count);
        map_rows(*from.rows, formulas, to, evaluation);
        note(evaluation);
        return {&to, plan_.map("map", from.of_plan, std::span<NamedExpression const>(columns).first(count)),
                sql_.map(from.of_sql, *from.rows, formulas, to)};
    }
    Stream join(Stream table, Stream rows) {
        constexpr std::array kinds{JoinKind::Inner, JoinKind::Left, JoinKind::Semi, JoinKind::Anti};
        bool const has_room = table.rows->columns + rows.rows->columns <= ReferenceRows::max_columns;
        std::size_t const kind_at = has_room ? random_.below(kinds.size()) : 2 + random_.below(2);
        std::array<ReferenceKey, 3> keys{};
        std::size_t count = 0;
        std::size_t const wanted = 1 + random_.below(3);
        for (unsigned tries = 0; tries < 40 && count < wanted; ++tries) {
            Class const of = static_cast<Class>(random_.below(6));
            formulas_.begin(*table.rows);
            Formula const* const of_table = random_.below(5) == 0 ? formulas_.of(of, 1) : formulas_.column(of);
            formulas_.begin(*rows.rows);
            Formula const* const of_rows = random_.below(5) == 0 ? formulas_.of(of, 1) : formulas_.column(of);
            if (of_table == nullptr || of_rows == nullptr || of_table->meaning.of != of_rows->meaning.of ||
                of_table->meaning.scale != of_rows->meaning.scale || of_table->operation == Operation::Constant ||
                of_rows->operation == Operation::Constant)
                continue;
            keys[count++] = {of_table, of_rows};
        }
        if (count == 0) { // all of both
            formulas_.begin(*table.rows);
            keys[count++].of_table = &pool_.emplace(Formula{.constant = {.number = 1}});
            keys[0].of_rows = keys[0].of_table;
        }
        auto const chosen = std::span<ReferenceKey const>(keys).first(count);
        std::array<query::JoinKey, 3> of_plan;
        for (std::size_t i = 0; i < count; ++i)
            of_plan[i] = {expression_of(*keys[i].of_table, *table.rows), expression_of(*keys[i].of_rows, *rows.rows)};
        Evaluation evaluation;
        ReferenceRows* to = &new_rows();
        JoinKind kind = kinds[kind_at];
        bool has_room_for_all = join_rows(kind, *table.rows, *rows.rows, chosen, max_joined_rows, *to, evaluation);
        if (!has_room_for_all || (to->rows == 0 && random_.below(6) != 0)) {
            constexpr std::array other_kinds{JoinKind::Left, JoinKind::Anti, JoinKind::Anti, JoinKind::Semi};
            kind = has_room_for_all ? other_kinds[kind_at] : JoinKind::Semi;
            to = &new_rows();
            expect(join_rows(kind, *table.rows, *rows.rows, chosen, max_joined_rows, *to, evaluation),
                   "a join that finds nothing has no more rows");
        }
        note(evaluation);
        return {to,
                plan_.join("join", kind, table.of_plan, rows.of_plan,
                           std::span<query::JoinKey const>(of_plan).first(count)),
                sql_.join(kind, table.of_sql, *table.rows, rows.of_sql, *rows.rows, chosen)};
    }
    // The second one's columns are made to be of the first one's types, but for decimals' scales.
    Stream combined(Stream first, Stream second) {
        formulas_.begin(*second.rows);
        ReferenceRows& second_rows = new_rows();
        ReferenceRows& to = new_rows();
        std::array<Formula const*, ReferenceRows::max_columns> made{};
        std::array<NamedExpression, ReferenceRows::max_columns> columns;
        std::size_t const count = first.rows->columns;
        for (std::size_t i = 0; i < count; ++i) {
            ReferenceColumn const& column = first.rows->column[i];
            Class const of = column.meaning.of;
            made[i] = random_.below(3) == 0 ? nullptr : formulas_.column(of);
            if (made[i] == nullptr) made[i] = formulas_.of(of, 1);
            if (made[i]->meaning.of != of) // there are no letters but columns
                made[i] = &pool_.emplace(Formula{.meaning = column.meaning, .constant = {.is_null = true}});
            columns[i] = {new_name(), expression_of(*made[i], *second.rows)};
            second_rows.add_column(columns[i].name, made[i]->meaning);
            Meaning meaning = Evaluation::common(column.meaning, made[i]->meaning);
            meaning.is_exact = column.meaning.is_exact && made[i]->meaning.is_exact;
            meaning.bits = std::max(column.meaning.bits, made[i]->meaning.bits);
            meaning.fraction = std::max(column.meaning.fraction, made[i]->meaning.fraction);
            to.add_column(column.name.view(), meaning);
        }
        auto const formulas = std::span<Formula const* const>(made).first(count);
        Evaluation evaluation;
        map_rows(*second.rows, formulas, second_rows, evaluation);
        constexpr std::array kinds{SetKind::All, SetKind::Union, SetKind::Intersection, SetKind::Difference};
        bool const are_exact = std::ranges::all_of(
            std::span(to.column).first(count), [](ReferenceColumn const& column) { return column.meaning.is_exact; });
        // An envelope has to have room for the column that says of which side a row is.
        bool const is_plain = !are_exact || count == ReferenceRows::max_columns;
        SetKind const kind = is_plain ? SetKind::All : one_of(random_, kinds);
        combine_rows(kind, *first.rows, second_rows, to, evaluation);
        note(evaluation);
        auto const mapped = plan_.map("map", second.of_plan, std::span<NamedExpression const>(columns).first(count));
        auto const sql = sql_.map(second.of_sql, *second.rows, formulas, second_rows);
        return {&to, plan_.combine("combine", kind, first.of_plan, mapped),
                sql_.combine(kind, first.of_sql, *first.rows, sql, second_rows, to)};
    }
    Stream group(Stream from) {
        formulas_.begin(*from.rows);
        ReferenceRows& to = new_rows();
        std::array<Formula const*, 3> keys{};
        std::array<NamedExpression, 3> of_plan;
        std::size_t key_count = random_.below(4);
        for (std::size_t i = 0; i < key_count; ++i) {
            keys[i] = random_.below(3) == 0 ? formulas_.any(2) : formulas_.column(static_cast<Class>(random_.below(6)));
            if (keys[i] == nullptr) keys[i] = formulas_.any(0);
            of_plan[i] = {new_name(), expression_of(*keys[i], *from.rows)};
            to.add_column(of_plan[i].name, keys[i]->meaning);
        }
        std::array<ReferenceAggregate, 3> aggregates{};
        std::array<Aggregate, 3> wanted;
        std::size_t const count = 1 + random_.below(3);
        for (std::size_t i = 0; i < count; ++i) {
            bool const is_again = i != 0 && aggregates[0].of != nullptr && random_.below(3) == 0;
            aggregates[i].of = is_again                ? aggregates[0].of
                               : random_.below(2) == 0 ? formulas_.any(2)
                                                       : formulas_.column_at(random_.below(from.rows->columns));
            aggregates[i].function = function_of(aggregates[i].of->meaning);
            wanted[i] = {new_name(), aggregates[i].function, expression_of(*aggregates[i].of, *from.rows)};
            to.add_column(wanted[i].name, result_of(aggregates[i]));
            if (aggregates[i].function == Function::Count) aggregates[i].of = nullptr;
        }
        auto const its_keys = std::span<Formula const* const>(keys).first(key_count);
        auto const its_aggregates = std::span<ReferenceAggregate const>(aggregates).first(count);
        Evaluation evaluation;
        group_rows(*from.rows, its_keys, its_aggregates, to, evaluation);
        note(evaluation);
        return {&to,
                plan_.group_by("group", from.of_plan, std::span<NamedExpression const>(of_plan).first(key_count),
                               std::span<Aggregate const>(wanted).first(count)),
                sql_.group(from.of_sql, *from.rows, its_keys, its_aggregates, to)};
    }
    Function function_of(Meaning const& meaning) {
        constexpr std::array all{Function::Count,   Function::CountValues, Function::CountDistinct,
                                 Function::Min,     Function::Max,         Function::Sum,
                                 Function::Average, Function::Sum,         Function::Average};
        bool const is_whole = meaning.of == Class::Whole && meaning.bits < 112;
        bool const has_sum = is_whole || (meaning.of == Class::Real &&
                                          (has_exact_sum(meaning) || meaning.has_near_sums) && meaning.is_exact);
        return all[random_.below(meaning.of == Class::Truth ? 3 : has_sum ? all.size() : 5)];
    }
    static bool has_exact_sum(Meaning const& meaning) { return meaning.bits + meaning.fraction < 40; }
    static Meaning result_of(ReferenceAggregate const& wanted) {
        Meaning result = wanted.of->meaning;
        switch (wanted.function) {
        case Function::Count:
        case Function::CountValues:
        case Function::CountDistinct: return {};
        case Function::Sum:
            if (result.of == Class::Real) {
                result.is_exact = result.is_exact && has_exact_sum(result);
                result.bits += 13;
            }
            result.has_near_sums = false;
            return result;
        case Function::Average: return {.of = Class::Real, .is_exact = false};
        default: return result;
        }
    }
    Stream ordered(Stream from) {
        std::array<OrderKey, 3> keys;
        for (std::uint64_t wanted = random_.below(4); order_count_ < wanted; ++order_count_) {
            std::size_t const at = random_.below(from.rows->columns);
            if (!from.rows->column[at].meaning.is_exact) break;
            order_[order_count_] = {.column = at, .is_descending = random_.below(2) == 0};
            keys[order_count_] = {from.rows->column[at].name.view(), order_[order_count_].is_descending};
        }
        bool const has_limit = random_.below(2) == 0;
        if (has_limit) limit_ = one_of(random_, limits);
        if (limit_ == 0) stops_early_ = true;
        return {from.rows,
                plan_.order_by("order", from.of_plan, std::span<OrderKey const>(keys).first(order_count_), limit_),
                from.of_sql};
    }
    void add_limit(std::uint64_t rows) {
        limit_ = std::min(limit_, rows);
        stops_early_ = true;
        result_.of_plan = plan_.limit("limit", result_.of_plan, rows);
    }

    static constexpr std::array<std::uint64_t, 10> limits{0, 1, 3, 20, 20, 500, 500, 2000, 5000, UINT64_MAX - 1};

    Random random_;
    Plan plan_;
    NodeVector<Formula> pool_;
    NodeVector<ReferenceRows> steps_;
    Formulas formulas_;
    PlanSql sql_;
    std::array<std::optional<RandomTable>, 4> tables_;
    std::size_t table_count_ = 0;
    std::array<FixedText<32>, 100> names_;
    std::size_t name_count_ = 0;
    Stream result_;
    std::uint64_t limit_ = no_limit;
    std::array<ResultKey, 3> order_{};
    std::size_t order_count_ = 0;
    bool may_overflow_ = false;    // a result has more than 127 bits, if it is computed
    bool has_to_overflow_ = false; // and it is
    bool stops_early_ = false;     // but for what is not needed
};

// The plan of this number.
inline NodeVector<RandomPlan> make_random_plan(std::uint64_t number) {
    auto memory = NodeVector<RandomPlan>::create(1, Worker::current().node());
    expect(memory.ok(), "a test has memory");
    memory.value().emplace(number);
    return std::move(memory).value();
}

} // namespace mxk::query_tests

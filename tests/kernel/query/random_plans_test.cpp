// Random plans over random tables give what the reference gives. `test query --seed N` draws others than by default;
// `test query --seed 1000000` + n runs plan n only, and says what it does.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/log.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tests/kernel/dataflow/queries.hpp"
#include "tests/kernel/query/random_formulas.hpp"
#include "tests/kernel/query/random_tables.hpp"
#include "tests/kernel/query/reference.hpp"

namespace mxk::query_tests {
namespace {

using query::Aggregate;
using query::Answer;
using query::NamedExpression;
using query::no_limit;
using query::OrderKey;
using query::Plan;

constexpr std::uint64_t plans = 200;
constexpr std::uint64_t first_single = 1'000'000;
constexpr std::array<std::size_t, 10> sizes{0, 1, 5, 60, 60, 300, 300, 700, 700, 3000};
constexpr std::size_t max_table_rows = 300; // of a join: the reference looks at all of them for each row
constexpr std::size_t max_joined_rows = 6000;

// ---- what comes out

// Rows as text, first the columns that they are ordered by; what is not exact stands beside it.
class Lines {
  public:
    struct Line {
        std::size_t begin = 0;
        std::size_t key_size = 0;
        std::size_t size = 0;
        std::array<double, ReferenceRows::max_columns> near{};
    };
    void begin_line() { lines_expect(lines_.add({.begin = text_.size()})); }
    void end_keys() { last().key_size = text_.size() - last().begin; }
    void add_cell(std::string_view text, Meaning const& meaning, std::size_t column) {
        if (text == "-0.0" && meaning.of == Class::Real) text = "0.0";
        bool const is_near = !meaning.is_exact && text != "NULL";
        if (is_near) last().near[column] = parsed(text);
        for (char const letter : is_near ? std::string_view("#") : text) lines_expect(text_.add(letter));
        lines_expect(text_.add('|'));
        last().size = text_.size() - last().begin;
    }
    [[nodiscard]] std::string_view text(Line const& line) const {
        return {text_.span().data() + line.begin, line.size};
    }
    [[nodiscard]] std::string_view key(std::size_t number) const {
        return text(lines_[number]).substr(0, lines_[number].key_size);
    }
    [[nodiscard]] std::size_t size() const { return lines_.size(); }
    [[nodiscard]] Line const& operator[](std::size_t number) const { return lines_[number]; }
    void sort() {
        auto const all = lines_.span();
        std::sort(all.begin(), all.end(), [this](Line const& a, Line const& b) {
            if (int const order = text(a).compare(text(b)); order != 0) return order < 0;
            return std::lexicographical_compare(a.near.begin(), a.near.end(), b.near.begin(), b.near.end());
        });
    }

  private:
    static void lines_expect(bool has_memory) { expect(has_memory, "a test has memory"); }
    Line& last() { return lines_[lines_.size() - 1]; }
    // To some last digits.
    static double parsed(std::string_view text) {
        bool const is_negative = text.starts_with('-');
        if (is_negative) text.remove_prefix(1);
        constexpr double infinity = std::numeric_limits<double>::infinity();
        if (text == "nan") return -infinity; // NaN is not equal to itself here
        if (text == "inf") return is_negative ? -1e308 : infinity;
        double value = 0;
        double unit = 0;
        int exponent = 0;
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] == 'e') {
                bool const is_small = text[at + 1] == '-';
                for (at += is_small ? 2 : 1; at < text.size(); ++at) exponent = exponent * 10 + (text[at] - '0');
                exponent = is_small ? -exponent : exponent;
            } else if (text[at] == '.') {
                unit = 1;
            } else {
                value = value * 10 + (text[at] - '0');
                unit *= 10;
            }
        }
        if (unit != 0) value /= unit;
        for (; exponent > 0; --exponent) value *= 10;
        for (; exponent < 0; ++exponent) value /= 10;
        return is_negative ? -value : value;
    }

    GrowingArray<Line> lines_;
    GrowingArray<char> text_;
};

bool is_near(double a, double b) {
    double const size = std::max(a < 0 ? -a : a, b < 0 ? -b : b);
    double const difference = a < b ? b - a : a - b;
    return a == b || difference <= 1e-9 * size;
}
bool are_alike(Lines const& a, std::size_t at_a, Lines const& b, std::size_t at_b) {
    return a.text(a[at_a]) == b.text(b[at_b]) &&
           std::equal(a[at_a].near.begin(), a[at_a].near.end(), b[at_b].near.begin(), is_near);
}

// ---- plans

class RandomPlan {
  public:
    RandomPlan(std::uint64_t number, bool is_told)
        : random_(number * 0x9e37'79b9'7f4a'7c15)
        , is_told_(is_told)
        , plan_(options(random_))
        , pool_(NodeVector<Formula>::create(4000, Worker::current().node()).value())
        , steps_(NodeVector<ReferenceRows>::create(150, Worker::current().node()).value())
        , formulas_(random_, pool_) {}

    bool run() {
        make();
        Answer answer;
        plan_.answer("answer", rows_.of_plan, answer);
        if (auto const checked = plan_.check(); !checked.ok()) {
            log::error("check: {}", checked.error().message());
            return false;
        }
        auto const result = dataflow_tests::run(plan_.model());
        if (!result.ok()) {
            bool const is_overflow =
                may_overflow_ && result.error().message().find(": overflow: ") != std::string_view::npos;
            if (!is_overflow) log::error("{}", result.error().message());
            return is_overflow;
        }
        if (may_overflow_) {
            if (has_to_overflow_ && !stops_early_) log::error("expected an overflow, got an answer");
            return !has_to_overflow_ || stops_early_;
        }
        return is_expected(answer);
    }

  private:
    struct Stream {
        ReferenceRows const* rows = nullptr;
        Plan::Rows of_plan{};
    };
    static query::PlanOptions options(Random& random) {
        constexpr std::array<std::uint32_t, 8> rows{1, 2, 7, 64, 511, 512, 1000, 0};
        return {.parts = 1 + random.below(4),
                .rows_per_envelope = one_of(random, rows),
                .capacity = static_cast<std::uint32_t>(1 + random.below(4))};
    }

    void make() {
        rows_ = changed(scan(*new_table("a", one_of(random_, sizes))));
        for (std::uint64_t joins = random_.below(5) / 2; joins != 0; --joins) {
            bool const is_same = random_.below(6) == 0 && tables_[0]->reference.rows <= max_table_rows;
            std::size_t const rows = std::min(one_of(random_, sizes), max_table_rows);
            Stream table = changed(scan(is_same ? *tables_[0] : *new_table(joins == 1 ? "b" : "c", rows)));
            if (random_.below(5) == 0) table = group(table);
            rows_ = changed(join(table, rows_));
        }
        if (random_.below(2) == 0) {
            rows_ = changed(group(rows_));
            if (random_.below(4) == 0) rows_ = group(rows_);
        }
        if (random_.below(2) == 0) rows_ = ordered(rows_);
        if (random_.below(5) == 0) limit(one_of(random_, limits));
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
    template <typename... Arguments>
    void tell(FormatString<std::type_identity_t<Arguments>...> pattern, Arguments const&... arguments) {
        if (is_told_) log::error(pattern, arguments...);
    }
    void tell(std::string_view step, Formula const& formula, ReferenceRows const& rows) {
        if (!is_told_) return;
        FixedText<400> text;
        write_formula(text, formula, rows);
        log::error("{} {}", step, text.view());
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
            auto const type = query::name_of(table.source.find(names[i]).value()->type);
            tell("scan {} as {}: {}, {} rows", names[i], aliases[i], type.view(), from.rows);
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
        return {&to, plan_.map("names", scanned, std::span<NamedExpression const>(columns).first(from.columns))};
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
            tell("filter", condition, *from.rows);
            may_overflow_ = may_overflow_ || evaluation.has_overflowed();
            return {&to, plan_.filter("filter", from.of_plan, expression_of(condition, *from.rows))};
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
            tell("map", *made[i], *from.rows);
            columns[i] = {new_name(), expression_of(*made[i], *from.rows)};
            to.add_column(columns[i].name, made[i]->meaning);
        }
        Evaluation evaluation;
        map_rows(*from.rows, std::span<Formula const* const>(made).first(count), to, evaluation);
        note(evaluation);
        return {&to, plan_.map("map", from.of_plan, std::span<NamedExpression const>(columns).first(count))};
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
        for (std::size_t i = 0; i < count; ++i) {
            tell("join", *keys[i].of_table, *table.rows);
            tell("with", *keys[i].of_rows, *rows.rows);
            of_plan[i] = {expression_of(*keys[i].of_table, *table.rows), expression_of(*keys[i].of_rows, *rows.rows)};
        }
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
        tell("kind {}: {} and {} rows give {}", static_cast<unsigned>(kind), table.rows->rows, rows.rows->rows,
             to->rows);
        return {to, plan_.join("join", kind, table.of_plan, rows.of_plan,
                               std::span<query::JoinKey const>(of_plan).first(count))};
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
            tell("key", *keys[i], *from.rows);
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
            tell(query::name_of(aggregates[i].function), *aggregates[i].of, *from.rows);
            to.add_column(wanted[i].name, result_of(aggregates[i]));
            if (aggregates[i].function == Function::Count) aggregates[i].of = nullptr;
        }
        Evaluation evaluation;
        group_rows(*from.rows, std::span<Formula const* const>(keys).first(key_count),
                   std::span<ReferenceAggregate const>(aggregates).first(count), to, evaluation);
        note(evaluation);
        tell("{} rows give {} groups", from.rows->rows, to.rows);
        return {&to, plan_.group_by("group", from.of_plan, std::span<NamedExpression const>(of_plan).first(key_count),
                                    std::span<Aggregate const>(wanted).first(count))};
    }
    Function function_of(Meaning const& meaning) {
        constexpr std::array all{Function::Count, Function::CountValues, Function::Min,
                                 Function::Max,   Function::Sum,         Function::Average};
        bool const is_whole = meaning.of == Class::Whole && meaning.bits < 112;
        bool const has_sum = is_whole || (meaning.of == Class::Real &&
                                          (has_exact_sum(meaning) || meaning.has_near_sums) && meaning.is_exact);
        return all[random_.below(meaning.of == Class::Truth ? 2 : has_sum ? 6 : 4)];
    }
    static bool has_exact_sum(Meaning const& meaning) { return meaning.bits + meaning.fraction < 40; }
    static Meaning result_of(ReferenceAggregate const& wanted) {
        Meaning result = wanted.of->meaning;
        switch (wanted.function) {
        case Function::Count:
        case Function::CountValues: return {};
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
        for (std::uint64_t wanted = random_.below(4); order_count_ < wanted;) {
            std::size_t const at = random_.below(from.rows->columns);
            if (!from.rows->column[at].meaning.is_exact) break;
            order_by_[order_count_] = at;
            keys[order_count_] = {from.rows->column[at].name.view(), random_.below(2) == 0};
            tell("order by {}{}", keys[order_count_].column, keys[order_count_].is_descending ? " descending" : "");
            is_descending_[order_count_] = keys[order_count_].is_descending;
            ++order_count_;
        }
        bool const has_limit = random_.below(2) == 0;
        if (has_limit) limit_ = one_of(random_, limits);
        if (limit_ == 0) stops_early_ = true;
        if (has_limit) tell("limit {}", limit_);
        return {from.rows,
                plan_.order_by("order", from.of_plan, std::span<OrderKey const>(keys).first(order_count_), limit_)};
    }
    void limit(std::uint64_t rows) {
        limit_ = std::min(limit_, rows);
        stops_early_ = true;
        tell("first {}", rows);
        rows_.of_plan = plan_.limit("limit", rows_.of_plan, rows);
    }

    // ---- the answer

    void put(Lines& lines, auto cell_of) {
        lines.begin_line();
        auto const add = [&](std::size_t column) {
            FixedText<128> cell;
            cell_of(cell, column);
            lines.add_cell(cell.view(), rows_.rows->column[column].meaning, column);
        };
        for (std::size_t i = 0; i < order_count_; ++i) add(order_by_[i]);
        lines.end_keys();
        for (std::size_t column = 0; column < rows_.rows->columns; ++column) add(column);
    }
    bool is_expected(Answer const& answer) {
        ReferenceRows const& rows = *rows_.rows;
        GrowingArray<std::size_t> order;
        for (std::size_t i = 0; i < rows.rows; ++i) expect(order.add(i), "a test has memory");
        std::sort(order.span().begin(), order.span().end(), [&](std::size_t a, std::size_t b) {
            for (std::size_t i = 0; i < order_count_; ++i) {
                std::size_t const at = order_by_[i];
                int const found =
                    query_tests::order(rows.column[at].meaning.of, rows.row(a)[at], rows.row(b)[at], is_descending_[i]);
                if (found != 0) return found < 0;
            }
            return false;
        });
        Lines expected;
        for (std::size_t const row : order.span())
            put(expected, [&](TextSink& out, std::size_t column) {
                write_value(out, rows.row(row)[column], rows.column[column].meaning);
            });
        Lines got;
        for (std::size_t row = 0; row < answer.rows(); ++row)
            put(got, [&](TextSink& out, std::size_t column) { answer.write_cell(out, row, column); });
        if (answer.schema().fields().size() != rows.columns ||
            got.size() != std::min<std::uint64_t>(limit_, expected.size())) {
            log::error("expected {} of {} rows, got {}", limit_, expected.size(), got.size());
            return false;
        }
        for (std::size_t i = 0; i < got.size(); ++i) {
            if (got.key(i) == expected.key(i)) continue;
            log::error("row {}: expected {} first, got {}", i, expected.key(i), got.key(i));
            return false;
        }
        // Each row is one of the expected ones.
        expected.sort();
        got.sort();
        std::size_t at = 0;
        for (std::size_t i = 0; i < got.size(); ++i, ++at) {
            bool const must_be_next = got.size() == expected.size();
            while (at < expected.size() && !must_be_next && !are_alike(got, i, expected, at)) ++at;
            if (at < expected.size() && are_alike(got, i, expected, at)) continue;
            log::error("got {}", got.text(got[i]));
            if (must_be_next) log::error("expected {}", expected.text(expected[at]));
            for (std::size_t column = 0; must_be_next && column < rows.columns; ++column)
                if (!is_near(got[i].near[column], expected[at].near[column])) log::error("column {} differs", column);
            return false;
        }
        return true;
    }

    static constexpr std::array<std::uint64_t, 10> limits{0, 1, 3, 20, 20, 500, 500, 2000, 5000, UINT64_MAX - 1};

    Random random_;
    bool is_told_;
    Plan plan_;
    NodeVector<Formula> pool_;
    NodeVector<ReferenceRows> steps_;
    Formulas formulas_;
    std::array<std::optional<RandomTable>, 3> tables_;
    std::size_t table_count_ = 0;
    std::array<FixedText<32>, 100> names_;
    std::size_t name_count_ = 0;
    Stream rows_;
    std::uint64_t limit_ = no_limit;
    std::array<std::size_t, 3> order_by_{};
    std::array<bool, 3> is_descending_{};
    std::size_t order_count_ = 0;
    bool may_overflow_ = false;    // a result has more than 127 bits, if it is computed
    bool has_to_overflow_ = false; // and it is
    bool stops_early_ = false;     // but for what is not needed
};

bool is_right(std::uint64_t number, bool is_told) {
    auto memory = NodeVector<RandomPlan>::create(1, Worker::current().node());
    expect(memory.ok(), "a test has memory");
    return memory.value().emplace(number, is_told).run();
}

} // namespace

MXK_TEST(query, random_plans_give_what_the_reference_gives) {
    std::uint64_t const seed = inner_tests::seed();
    bool const is_single = seed >= first_single;
    std::uint64_t const first = is_single ? seed - first_single : (seed - 1) * plans;
    for (std::uint64_t number = first; number < first + (is_single ? 1 : plans); ++number) {
        bool const is_as_expected = is_right(number, is_single);
        MXK_CHECK(is_as_expected);
        if (is_as_expected) continue;
        log::error("plan {} (test query --seed {})", number, first_single + number);
    }
}

} // namespace mxk::query_tests

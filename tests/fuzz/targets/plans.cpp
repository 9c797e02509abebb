// An input is: options of a plan, tables, then steps until the bytes end, each of a kind, a name, rows of a step before
// (or of none, or of another plan), and expressions: what a byte means, see below.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "query/plan/plan.hpp"
#include "tests/fuzz/targets/cores.hpp"
#include "tests/fuzz/targets/input.hpp"
#include "tests/fuzz/targets/text.hpp"
#include "tests/kernel/query/random_tables.hpp"

namespace mxk::fuzz {
namespace {

using namespace query;
using query_tests::RandomTable;

constexpr std::size_t max_steps = 12;
constexpr std::size_t max_tables = 3;
// With more rows than these a query may take too long, and is cancelled.
constexpr std::uint64_t max_rows_to_the_end = 20'000;

// Those of the tables, those that steps give, and wrong ones.
constexpr std::array<std::string_view, 20> names{
    "a0",
    "a1",
    "a2",
    "b0",
    "b1",
    "b2",
    "c0",
    "c1",
    "x",
    "y",
    "z",
    "key",
    "sum",
    "",
    "a name of 31 characters, enough",
    "a name of 32 characters, not yet",
    "A0",
    "a0 ",
    "\xff\n",
    "a name of a hundred characters, which is more than there is room for in a column, a table, or a box."};
constexpr std::array<std::string_view, 6> texts{"", "a", "PROMO", "AB", "\xff", "a longer text than a dictionary has"};
constexpr std::array<Int128, 12> numbers{0,   1,         2,         -1,         7,          100,
                                         255, INT64_MAX, INT64_MIN, UINT64_MAX, int128_max, int128_min};
constexpr std::array<double, 7> reals{
    0.0, -0.0, 0.5, 1e300, -1e300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};

class PlanOfBytes {
  public:
    // `is_plain`: of one part, whatever the bytes say, and with nothing that ends it early.
    PlanOfBytes(InputBytes bytes, bool is_plain)
        : rest_(bytes)
        , plan_(options(is_plain)) {
        bench::Random random(rest_.take<std::uint16_t>());
        for (std::size_t i = 0; i < max_tables; ++i) {
            constexpr std::array<std::size_t, 6> sizes{5, 0, 1, 2, 40, 600};
            std::size_t const rows = one_of(sizes);
            tables_[i].emplace(random, std::array{"a", "b", "c"}[i], rows, 1 + random.below(3));
        }
        foreign_ = other_.scan("scan", tables_[0]->source, std::array{names[0]});
        std::size_t const looks = byte(); // seldom limited
        std::size_t const pieces = byte();
        if (!is_plain && looks >= 192) limits_.looks = looks - 191;
        if (!is_plain && pieces >= 200) limits_.pieces = 4 * (pieces - 200);
        if (!is_plain && pieces < 40) limits_.memory = pieces * 8 * KiB;
    }

    // The answers, if there is one right one: a sorted list of all cells of exact types.
    std::optional<std::vector<std::string>> run() {
        for (std::size_t steps = 0; steps < max_steps && !rest_.empty(); ++steps) add_step();
        for (std::size_t left = 0; left < answers_.size() && !open_.empty(); ++left) add_answer("answer", rows());
        auto const checked = plan_.check();
        EXPECT_EQ(plan_.check().ok(), checked.ok());
        if (!checked.ok()) expect_complaint(checked.error().message());
        if (max_rows_ > max_rows_to_the_end && limits_.looks == 0) limits_.looks = 100;
        auto const result = run_query(plan_.model(), limits_);
        EXPECT_TRUE(checked.ok() || !result.ok());
        if (!checked.ok()) return {};
        if (!result.ok()) {
            expect_complaint(result.error().message());
            return {};
        }
        std::vector<std::string> lines;
        for (Answer const& answer : answers_) read(answer, lines);
        std::ranges::sort(lines);
        if (has_limit_ || (has_sum_ && has_real_)) return {};
        return lines;
    }

  private:
    struct Given {
        Plan::Rows rows{};
        std::uint64_t max_rows = 0;
        std::vector<std::string_view> columns{}; // if nothing is wrong
    };

    PlanOptions options(bool is_plain) {
        PlanOptions result{.cores = one_of(std::to_array<std::size_t>({1, 2, 3, 8, 0, 1000, SIZE_MAX})),
                           .parts = one_of(std::to_array<std::size_t>({1, 2, 3, 2, 5, 0, 1, 3, 4, 2, 70, SIZE_MAX})),
                           .rows_per_envelope = one_of(std::to_array<std::uint32_t>({0, 1, 2, 7, 511, UINT32_MAX})),
                           .capacity =
                               one_of(std::to_array<std::uint32_t>({4, 1, 2, 3, 64, 4, 1, 2, 0, 65, UINT32_MAX}))};
        if (is_plain) result.cores = result.parts = 1;
        if (is_plain) result.rows_per_envelope = 0;
        return result;
    }

    std::uint8_t byte() { return rest_.take<std::uint8_t>(); }
    template <typename T, std::size_t size> T one_of(std::array<T, size> const& all) { return all[byte() % size]; }
    // Any; seldom one of the columns that are there.
    std::string_view name() { return one_of(names); }
    // Of a column of these rows; seldom any.
    std::string_view name_of(Given const& from) {
        std::size_t const at = byte();
        return at >= 240 || from.columns.empty() ? name() : from.columns[at % from.columns.size()];
    }
    // Of a column that a step gives; seldom one that is there already.
    std::string_view new_name() {
        if (byte() >= 240) return name();
        format(new_names_.emplace_back(), "n{}", new_names_.size());
        return new_names_.back().view();
    }

    // Those that no step has taken yet, the last ones first; seldom others.
    Given rows() {
        std::size_t const at = byte();
        if (at == UINT8_MAX) return {.rows = foreign_};
        if (rows_.empty() || at == UINT8_MAX - 1) return {};
        if (at >= 220 || open_.empty()) return rows_[at % rows_.size()];
        std::size_t const number = open_.back();
        open_.pop_back();
        return rows_[number];
    }
    std::size_t count(std::size_t limit) {
        std::size_t const wanted = byte();
        return wanted < 240 ? wanted % (limit + 1) : wanted - 230; // seldom too many
    }

    // ---- expressions

    Constant constant() {
        return {.type = {.kind = static_cast<Kind>(byte() % 16), .scale = static_cast<std::uint8_t>(byte() % 40)},
                .is_null = byte() % 4 == 0,
                .number = one_of(numbers),
                .real = one_of(reals),
                .text = one_of(texts)};
    }
    Expression leaf(Given const& from) {
        switch (byte() % 12) {
        case 0: return number(static_cast<std::int8_t>(byte()));
        case 1: return number(static_cast<std::int64_t>(one_of(numbers)));
        case 2: return decimal(static_cast<std::int64_t>(one_of(numbers)), byte());
        case 3: has_real_ = true; return real(one_of(reals));
        case 4: return truth(byte() % 2 != 0);
        case 5: return date(1900 + byte(), byte() % 16, byte() % 40);
        case 6: return date(static_cast<int>(one_of(numbers)), byte(), static_cast<unsigned>(one_of(numbers)));
        case 7: return text(one_of(texts));
        case 8:
            return null_of({.kind = static_cast<Kind>(byte() % 16), .scale = static_cast<std::uint8_t>(byte() % 40)});
        case 9: has_real_ = true; return Expression::of(constant());
        case 10: return {};
        default: return column(name_of(from));
        }
    }
    Expression expression(Given const& from, unsigned depth) {
        std::uint8_t const wanted = byte();
        if (depth == 0 || wanted < 64) return wanted % 4 == 0 ? leaf(from) : column(name_of(from));
        auto const one = [&] { return expression(from, depth - 1); };
        Expression const a = one();
        switch (wanted % 18) {
        case 0: return a + one();
        case 1: return a - one();
        case 2: return a * one();
        case 3: return a == one();
        case 4: return a != one();
        case 5: return a < one();
        case 6: return a <= one();
        case 7: return a > one();
        case 8: return a && one();
        case 9: return a || one();
        case 10: return !a;
        case 11: return is_null(a);
        case 12:
        case 13: {
            Expression const b = one();
            return wanted % 18 == 12 ? choose(a, b, one()) : between(a, b, one());
        }
        case 14: return starts_with(a, one());
        case 15: return contains(a, one());
        case 16: {
            std::vector<Expression> values(count(4));
            for (Expression& value : values) value = leaf(from);
            return is_in(a, values);
        }
        default: {
            Expression result = a;
            for (std::size_t times = count(3); times != 0; --times)
                result = wanted % 2 == 0 ? result + a : result * result;
            return result;
        }
        }
    }
    std::vector<NamedExpression> named(Given const& from) {
        std::vector<NamedExpression> result(count(3));
        for (NamedExpression& each : result) {
            each.name = new_name();
            each.of = expression(from, 3);
        }
        return result;
    }

    // ---- steps

    void keep(Plan::Rows rows, std::uint64_t max_rows, std::vector<std::string_view> const& columns) {
        open_.push_back(rows_.size());
        rows_.push_back({rows, max_rows, columns});
        max_rows_ = std::max(max_rows_, max_rows);
    }
    // Without overflow: what is larger takes too long anyway.
    static std::uint64_t product(std::uint64_t a, std::uint64_t b) {
        return std::min<std::uint64_t>(a, UINT32_MAX) * std::min<std::uint64_t>(b, UINT32_MAX);
    }
    void add_scan(std::string_view its_name) {
        RandomTable const& table = *tables_[byte() % max_tables];
        for (std::size_t i = 0; i < table.reference.columns; ++i)
            has_real_ = has_real_ || table.reference.column[i].meaning.of == query_tests::Class::Real;
        std::vector<std::string_view> columns(count(table.reference.columns));
        for (std::size_t i = 0; i < columns.size(); ++i) {
            bool const is_there = byte() < 240;
            columns[i] = is_there ? table.reference.column[i % table.reference.columns].name.view() : name();
        }
        keep(plan_.scan(its_name, table.source, columns), table.source.rows(), columns);
    }
    static std::vector<std::string_view> names_of(std::vector<NamedExpression> const& columns) {
        std::vector<std::string_view> result;
        for (NamedExpression const& each : columns) result.push_back(each.name);
        return result;
    }
    void add_map(std::string_view its_name, Given const& from) {
        auto const columns = named(from);
        keep(plan_.map(its_name, from.rows, columns), from.max_rows, names_of(columns));
    }
    void add_join(std::string_view its_name, Given const& from) {
        auto const kind = static_cast<JoinKind>(byte() % 4);
        Given const table = rows();
        std::vector<JoinKey> keys(count(2));
        for (JoinKey& key : keys) {
            key.of_table = expression(table, 1);
            key.of_rows = expression(from, 1);
        }
        auto columns = from.columns;
        if (kind == JoinKind::Inner || kind == JoinKind::Left)
            columns.insert(columns.end(), table.columns.begin(), table.columns.end());
        keep(plan_.join(its_name, kind, table.rows, from.rows, keys),
             product(std::max<std::uint64_t>(table.max_rows, 1), from.max_rows), columns);
    }
    void add_groups(std::string_view its_name, Given const& from) {
        auto const keys = named(from);
        std::vector<Aggregate> aggregates(count(3));
        auto columns = names_of(keys);
        for (Aggregate& each : aggregates) {
            each = {.name = new_name(), .function = static_cast<Function>(byte() % 7)};
            has_sum_ = has_sum_ || each.function == Function::Sum || each.function == Function::Average;
            each.of = expression(from, 3);
            columns.push_back(each.name);
        }
        keep(plan_.group_by(its_name, from.rows, keys, aggregates), from.max_rows + 1, columns);
    }
    void add_sets(std::string_view its_name, Given const& from) {
        Given const second = rows();
        keep(plan_.combine(its_name, static_cast<SetKind>(byte() % 4), from.rows, second.rows),
             product(from.max_rows + second.max_rows, 1), from.columns);
    }
    void add_order(std::string_view its_name, Given const& from) {
        std::vector<OrderKey> keys(count(3));
        for (OrderKey& key : keys) key = {.column = name_of(from), .is_descending = byte() % 2 != 0};
        keep(plan_.order_by(its_name, from.rows, keys, limit()), from.max_rows, from.columns);
    }
    std::uint64_t limit() {
        has_limit_ = true;
        return one_of(std::to_array<std::uint64_t>({3, 0, 1, 30, 1U << 31, no_limit - 1, no_limit}));
    }
    void add_answer(std::string_view its_name, Given const& from) {
        Answer& next = answers_[answered_ % answers_.size()];
        if (byte() < 240) ++answered_; // seldom one twice
        plan_.answer(its_name, from.rows, next);
    }
    void add_step() {
        std::uint8_t const kind = byte();
        std::string_view const its_name = name();
        if (rows_.empty() || kind < 40) return add_scan(its_name);
        Given const from = rows();
        if (kind >= 250) return add_answer(its_name, from);
        if (kind >= 220) return add_sets(its_name, from);
        switch (kind % 6) {
        case 0: return keep(plan_.filter(its_name, from.rows, expression(from, 4)), from.max_rows, from.columns);
        case 1: return add_map(its_name, from);
        case 2: return add_join(its_name, from);
        case 3: return add_groups(its_name, from);
        case 4: return add_order(its_name, from);
        default: return keep(plan_.limit(its_name, from.rows, limit()), from.max_rows, from.columns);
        }
    }

    static constexpr std::size_t max_real_cells = 100;
    static void read(Answer const& answer, std::vector<std::string>& lines) {
        for (std::size_t row = 0; row < answer.rows(); ++row) {
            StringSink line;
            for (std::size_t column = 0; column < answer.schema().fields().size(); ++column) {
                bool const is_real = lane_of(answer.schema().fields()[column].type.kind) == Lane::F64;
                if (is_real && row >= max_real_cells) continue; // they take long
                StringSink cell;
                answer.write_cell(cell, row, column);
                if (!is_real) line.text += cell.text + '|';
            }
            lines.push_back(line.text);
        }
    }

    Input rest_;
    std::array<std::optional<RandomTable>, max_tables> tables_;
    Plan other_{{}};
    Plan plan_;
    std::array<Answer, 4> answers_;
    Plan::Rows foreign_{};
    std::vector<Given> rows_;
    std::vector<std::size_t> open_; // of them
    std::deque<FixedText<32>> new_names_;
    std::uint64_t max_rows_ = 0;
    QueryLimits limits_;
    bool has_limit_ = false;
    bool has_sum_ = false;
    bool has_real_ = false; // of which a sum depends on the order
    std::size_t answered_ = 0;
};

} // namespace

void plans(InputBytes bytes) {
    with_cores([&] {
        auto const lines = PlanOfBytes(bytes, false).run();
        if (!lines) return;
        auto const plain = PlanOfBytes(bytes, true).run();
        if (plain) EXPECT_EQ(*lines, *plain);
    });
}

} // namespace mxk::fuzz

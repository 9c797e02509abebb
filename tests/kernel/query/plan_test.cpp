// Plans: what they refuse, by name, and the values and sizes at which they could go wrong.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "base/log.hpp"
#include "query/plan/answer.hpp"
#include "query/plan/plan.hpp"
#include "query/plan/source.hpp"
#include "tasks/dataflow/graph/growing_array.hpp"
#include "tasks/dataflow/graph/query_monitor.hpp"
#include "tests/kernel/dataflow/on_nodes.hpp"
#include "tests/kernel/dataflow/queries.hpp"

namespace mxk::query_tests {
namespace {

using namespace query;
using Names = std::string_view;
using Sums = Aggregate;
using Keys = NamedExpression;

constexpr std::int64_t min_number = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t max_number = std::numeric_limits<std::int64_t>::max();
constexpr std::uint8_t half_valid = 0b0101'0101;

// 8 rows.
struct EightRows {
    EightRows() {
        add("n", {.kind = Kind::I64}, Storage::I64, number.data());
        add("maybe", {.kind = Kind::I64}, Storage::I64, number.data(), &half_valid);
        add("edge", {.kind = Kind::I64}, Storage::I64, edges.data());
        add("maybe_edge", {.kind = Kind::I64}, Storage::I64, edges.data(), &half_valid);
        add("u", {.kind = Kind::U64}, Storage::U64, unsigned_edges.data());
        add("f", {.kind = Kind::F64}, Storage::F64, real_number.data());
        add("s", {.kind = Kind::Text}, Storage::U8, codes.data());
        add("c", {.kind = Kind::Character}, Storage::U8, letters.data());
        add("d", {.kind = Kind::Date}, Storage::I32, days.data());
        add("is", {.kind = Kind::Bool}, Storage::U8, truths.data());
        add("p", {.kind = Kind::Decimal, .scale = 2}, Storage::I32, days.data());
        add("w", {.kind = Kind::Decimal128, .scale = 0}, Storage::I128, wide.data());
    }
    void add(std::string_view name, Type type, Storage storage, void const* values,
             std::uint8_t const* validity = nullptr) {
        SourceColumn column{.name = name, .type = type, .storage = storage, .values = values, .validity = validity};
        if (type.kind == Kind::Text) {
            column.labels = labels.data();
            column.label_count = labels.size();
        }
        expect(source.add(column).ok(), "a test's table takes its columns");
    }

    std::array<std::int64_t, 8> number{0, 1, 2, 3, 4, 5, 6, 7};
    std::array<std::int64_t, 8> edges{min_number, min_number, -1, -1, 0, 0, max_number, max_number};
    std::array<std::uint64_t, 8> unsigned_edges{0, 0, 1, 1, UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 1};
    std::array<double, 8> real_number{0.0, -0.0, 1, 1, 2, 2, 3, 3};
    std::array<std::uint8_t, 8> codes{0, 1, 2, 0, 1, 2, 0, 1};
    std::array<std::string_view, 3> labels{"", "a", "b"};
    std::array<std::uint8_t, 8> letters{'A', 'B', 'A', 'B', 'A', 'B', 'A', 'B'};
    std::array<std::int32_t, 8> days{0, 1, 2, 3, 4, 5, 6, 7};
    std::array<std::uint8_t, 8> truths{0, 1, 0, 1, 0, 1, 0, 1};
    std::array<Int128, 8> wide{int128_max, int128_min, 0, 1, -1, 2, -2, 3};
    Source source{"rows", 8};
};

// What a plan is refused with; `make(plan)` gives the rows of the answer.
void check_refused(std::string_view expected, auto const& make) {
    Plan plan({.parts = 2});
    Answer answer;
    plan.answer("answer", make(plan), answer);
    auto const result = plan.check();
    MXK_CHECK(!result.ok());
    if (result.ok()) return;
    if (result.error().message() != expected) log::error("got: {}", result.error().message());
    MXK_CHECK(result.error().message() == expected);
}

// All cells of an answer: "1 2, 3 NULL".
FixedText<400> text_of(Answer const& answer) {
    FixedText<400> text;
    for (std::size_t row = 0; row < answer.rows(); ++row) {
        if (row != 0) text.append(", ");
        for (std::size_t column = 0; column < answer.schema().fields().size(); ++column) {
            if (column != 0) text.append(" ");
            answer.write_cell(text, row, column);
        }
    }
    return text;
}
void check_answer(std::string_view expected, auto const& make, std::size_t parts) {
    Plan plan({.parts = parts, .rows_per_envelope = 3});
    Answer answer;
    plan.answer("answer", make(plan), answer);
    auto const checked = plan.check();
    if (!checked.ok()) log::error("{}", checked.error().message());
    MXK_REQUIRE(checked.ok());
    auto const result = dataflow_tests::run(plan.model());
    FixedText<400> const got = result.ok() ? text_of(answer) : FixedText<400>(result.error().message());
    if (got.view() != expected) log::error("got: {}", got.view());
    MXK_CHECK(got.view() == expected);
}
void check_answer(std::string_view expected, auto const& make) {
    for (std::size_t const parts : {1U, 3U}) check_answer(expected, make, parts);
}

constexpr std::array<Names, 1> n{"n"};
constexpr std::array<OrderKey, 1> by_first{{{"k"}}};

} // namespace

MXK_TEST(query, plans_name_what_is_wrong) {
    EightRows rows;
    auto const check_filter = [&](std::string_view expected, Names column_name, Expression const& condition) {
        check_refused(expected, [&](Plan& plan) {
            return plan.filter("f", plan.scan("s", rows.source, std::array{column_name}), condition);
        });
    };
    check_filter("box 'f': expected a column of n; got 'm'", "n", column("m") == number(1));
    check_filter("box 'f': expected a condition to filter by, got i64", "n", column("n") + number(1));
    check_filter("box 'f': expected a condition, got i64", "n", column("n") && truth(true));
    check_filter("box 'f': expected values of one type, got i64 and text", "n", column("n") == text("1"));
    check_filter("box 'f': expected values of one type, got date and i64", "d", column("d") < number(1));
    check_filter("box 'f': expected numbers to compute with, got text and i64", "s",
                 column("s") + number(1) == number(1));
    check_filter("box 'f': expected one character to compare with, got 'AB'", "c", column("c") == text("AB"));
    check_filter("box 'f': starts_with: expected two texts, got character and text", "c",
                 starts_with(column("c"), text("A")));
    check_filter("box 'f': expected an expression, got none (or there is no memory)", "n", {});
    check_filter("box 'f': expected an expression, got none (or there is no memory)", "n", is_in(column("n"), {}));
    check_filter("box 'f': expected a decimal of scale 0 to 36, got 37", "n", column("n") == decimal(1, 37));
    check_filter("box 'f': expected a product of scale 0 to 36, got 37", "n",
                 decimal(1, 36) * decimal(1, 1) == column("n"));
    check_filter("box 'f': expected dates within 32 bits of days, got more days than fit", "d",
                 column("d") + number(max_number) == date(1970, 1, 1));
    check_filter("box 'f': expected dates within 32 bits of days, got more days than fit", "d",
                 column("d") < date(std::numeric_limits<int>::max(), 1, 1));
    auto const of = [](Type type, Int128 value) { return Expression::of({.type = type, .number = value}); };
    check_filter("box 'f': expected a constant of i64 that fits its type, got one that does not", "n",
                 column("n") < of({.kind = Kind::I64}, int128_max));
    check_filter("box 'f': expected a constant of i64 that fits its type, got one that does not", "n",
                 of({.kind = Kind::I64}, int128_max) + of({.kind = Kind::I64}, int128_max) == column("n"));
    check_filter("box 'f': expected a constant of bool that fits its type, got one that does not", "is",
                 column("is") == of({.kind = Kind::Bool}, 7));
    check_filter("box 'f': expected a constant of character that fits its type, got one that does not", "c",
                 column("c") == of({.kind = Kind::Character}, 321));
    check_filter("box 'f': expected a scale of decimals only, got 3 of i64", "n",
                 column("n") == of({.kind = Kind::I64, .scale = 3}, 5));
    check_filter("box 'f': expected a decimal of scale 0 to 36, got 255", "p", column("p") == decimal(1, 258));
    Expression deep = column("n");
    for (int i = 0; i < 60; ++i) deep = deep + column("n");
    check_filter("box 'f': expected an expression of up to 48 levels and 4096 parts", "n", deep == number(1));
    Expression doubled = column("n");
    for (int i = 0; i < 40; ++i) doubled = doubled + doubled; // 2^40 parts
    check_filter("box 'f': expected an expression of up to 48 levels and 4096 parts", "n", doubled == number(1));
    std::array<Expression, 200> values;
    for (int i = 0; i < 200; ++i) values[static_cast<std::size_t>(i)] = number(i);
    check_filter("box 'f': expected expressions of up to 160 values together", "n", is_in(column("n"), values));

    auto const check_group = [&](std::string_view expected, std::span<Keys const> keys, std::span<Sums const> sums) {
        check_refused(expected, [&](Plan& plan) {
            constexpr std::array<Names, 6> names{"n", "s", "d", "is", "c", "f"};
            return plan.group_by("g", plan.scan("s", rows.source, names), keys, sums);
        });
    };
    check_group("box 'g': column 'x': expected numbers for sum, got text", {},
                std::array{Sums{"x", Function::Sum, column("s")}});
    check_group("box 'g': column 'x': expected numbers for average, got date", {},
                std::array{Sums{"x", Function::Average, column("d")}});
    check_group("box 'g': column 'x': expected numbers for sum, got bool", {},
                std::array{Sums{"x", Function::Sum, column("is")}});
    check_group("box 'g': column 'x': expected values with an order for min, got bool", {},
                std::array{Sums{"x", Function::Min, column("is")}});
    check_group("box 'g': column 'x': expected an expression, got none (or there is no memory)", {},
                std::array{Sums{"x", Function::Sum}});
    check_group("box 'g': column 'x': expected names that differ, got 'x' twice", std::array{Keys{"x", column("n")}},
                std::array{Sums{"x", Function::Count}});
    check_group("box 'g': expected a column to group by or to aggregate, got none", {}, {});
    std::array<FixedText<8>, 13> names;
    std::array<Sums, 13> many;
    for (std::size_t i = 0; i < many.size(); ++i) {
        format(names[i], "m{}", i);
        many[i] = {names[i].view(), Function::Count};
    }
    check_group("box 'g': column 'm12': expected up to 12 columns, of which each that may be NULL counts twice; 'm12' "
                "is one more",
                {}, many);

    auto const check_map = [&](std::string_view expected, std::span<Keys const> columns) {
        check_refused(expected, [&](Plan& plan) { return plan.map("m", plan.scan("s", rows.source, n), columns); });
    };
    check_map("box 'm': expected a column to give, got none", {});
    check_map("box 'm': column 'x': expected names that differ, got 'x' twice",
              std::array{Keys{"x", column("n")}, Keys{"x", column("n")}});
    check_map("box 'm': column 'x': expected an expression, got none (or there is no memory)",
              std::array{Keys{"x", {}}});
    check_map("box 'm': column '32 letters are too many for names': expected a name of 1 to 31 characters",
              std::array{Keys{"32 letters are too many for names", column("n")}});
    check_map("box 'm': column '': expected a name of 1 to 31 characters", std::array{Keys{"", column("n")}});

    auto const check_join = [&](std::string_view expected, std::span<JoinKey const> keys) {
        check_refused(expected, [&](Plan& plan) {
            auto const table = plan.map("t", plan.scan("s", rows.source, std::array<Names, 4>{"s", "d", "p", "f"}),
                                        std::array{Keys{"ts", column("s")}, Keys{"td", column("d")},
                                                   Keys{"tp", column("p")}, Keys{"tf", column("f")}});
            return plan.join("j", JoinKind::Inner, table, plan.scan("s", rows.source, std::array<Names, 2>{"n", "c"}),
                             keys);
        });
    };
    check_join("box 'j': expected keys of one type, got text in the table and i64 in the rows",
               std::array{JoinKey{column("ts"), column("n")}});
    check_join("box 'j': expected keys of one type, got date in the table and i64 in the rows",
               std::array{JoinKey{column("td"), column("n")}});
    check_join("box 'j': expected keys of one type, got f64 in the table and i64 in the rows",
               std::array{JoinKey{column("tf"), column("n")}});
    check_join("box 'j': expected keys of one type, got decimal of scale 2 in the table and i64 in the rows",
               std::array{JoinKey{column("tp"), column("n")}});
    check_join("box 'j': expected keys of one type, got text in the table and character in the rows",
               std::array{JoinKey{column("ts"), column("c")}});
    check_join("box 'j': expected a key to join by, got none", {});

    check_refused("box 's': expected a column of rows: n, maybe, edge, maybe_edge, u, f, s, c, d, is, p, w; got 'x'",
                  [&](Plan& plan) { return plan.scan("s", rows.source, std::array<Names, 1>{"x"}); });
    check_refused("box 's': expected names that differ, got 'n' twice", [&](Plan& plan) {
        return plan.scan("s", rows.source, std::array<Names, 2>{"n", "n"});
    });
    check_refused("box 's': expected a column of rows: n, maybe, edge, maybe_edge, u, f, s, c, d, is, p, w; got "
                  "'a name of more characters than th...'",
                  [&](Plan& plan) {
                      constexpr std::array<Names, 1> long_name{"a name of more characters than there is room for"};
                      return plan.scan("s", rows.source, long_name);
                  });
    check_refused("box 'f': expected a column of none; got 'n'", [&](Plan& plan) {
        return plan.filter("f", plan.scan("s", rows.source, {}), column("n") == number(1));
    });
    check_refused("box 'o': expected a column of n; got 'x'", [&](Plan& plan) {
        return plan.order_by("o", plan.scan("s", rows.source, n), std::array{OrderKey{"x"}});
    });
    check_refused("box 'o': expected up to 16 columns to order by, got 17", [&](Plan& plan) {
        std::array<OrderKey, 17> keys;
        keys.fill({"n"});
        return plan.order_by("o", plan.scan("s", rows.source, n), keys);
    });
    check_refused("box 'l': expected rows that a step of this plan has given",
                  [&](Plan& plan) { return plan.limit("l", {}, 1); });
    check_refused("box 's': its output is not connected", [&](Plan& plan) {
        static_cast<void>(plan.scan("s", rows.source, n));
        return plan.scan("t", rows.source, n);
    });
}

// What is wrong stands at the end, which is not cut.
MXK_TEST(query, messages_are_whole_however_many_columns_there_are) {
    Source source("a name of thirty-one characters", 0);
    std::array<FixedText<32>, 12> names;
    std::array<Names, 12> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
        format(names[i], "column {} of thirty-one letters", 10 + i);
        all[i] = names[i].view();
        MXK_REQUIRE(source.add(SourceColumn{.name = all[i], .type = {.kind = Kind::I64}}).ok());
    }
    constexpr Names box = "a box with a name of a hundred characters, which nobody needs";
    constexpr Names shown = "box 'a box with a name of a hundred ch...': ";
    constexpr Names columns = "column 10 of thirty-one letters, column 11 of thirty-one letters, ...; got 'x'";
    FixedText<400> expected(shown);
    format(expected, "column 'a name of thirty-one characters': expected a column of {}", columns);
    check_refused(expected.view(), [&](Plan& plan) {
        return plan.map(box, plan.scan("s", source, all),
                        std::array{Keys{"a name of thirty-one characters", column("x")}});
    });
    expected.clear();
    format(expected, "{}expected a column of a name of thirty-one characters: {}", shown, columns);
    check_refused(expected.view(), [&](Plan& plan) { return plan.scan(box, source, std::array<Names, 1>{"x"}); });
}

// Two sinks would write to it at once.
MXK_TEST(query, an_answer_is_of_one_step) {
    EightRows rows;
    Answer twice;
    check_refused("box 'answer': expected an answer of its own, got the one of box 'first'", [&](Plan& plan) {
        auto const scanned = plan.scan("s", rows.source, n);
        plan.answer("first", scanned, twice);
        plan.answer("answer", scanned, twice);
        return scanned;
    });
}

MXK_TEST(query, values_of_sources_are_checked) {
    std::array<std::uint8_t, 3> const truths{0, 1, 2};
    std::array<std::int32_t, 4> const offsets{0, 2, 1, 2};
    std::array<std::int32_t, 4> const negative{-1, 0, 0, 0};
    auto const check_column = [](std::string_view expected, SourceColumn const& column) {
        Source source("rows", 3);
        MXK_REQUIRE(source.add(column).ok());
        check_refused(expected,
                      [&](Plan& plan) { return plan.scan("s", source, std::array<Names, 1>{column.name.view()}); });
    };
    check_column("box 's': column 'is': row 2: expected 0 or 1 of a bool, got 2",
                 {.name = Names("is"), .type = {.kind = Kind::Bool}, .storage = Storage::U8, .values = truths.data()});
    SourceColumn text{.name = Names("t"), .type = {.kind = Kind::Text}, .storage = Storage::Text, .values = "ab"};
    text.offsets = offsets.data();
    check_column("box 's': column 't': row 1: expected the end of a text at 2 or behind, got 1", text);
    text.offsets = negative.data();
    check_column("box 's': column 't': row 0: expected the begin of a text at 0 or behind, got -1", text);
}

MXK_TEST(query, sources_name_what_is_wrong) {
    Source source("rows", 0);
    auto const add = [&](Names name, Type type) {
        auto const added = source.add(SourceColumn{.name = name, .type = type, .storage = storage_of(type.kind)});
        return added.ok() ? FixedText<200>() : FixedText<200>(added.error().message());
    };
    constexpr Type decimal_of_37{.kind = Kind::Decimal, .scale = 37};
    MXK_CHECK(add("n", {}).view().empty());
    MXK_CHECK(add("n", {}).view() == "rows: expected names that differ, got 'n' twice");
    MXK_CHECK(add("", {}).view() == "rows: expected a column's name of 1 to 31 characters, got ''");
    MXK_CHECK(add("p", decimal_of_37).view() == "rows: column 'p': expected a decimal of scale 0 to 36, got 37");
    constexpr Type number_of_3{.kind = Kind::I64, .scale = 3};
    MXK_CHECK(add("p", number_of_3).view() == "rows: column 'p': expected a scale of decimals only, got 3 of i64");
    Source some("some", 1);
    auto const without_values = some.add(SourceColumn{.name = Names("n"), .type = {.kind = Kind::I64}});
    MXK_CHECK(!without_values.ok());
    if (!without_values.ok())
        MXK_CHECK(without_values.error().message() == "some: column 'n': expected the place of its values, got none");
}

MXK_TEST(query, rows_of_another_plan_are_refused) {
    EightRows rows;
    Plan other({});
    auto const foreign = other.scan("s", rows.source, n);
    check_refused("box 'f': expected rows that a step of this plan has given", [&](Plan& plan) {
        static_cast<void>(plan.scan("s", rows.source, n));
        return plan.filter("f", foreign, column("n") == number(1));
    });
}

// They would fill what waits for the table, which would wait for their end.
MXK_TEST(query, rows_joined_with_themselves_are_refused) {
    EightRows rows;
    auto const keys = std::array{JoinKey{column("k"), column("n")}};
    constexpr std::string_view expected = "box 'j' reads its inputs one after the other, and box 's' feeds input "
                                          "'rows' and another: it would wait for ever";
    check_refused(expected, [&](Plan& plan) {
        auto const scanned = plan.scan("s", rows.source, n);
        auto const renamed = plan.map("m", scanned, std::array{Keys{"k", column("n")}});
        return plan.join("j", JoinKind::Inner, renamed, scanned, keys);
    });
    check_refused(expected, [&](Plan& plan) {
        auto const scanned = plan.scan("s", rows.source, n);
        auto const groups = plan.group_by("g", scanned, std::array{Keys{"k", column("n")}}, {});
        return plan.join("j", JoinKind::Inner, groups, scanned, keys);
    });
    check_answer("8", [&](Plan& plan) {
        auto const groups = plan.group_by("g", plan.scan("s", rows.source, n), std::array{Keys{"k", column("n")}}, {});
        auto const joined = plan.join("j", JoinKind::Inner, groups, plan.scan("t", rows.source, n), keys);
        return plan.group_by("c", joined, {}, std::array{Sums{"x", Function::Count}});
    });
}

MXK_TEST(query, edges_of_64_bits_are_keys) {
    EightRows rows;
    auto const count_by = [&](Names name) {
        return [&rows, name](Plan& plan) {
            auto const scanned = plan.scan("s", rows.source, std::array{name});
            return plan.order_by("o",
                                 plan.group_by("g", scanned, std::array{Keys{"k", column(name)}},
                                               std::array{Sums{"count", Function::Count}}),
                                 by_first);
        };
    };
    check_answer("-9223372036854775808 2, -1 2, 0 2, 9223372036854775807 2", count_by("edge"));
    check_answer("0 2, 1 2, 18446744073709551614 2, 18446744073709551615 2", count_by("u"));
    check_answer("0.0 2, 1.0 2, 2.0 2, 3.0 2", count_by("f"));
    check_answer("false 4, true 4", count_by("is"));
    check_answer("0 1, 2 1, 4 1, 6 1, NULL 4", count_by("maybe"));
    auto const join_by = [&](Names name, Names other, Expression const& of_rows) {
        return [&rows, name, of_rows, other](Plan& plan) {
            auto const table =
                plan.map("t", plan.scan("s", rows.source, std::array{name}), std::array{Keys{"t", column(name)}});
            auto const joined = plan.join("j", JoinKind::Inner, table, plan.scan("s", rows.source, std::array{other}),
                                          std::array{JoinKey{column("t"), of_rows}});
            return plan.order_by("o",
                                 plan.group_by("g", joined, std::array{Keys{"k", column(other)}},
                                               std::array{Sums{"count", Function::Count}}),
                                 by_first);
        };
    };
    check_answer("-9223372036854775808 4, -1 4, 0 4, 9223372036854775807 4", join_by("edge", "edge", column("edge")));
    check_answer("0 4, 1 4, 18446744073709551614 4, 18446744073709551615 4", join_by("u", "u", column("u")));
    check_answer("0 2, 1 2", join_by("u", "n", column("n"))); // of 128 bits with those of 64
    check_answer("0 2, 1 2", join_by("n", "u", column("u")));
    check_answer("-9223372036854775808 2, -1 2, 0 2, 9223372036854775807 2",
                 join_by("maybe_edge", "edge", column("edge")));
    check_answer("-9223372036854775808 2, -1 2, 0 2, 9223372036854775807 2",
                 join_by("edge", "maybe_edge", column("maybe_edge")));
    check_answer("false 16, true 16", join_by("is", "is", column("is")));
    check_answer("0.0 4, 1.0 4, 2.0 4, 3.0 4", join_by("f", "f", column("f")));
}

MXK_TEST(query, null_is_one_group_and_no_summand) {
    EightRows rows;
    check_answer("false 1 2 210 105.0 2, false NULL 2 202 101.0 2, true NULL 4 NULL NULL 0", [&](Plan& plan) {
        auto const scanned = plan.scan("s", rows.source, std::array<Names, 3>{"maybe", "n", "edge"});
        auto const changed = column("maybe") + number(100); // what is NULL becomes no 100
        auto const keys = std::array{
            Keys{"k", is_null(column("maybe"))},
            Keys{"l", choose(column("n") < number(3), null_of({.kind = Kind::I64}), column("maybe")) * number(0) +
                          choose(is_null(column("maybe")), column("n"), number(1))}};
        auto const sums = std::array{Sums{"c", Function::Count}, Sums{"x", Function::Sum, changed},
                                     Sums{"y", Function::Average, changed}, Sums{"z", Function::CountValues, changed}};
        return plan.order_by("o", plan.group_by("g", scanned, keys, sums),
                             std::array<OrderKey, 3>{{{"k"}, {"l", true}, {"x"}}});
    });
}

// ---- Counts of values that differ, and sets.

MXK_TEST(query, values_that_differ_are_counted) {
    EightRows rows;
    constexpr std::array<Names, 6> names{"n", "maybe", "s", "c", "f", "is"};
    auto const check = [&](std::string_view expected, std::span<Keys const> keys, std::span<Sums const> sums) {
        check_answer(expected, [&](Plan& plan) {
            auto const groups = plan.group_by("g", plan.scan("s", rows.source, names), keys, sums);
            return keys.empty() ? groups : plan.order_by("o", groups, by_first);
        });
    };
    using enum Function;
    constexpr std::array one_key{"k"};
    std::array const by_letter{Keys{one_key[0], column("c")}};
    check("A 2, B 2", by_letter, std::array{Sums{"x", CountDistinct, column("n") <= number(1)}});
    check("A 3, B 3", by_letter, std::array{Sums{"x", CountDistinct, column("s")}});
    check("A 4, B 0", by_letter, std::array{Sums{"x", CountDistinct, column("maybe")}}); // NULL is no value
    check("4", {}, std::array{Sums{"x", CountDistinct, column("f")}});                   // -0.0 is 0.0
    check("2", {}, std::array{Sums{"x", CountDistinct, column("is")}});
    // Beside others, in the order that was asked for.
    check("A 12 3 4 4 a, B 16 3 4 4 b", by_letter,
          std::array{Sums{"sum", Sum, column("n")}, Sums{"texts", CountDistinct, column("s")}, Sums{"all", Count},
                     Sums{"reals", CountDistinct, column("f")},
                     Sums{"max", Max, choose(column("c") == text("A"), text("a"), text("b"))}});
    check("0 1 1, 2 1 1, 4 1 1, 6 1 1, NULL 4 0", std::array{Keys{"k", column("maybe")}},
          std::array{Sums{"rows", Count}, Sums{"x", CountDistinct, column("maybe")}});
    // Of no rows at all.
    auto const of_none = [&](std::string_view expected, std::span<Sums const> sums) {
        check_answer(expected, [&](Plan& plan) {
            return plan.group_by("g", plan.filter("f", plan.scan("s", rows.source, names), column("n") < number(0)), {},
                                 sums);
        });
    };
    of_none("0", std::array{Sums{"x", CountDistinct, column("n")}});
    of_none("NULL 0 0", std::array{Sums{"sum", Sum, column("n")}, Sums{"x", CountDistinct, column("n")},
                                   Sums{"y", CountDistinct, column("s")}});

    auto const refuse = [&](std::string_view expected, std::span<Keys const> keys, std::span<Sums const> sums) {
        check_refused(expected,
                      [&](Plan& plan) { return plan.group_by("g", plan.scan("s", rows.source, names), keys, sums); });
    };
    refuse("box 'g': column 'x': expected an expression, got none (or there is no memory)", {},
           std::array{Sums{"x", CountDistinct}});
    refuse("box 'g': column 'x': expected names that differ, got 'x' twice", {},
           std::array{Sums{"x", Count}, Sums{"x", CountDistinct, column("n")}});
    refuse("box 'g': column 'k': expected names that differ, got 'k' twice", by_letter,
           std::array{Sums{"k", CountDistinct, column("n")}});
    refuse("box 'g': column 'x': expected a column of n, maybe, s, c, f, is; got 'm'", by_letter,
           std::array{Sums{"x", CountDistinct, column("m")}, Sums{"y", Count}});
    std::array<FixedText<8>, 14> many_names;
    std::array<Sums, 14> many;
    for (std::size_t i = 0; i < many.size(); ++i) {
        format(many_names[i], "m{}", i);
        many[i] = {many_names[i].view(), CountDistinct, column("n")};
    }
    refuse("box 'g': expected up to 12 columns, got 14", {}, many);
}

MXK_TEST(query, sets_of_rows) {
    EightRows rows;
    // From `first` on, 4 of the numbers of a column.
    auto const part = [&](Plan& plan, Names name, Names of, std::int64_t first) {
        auto const all = plan.scan("s", rows.source, std::array<Names, 2>{"n", of == "n" ? "u" : of});
        auto const some = plan.filter("f", all, between(column("n"), number(first), number(first + 3)));
        return plan.map("m", some, std::array{Keys{name, column(of)}});
    };
    auto const check = [&](std::string_view expected, SetKind kind, Names first, Names second) {
        check_answer(expected, [&](Plan& plan) {
            auto const all = plan.combine("c", kind, part(plan, "k", first, 0), part(plan, "other", second, 2));
            return plan.order_by("o", all, by_first);
        });
    };
    using enum SetKind;
    check("0, 1, 2, 2, 3, 3, 4, 5", All, "n", "n");
    check("0, 1, 2, 3, 4, 5", Union, "n", "n");
    check("2, 3", Intersection, "n", "n");
    check("0, 1", Difference, "n", "n");
    // NULL is one value, also where only one side has it.
    check("0, 2, 2, 4, NULL, NULL, NULL, NULL", All, "maybe", "maybe");
    check("0, 2, 4, NULL", Union, "maybe", "maybe");
    check("2, NULL", Intersection, "maybe", "maybe");
    check("0", Difference, "maybe", "maybe");
    check("0, 1, 3", Difference, "n", "maybe");
    check("0, NULL", Difference, "maybe", "n");
    // Types that meet.
    check("0", Intersection, "n", "edge");
    check("0, 1, 2, 3, 18446744073709551615", Union, "n", "u");
    check("0.00, 0.01, 0.02, 0.03, 2.00, 3.00, 4.00, 5.00", All, "p", "n");
    check(
        "-170141183460469231731687303715884105728, 0, 1, 18446744073709551615, 170141183460469231731687303715884105727",
        Union, "w", "u");
    check("1.0, 2.0", Intersection, "n", "f");
    check("0.0, 1.0, 2.0", Union, "f", "f"); // -0.0 is 0.0
    check(", a, b", Intersection, "s", "s");
    check("A, B", Union, "c", "c");
    check("1970-01-01, 1970-01-02", Difference, "d", "d");
    check("false, true", Intersection, "is", "is");

    auto const refuse = [&](std::string_view expected, Names first, Names second) {
        check_refused(expected, [&](Plan& plan) {
            return plan.combine("c", Union, part(plan, "k", first, 0), part(plan, "other", second, 0));
        });
    };
    refuse("box 'c': column 'k': expected values of one type, got text and i64", "s", "n");
    refuse("box 'c': column 'k': expected values of one type, got f64 and date", "f", "d");
    refuse("box 'c': column 'k': expected values of one type, got bool and i64", "is", "n");
    check_refused("box 'c': expected as many columns of both, got 1 and 2", [&](Plan& plan) {
        return plan.combine("c", All, part(plan, "k", "n", 0),
                            plan.scan("s", rows.source, std::array<Names, 2>{"n", "u"}));
    });
    check_refused("box 'c': expected rows that a step of this plan has given",
                  [&](Plan& plan) { return plan.combine("c", Intersection, part(plan, "k", "n", 0), {}); });
    // An envelope has to have room for one column more.
    auto const wide = [&](std::size_t count) {
        return [&, count](Plan& plan) {
            constexpr std::array<Names, 12> letters{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
            std::array<Keys, 12> columns;
            for (std::size_t i = 0; i < count; ++i) columns[i] = {letters[i], column("n")};
            auto const all = plan.map("m", plan.scan("s", rows.source, n), std::span(columns).first(count));
            return plan.combine("c", Difference, all, plan.filter("f", all, column("a") > number(0)));
        };
    };
    check_answer("0 0 0 0 0 0 0 0 0 0 0", wide(11));
    check_refused("box 'c': column '.side': expected up to 12 columns, of which each that may be NULL counts twice; "
                  "'.side' is one more",
                  wide(12));
    // More streams than a step has.
    Plan plan({.parts = 256});
    Answer answer;
    auto all = part(plan, "k", "n", 0);
    for (int i = 0; i < 3; ++i) all = plan.combine("c", All, all, part(plan, "k", "n", 0));
    std::array const sum{Sums{"x", Function::Sum, column("k")}};
    plan.answer("answer", plan.group_by("g", all, {}, sum), answer);
    MXK_REQUIRE(plan.check().ok());
    MXK_REQUIRE(dataflow_tests::run(plan.model()).ok());
    MXK_CHECK(text_of(answer).view() == "24");
}

MXK_TEST(query, wide_numbers_are_exact_or_an_error) {
    EightRows rows;
    constexpr std::array<Names, 5> names{"n", "edge", "u", "w", "maybe"};
    auto const with = [&](Function function, Expression const& of) {
        return [&rows, &names, function, of](Plan& plan) {
            return plan.group_by("g", plan.scan("s", rows.source, names), {}, std::array{Sums{"x", function, of}});
        };
    };
    auto const sum_of = [&](Expression const& of) { return with(Function::Sum, of); };
    check_answer("-4", sum_of(column("edge")));
    check_answer("110680464442257309678", sum_of(column("edge") * column("n")));
    check_answer("73786976294838206460", sum_of(column("u")));
    check_answer("170141183460469231731687303715884105727", with(Function::Max, column("w")));
    check_answer("-170141183460469231731687303715884105728", with(Function::Min, column("w")));
    check_answer("0", sum_of((column("w") - column("w")) * number(2)));
    check_answer("box 'g': overflow: a sum has more than 127 bits", sum_of(column("edge") * column("edge")));
    check_answer("box 'g': overflow: a result has more than 127 bits", sum_of(column("u") * column("u")));
    check_answer("box 'g': overflow: a result has more than 127 bits", sum_of(column("w") + number(1)));
    check_answer("box 'g': overflow: a result has more than 127 bits", sum_of(number(0) - column("w")));
    // Where it is NULL nothing overflows.
    check_answer("37",
                 sum_of((choose(column("n") < number(2), null_of({.kind = Kind::I64}), column("n")) + column("w")) *
                        column("w")));
    // What is known of a sum's size holds beside an average of the same values, too.
    check_answer("box 'm': overflow: a result has more than 127 bits", [&](Plan& plan) {
        auto const sums = std::array{Sums{"a", Function::Average, column("u")}, Sums{"s", Function::Sum, column("u")}};
        auto const groups = plan.group_by("g", plan.scan("s", rows.source, names), {}, sums);
        return plan.map("m", groups, std::array{Keys{"x", column("s") * column("s")}});
    });
}

MXK_TEST(query, a_filter_takes_constants_of_any_size) {
    EightRows rows;
    auto const wide_number = [](Int128 value) {
        return Expression::of({.type = {.kind = Kind::Decimal128}, .number = value});
    };
    auto const count_where = [&](Expression const& condition) {
        return [&rows, condition](Plan& plan) {
            auto const chosen =
                plan.filter("f", plan.scan("s", rows.source, std::array<Names, 4>{"n", "edge", "u", "p"}), condition);
            return plan.group_by("g", chosen, {}, std::array{Sums{"x", Function::Count}});
        };
    };
    check_answer("8", count_where(column("n") < wide_number(int128_max)));
    check_answer("0", count_where(wide_number(int128_max) < column("n")));
    check_answer("0", count_where(column("n") < wide_number(int128_min)));
    check_answer("8", count_where(wide_number(int128_min) < column("n")));
    check_answer("6", count_where(column("edge") < number(max_number)));
    check_answer("0", count_where(column("edge") < number(min_number)));
    check_answer("2", count_where(column("edge") <= number(min_number)));
    check_answer("0", count_where(column("edge") > number(max_number)));
    check_answer("2", count_where(column("u") > number(max_number) && column("u") == wide_number(UINT64_MAX)));
    check_answer("1", count_where(column("p") == decimal(5000, 5)));
    check_answer("0", count_where(column("p") == decimal(5001, 5)));
    check_answer("3", count_where(column("n") >= number(2) && column("n") < number(6) && column("n") != number(4) &&
                                  column("n") > number(0)));
    check_answer("0", count_where(column("n") > number(3) && column("n") < number(3)));
    check_answer("0", count_where(null_of({.kind = Kind::Bool})));
    check_answer("8", count_where(truth(true)));
}

// As a tree that is flat, which a chain of its leaves would not be.
MXK_TEST(query, a_filter_takes_conditions_of_many_parts) {
    EightRows rows;
    std::array<Expression, 64> parts;
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i] = column("n") != number(static_cast<std::int64_t>(i % 2 + 2));
    for (std::size_t count = parts.size(); count > 1; count /= 2)
        for (std::size_t i = 0; i < count / 2; ++i) parts[i] = parts[2 * i] && parts[2 * i + 1];
    check_answer("6", [&](Plan& plan) {
        auto const chosen = plan.filter("f", plan.scan("s", rows.source, n), parts[0]);
        return plan.group_by("g", chosen, {}, std::array{Sums{"x", Function::Count}});
    });
}

MXK_TEST(query, order_keeps_the_first_rows_for_any_limit) {
    constexpr std::uint64_t count = 50'000;
    dataflow::GrowingArray<std::int64_t> values;
    for (std::uint64_t i = 0; i < count; ++i) MXK_REQUIRE(values.add(static_cast<std::int64_t>(i * 7919 % count)));
    Source source("numbers", count);
    MXK_REQUIRE(source
                    .add(SourceColumn{.name = Names("n"),
                                      .type = {.kind = Kind::I64},
                                      .storage = Storage::I64,
                                      .values = values.span().data()})
                    .ok());
    for (std::uint64_t const limit : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3000}, std::uint64_t{20'000},
                                      count, std::uint64_t{1} << 63, UINT64_MAX - 1}) {
        for (std::size_t const parts : {1U, 3U}) {
            Plan plan({.parts = parts});
            Answer answer;
            plan.answer("answer", plan.order_by("o", plan.scan("s", source, n), std::array{OrderKey{"n"}}, limit),
                        answer);
            MXK_REQUIRE(plan.check().ok());
            MXK_REQUIRE(dataflow_tests::run(plan.model()).ok());
            MXK_CHECK_EQUAL(answer.rows(), std::min(limit, count));
            bool is_in_order = true;
            for (std::size_t row = 0; row < answer.rows(); row += 97) {
                FixedText<32> expected;
                FixedText<32> got;
                format(expected, "{}", row);
                answer.write_cell(got, row, 0);
                is_in_order = is_in_order && got.view() == expected.view();
            }
            MXK_CHECK(is_in_order);
        }
    }
}

MXK_TEST(query, limits_give_no_more) {
    EightRows rows;
    auto const limited = [&](std::uint64_t limit) {
        return [&rows, limit](Plan& plan) {
            auto const first = plan.limit("l", plan.scan("s", rows.source, n), limit);
            return plan.group_by("g", first, {}, std::array{Sums{"x", Function::Count}});
        };
    };
    check_answer("0", limited(0));
    check_answer("1", limited(1));
    check_answer("7", limited(7));
    check_answer("8", limited(UINT64_MAX));
}

MXK_TEST(query, empty_tables_are_no_rows) {
    EightRows rows;
    Source none("none", 0);
    MXK_REQUIRE(none.add(SourceColumn{.name = Names("e"), .type = {.kind = Kind::I64}, .storage = Storage::I64}).ok());
    MXK_REQUIRE(
        none.add(SourceColumn{.name = Names("t"), .type = {.kind = Kind::Text}, .storage = Storage::Text}).ok());
    constexpr std::array<Names, 2> names{"e", "t"};
    auto const sums = std::array{Sums{"c", Function::Count}, Sums{"s", Function::Sum, column("e")},
                                 Sums{"a", Function::Average, column("e")}, Sums{"m", Function::Min, column("t")}};
    check_answer("", [&](Plan& plan) { return plan.scan("s", none, names); });
    check_answer("0 NULL NULL NULL",
                 [&](Plan& plan) { return plan.group_by("g", plan.scan("s", none, names), {}, sums); });
    check_answer("", [&](Plan& plan) {
        return plan.group_by("g", plan.scan("s", none, names), std::array{Keys{"k", column("t")}}, sums);
    });
    check_answer("", [&](Plan& plan) {
        auto const mapped = plan.map("m", plan.filter("f", plan.scan("s", none, names), column("e") == number(0)),
                                     std::array{Keys{"k", column("e") + number(1)}});
        return plan.limit("l", plan.order_by("o", mapped, by_first), 3);
    });
    for (JoinKind const kind : {JoinKind::Inner, JoinKind::Left, JoinKind::Semi, JoinKind::Anti}) {
        bool const gives_all = kind == JoinKind::Left || kind == JoinKind::Anti;
        check_answer(gives_all ? "8" : "0", [&](Plan& plan) {
            auto const joined = plan.join("j", kind, plan.scan("s", none, names), plan.scan("r", rows.source, n),
                                          std::array{JoinKey{column("e"), column("n")}});
            return plan.group_by("g", joined, {}, std::array{Sums{"x", Function::Count}});
        });
        check_answer("0", [&](Plan& plan) {
            auto const joined = plan.join("j", kind, plan.scan("s", rows.source, n), plan.scan("r", none, names),
                                          std::array{JoinKey{column("n"), column("e")}});
            return plan.group_by("g", joined, {}, std::array{Sums{"x", Function::Count}});
        });
    }
}

namespace {

// Scans, a join, groups, an order: what all boxes have to do with.
Plan::Rows make_all(Plan& plan, EightRows const& rows) {
    auto const table = plan.map("t", plan.scan("s", rows.source, std::array<Names, 2>{"n", "s"}),
                                std::array{Keys{"t", column("n")}, Keys{"label", column("s")}});
    auto const joined =
        plan.join("j", JoinKind::Left, table, plan.scan("r", rows.source, std::array<Names, 2>{"n", "maybe"}),
                  std::array{JoinKey{column("t"), column("maybe")}});
    auto const groups = plan.group_by("g", joined, std::array{Keys{"k", column("label")}},
                                      std::array{Sums{"c", Function::Count}, Sums{"x", Function::Sum, column("n")}});
    return plan.order_by("o", plan.filter("f", groups, column("c") > number(0)), by_first);
}
constexpr std::string_view all_of_it = " 2 6, a 1 4, b 1 2, NULL 4 16";

} // namespace

MXK_TEST(query, a_plan_runs_any_number_of_queries) {
    EightRows rows;
    Plan plan({.parts = 3, .rows_per_envelope = 2});
    Answer answer;
    plan.answer("answer", make_all(plan, rows), answer);
    MXK_REQUIRE(plan.check().ok());
    for (int run = 0; run < 5; ++run) {
        answer.clear();
        MXK_REQUIRE(dataflow_tests::run(plan.model()).ok());
        MXK_CHECK(text_of(answer).view() == all_of_it);
    }
}

// All rows once and with their own values, wherever they lie; rows that are read on another node are counted.
MXK_TEST(query, rows_that_lie_on_several_nodes_are_read_once) {
    constexpr std::uint64_t count = 10'000;
    dataflow::GrowingArray<std::int32_t> numbers;
    dataflow::GrowingArray<std::uint8_t> codes;
    for (std::uint64_t i = 0; i < count; ++i)
        MXK_REQUIRE(numbers.add(static_cast<std::int32_t>(i)) && codes.add(static_cast<std::uint8_t>(i % 3)));
    std::array<std::string_view, 3> const labels{"a", "b", "c"};
    for (std::size_t nodes = 1; nodes <= max_source_parts + 1; nodes += max_source_parts / 2) {
        Source source("rows", count);
        SourceColumn const number{
            .name = Names("n"), .type = {.kind = Kind::I32}, .storage = Storage::I32, .values = numbers.span().data()};
        SourceColumn text{
            .name = Names("s"), .type = {.kind = Kind::Text}, .storage = Storage::U8, .values = codes.span().data()};
        text.labels = labels.data();
        text.label_count = labels.size();
        MXK_REQUIRE(source.add(number).ok() && source.add(text).ok());
        std::array<NodeId, max_source_parts + 1> lie_on{};
        for (std::size_t i = 0; i < nodes; ++i) lie_on[i] = node_id(i % memory::node_count());
        MXK_REQUIRE(source.spread_over(std::span(lie_on).first(nodes)).ok());
        MXK_CHECK_EQUAL(source.parts().size(), std::min(nodes, max_source_parts));
        Plan plan({.cores = 1, .parts = 3, .rows_per_envelope = 17});
        Answer answer;
        std::array const keys{Keys{"k", column("s")}};
        auto const sums = std::to_array<Sums>({{"rows", Function::Count},
                                               {"sum", Function::Sum, column("n")},
                                               {"values", Function::CountDistinct, column("n")}});
        auto const rows = plan.scan("all", source, std::array<Names, 2>{"n", "s"});
        plan.answer("answer", plan.order_by("order", plan.group_by("groups", rows, keys, sums), by_first), answer);
        MXK_REQUIRE(plan.check().ok());
        MXK_REQUIRE(dataflow_tests::run(plan.model()).ok());
        FixedText<400> const got = text_of(answer);
        if (got.view() != "a 3334 16668333 3334, b 3333 16661667 3333, c 3333 16665000 3333")
            log::error("got: {}", got.view());
        MXK_CHECK(got.view() == "a 3334 16668333 3334, b 3333 16661667 3333, c 3333 16665000 3333");
        std::array const this_core{Worker::current().core()};
        std::uint64_t const before = source.remote_rows();
        answer.clear();
        MXK_REQUIRE(dataflow_tests::run_on(this_core, plan.model()).ok());
        MXK_CHECK_EQUAL(source.remote_rows() - before, lie_on[0] == Worker::current().node() ? 0 : count);
    }
}

// With one scan the answer has the rows in the order in which they were read.
MXK_TEST(query, rows_of_the_own_node_are_read_first) {
    dataflow_tests::on_nodes({.chooses_node = false, .balances = false}, [](dataflow::Scheduler& scheduler) {
        EightRows rows;
        std::array const lie_on{scheduler.node(1).node(), scheduler.node(0).node()};
        MXK_REQUIRE(rows.source.spread_over(lie_on).ok());
        for (std::uint16_t node = 0; node < 2; ++node) {
            Plan plan({.rows_per_envelope = 3});
            Answer answer;
            plan.answer("answer", plan.scan("all", rows.source, std::array<Names, 1>{"n"}), answer);
            MXK_REQUIRE(plan.check().ok());
            std::uint64_t const before = rows.source.remote_rows();
            dataflow::Query query(plan.model());
            scheduler.submit_to(node, query);
            MXK_REQUIRE(query.wait().ok());
            MXK_CHECK(text_of(answer).view() == (node == 1 ? "0, 1, 2, 3, 4, 5, 6, 7" : "4, 5, 6, 7, 0, 1, 2, 3"));
            MXK_CHECK_EQUAL(rows.source.remote_rows() - before, 4U);
        }
    });
}

MXK_TEST(query, plans_have_many_parts) {
    EightRows rows;
    check_answer(
        all_of_it, [&](Plan& plan) { return make_all(plan, rows); }, 150);
}

// ---- Monitored queries.

MXK_TEST(query, a_monitor_says_what_boxes_have_done) {
    EightRows rows;
    Plan plan({.cores = 2, .parts = 2, .rows_per_envelope = 2});
    Answer answer;
    std::array const one_key{Keys{"k", column("c")}};
    std::array const sums{Sums{"x", Function::Sum, column("n")}};
    auto const small =
        plan.filter("small", plan.scan("all", rows.source, std::array<Names, 2>{"n", "c"}), column("n") < number(5));
    plan.answer("answer", plan.order_by("order", plan.group_by("groups", small, one_key, sums), by_first), answer);
    MXK_REQUIRE(plan.check().ok());
    dataflow::QueryMonitor monitor;
    auto scheduler = dataflow::Scheduler::create(all_cores().span(), {});
    MXK_REQUIRE(scheduler.ok());
    for (int run = 0; run < 2; ++run) { // begun anew for each
        answer.clear();
        MXK_REQUIRE(monitor.begin(plan.model()).ok());
        dataflow::Query query(plan.model());
        query.monitor_by(monitor);
        scheduler.value()->submit(query);
        MXK_REQUIRE(query.wait().ok());
        MXK_CHECK_EQUAL(monitor.rows_read(), 8U);
        MXK_CHECK(monitor.max_memory() > 0);
        MXK_CHECK(monitor.max_memory() < 1 * MiB);
        FixedText<400> lines;
        std::uint64_t turns = 0;
        monitor.for_each_line([&](dataflow::QueryMonitor::Line const& line) {
            // The groups are 2, in each of two tables those of the rows that its scan has taken.
            bool const is_of_a_part = line.kind == "group";
            MXK_CHECK(!is_of_a_part || (line.rows >= 2 && line.rows <= 4));
            format(lines, "{}/{} {}x {}, ", line.name, line.kind, line.boxes, is_of_a_part ? 2 : line.rows);
            MXK_CHECK(line.turns != 0 && line.cores != 0 && raw(line.time) != 0);
            MXK_CHECK(line.cores <= workers::count() && line.cores <= line.turns);
            turns += line.turns;
        });
        std::string_view const expected =
            "all/scan 2x 8, small/filter 2x 5, groups/group 2x 2, groups/merge groups 2x 2, order/merge 1x 2, "
            "order/order 2x 2, answer/answer 1x 0, ";
        if (lines.view() != expected) log::error("got: {}", lines.view());
        MXK_CHECK(lines.view() == expected);
        MXK_CHECK(turns >= 12);
    }
}

// What a query keeps, by what: its limit ends it, twice as much does not.
MXK_TEST(query, a_query_with_too_much_memory_ends_with_an_error) {
    constexpr std::size_t count = 20'000;
    auto numbers = NodeVector<std::int64_t>::create(count, Worker::current().node());
    MXK_REQUIRE(numbers.ok());
    for (std::size_t i = 0; i < count; ++i) numbers.value().emplace(static_cast<std::int64_t>(i * 7919 % 100'003));
    Source source("numbers", count);
    SourceColumn column_of_numbers{.name = {}, .type = {.kind = Kind::I64}, .values = numbers.value().begin()};
    column_of_numbers.name = std::string_view("n");
    MXK_REQUIRE(source.add(column_of_numbers).ok());
    auto const check = [&](std::string_view name, auto const& make) {
        Plan plan({.cores = 2, .parts = 2});
        Answer answer;
        plan.answer("answer", make(plan, plan.scan("s", source, n)), answer);
        MXK_REQUIRE(plan.check().ok());
        auto scheduler = dataflow::Scheduler::create(all_cores().span(), {});
        MXK_REQUIRE(scheduler.ok());
        dataflow::QueryMonitor monitor;
        auto const run = [&](std::size_t limit) -> Result<void> {
            answer.clear();
            MXK_TRY(monitor.begin(plan.model(), limit));
            dataflow::Query query(plan.model());
            query.monitor_by(monitor);
            scheduler.value()->submit(query);
            return query.wait();
        };
        MXK_CHECK(run(dataflow::QueryMonitor::no_limit).ok());
        std::size_t const needed = monitor.max_memory();
        MXK_CHECK(needed >= count * sizeof(std::int64_t) / 2);
        MXK_CHECK(run(2 * needed).ok());
        auto const limited = run(needed / 4);
        FixedText<200> expected; // of whichever box took what was too much
        format(expected, "': out of memory: the query has more than its limit of {} bytes", needed / 4);
        bool const is_expected = !limited.ok() && limited.error().message().ends_with(expected.view());
        if (!is_expected)
            log::error("{} of {}: {}", name, needed, limited.ok() ? "no error" : limited.error().message());
        MXK_CHECK(is_expected);
    };
    // What goes through, and is given back, does not count.
    Plan stream({.rows_per_envelope = 64, .capacity = 1});
    Answer sum;
    auto const computed = stream.map("m", stream.scan("s", source, n), std::array{Keys{"k", column("n") * number(3)}});
    stream.answer("answer", stream.group_by("g", computed, {}, std::array{Sums{"x", Function::Sum, column("k")}}), sum);
    MXK_REQUIRE(stream.check().ok());
    dataflow::QueryMonitor of_stream;
    MXK_REQUIRE(of_stream.begin(stream.model()).ok());
    auto scheduler = dataflow::Scheduler::create(all_cores().span(), {});
    MXK_REQUIRE(scheduler.ok());
    dataflow::Query query(stream.model());
    query.monitor_by(of_stream);
    scheduler.value()->submit(query);
    MXK_REQUIRE(query.wait().ok());
    MXK_CHECK(of_stream.max_memory() < count * sizeof(std::int64_t) / 2);

    using PlanRows = Plan::Rows;
    check("g", [](Plan& plan, PlanRows rows) {
        return plan.group_by("g", rows, std::array{Keys{"k", column("n")}}, std::array{Sums{"x", Function::Count}});
    });
    check("o", [](Plan& plan, PlanRows rows) {
        // Computed, so that it is no view of the source.
        return plan.order_by("o", plan.map("m", rows, std::array{Keys{"k", column("n") * number(3)}}), by_first);
    });
    check("j", [&](Plan& plan, PlanRows rows) {
        auto const table = plan.map("t", plan.scan("s2", source, n), std::array{Keys{"k", column("n")}});
        return plan.join("j", JoinKind::Inner, table, rows, std::array{JoinKey{column("k"), column("n")}});
    });
}

MXK_TEST(query, a_plan_that_is_cancelled_says_so) {
    EightRows rows;
    for (unsigned turns = 1; turns < 40; ++turns) {
        Plan plan({.parts = 4, .rows_per_envelope = 1, .capacity = 1});
        Answer answer;
        plan.answer("answer", make_all(plan, rows), answer);
        MXK_REQUIRE(plan.check().ok());
        auto scheduler = dataflow_tests::Scheduler::create(all_cores().span(), {});
        MXK_REQUIRE(scheduler.ok());
        dataflow::Query query(plan.model());
        scheduler.value()->submit(query);
        static_cast<void>(query.wait([&, left = turns]() mutable {
            if (left != 0 && --left == 0) query.cancel();
        }));
        if (query.result().ok())
            MXK_CHECK(text_of(answer).view() == all_of_it);
        else
            MXK_CHECK(query.result().error().message() == "the query was cancelled");
    }
}

} // namespace mxk::query_tests

// Boxes that are functions of one row's values, as a program makes them, on small tables: what each gives, row by row;
// what a limit ends; and what is said of a model that cannot work.
#include <algorithm>
#include <array>
#include <cstdint>

#include "query/boxes/limit_box.hpp"
#include "query/boxes/merge_box.hpp"
#include "tasks/dataflow/graph/sort_box.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/dataflow/queries.hpp"
#include "tests/kernel/query/row_boxes/filter.hpp"
#include "tests/kernel/query/row_boxes/map.hpp"
#include "tests/kernel/query/row_boxes/scan.hpp"

namespace mxk::query_tests {
namespace {

using dataflow::Box;
using dataflow::CoreScheduler;
using dataflow::Discipline;
using dataflow::Envelope;
using dataflow::EnvelopePointer;
using dataflow::GrowingArray;
using dataflow::Model;
using dataflow::SchedulerOptions;
using dataflow_tests::all_disciplines;
using dataflow_tests::check_model_error;
using dataflow_tests::Query;
using dataflow_tests::run;
using Limit = query::LimitBox;

// ---- A table, and what comes of it

// Rows 0 and on: number (i64), group (i32), kind (u8).
struct MadeUpTable {
    static constexpr std::size_t rows = 1000;
    std::array<std::int64_t, rows> number;
    std::array<std::int32_t, rows> group;
    std::array<std::uint8_t, rows> kind;
    ScannedColumns columns{rows};

    MadeUpTable() {
        for (std::size_t row = 0; row < rows; ++row) {
            number[row] = static_cast<std::int64_t>(row) * 3 - 100;
            group[row] = static_cast<std::int32_t>(row * row % 7);
            kind[row] = static_cast<std::uint8_t>(row % 4);
        }
        columns.add(std::span<std::int64_t const>(number));
        columns.add(std::span<std::int32_t const>(group));
        columns.add(std::span<std::uint8_t const>(kind));
    }
};
constexpr std::size_t number_column = 0;
constexpr std::size_t group_column = 1;
constexpr std::size_t kind_column = 2;
constexpr std::size_t new_column = 3;

Model::BoxId add_table(Model& model, std::string_view name, ScannedColumns const& columns, std::size_t part = 0,
                       std::size_t parts = 1, std::uint32_t rows_per_envelope = 64) {
    return model.add<Scan>(name, &columns, part, parts, rows_per_envelope);
}

// A sink: two columns of each row, as they come.
template <typename A, typename B> struct Rows {
    struct Row {
        A a;
        B b;
        bool operator==(Row const&) const = default;
    };
    GrowingArray<Row> all;
    std::uint64_t envelopes = 0;
    bool has_ended = false;
};
template <typename A, typename B> struct Keep : Box {
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = false;
    static Result<dataflow::ColumnTypes> columns(std::span<dataflow::InputColumns const> given, Rows<A, B>* /*rows*/,
                                                 ColumnsOf<A, B> kept) {
        MXK_TRY(kept.check(given[0]));
        return dataflow::ColumnTypes{};
    }
    Keep(dataflow::Query& query, CoreId core, Rows<A, B>* its_rows, ColumnsOf<A, B> its_kept)
        : Box(query, core)
        , rows(*its_rows)
        , kept(its_kept) {}
    Result<dataflow::Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        bool is_full = false;
        kept.with_values(*envelope, [&](A const* a, B const* b) {
            envelope->for_each_row([&](auto row) { is_full = !rows.all.add({a[row], b[row]}) || is_full; });
        });
        ++rows.envelopes;
        if (is_full) return Error("out of memory: a test needs some bytes");
        return dataflow::Step::More;
    }
    Result<dataflow::Step> finish(CoreScheduler&) override {
        rows.has_ended = true;
        return dataflow::Step::Done;
    }
    Rows<A, B>& rows;
    ColumnsOf<A, B> kept;
};
template <typename A, typename B> Model::BoxId add_keep(Model& model, Rows<A, B>& rows, std::size_t a, std::size_t b) {
    return model.add<Keep<A, B>>("kept", &rows, ColumnsOf<A, B>{{a, b}});
}

[[nodiscard]] bool runs(Model& model, SchedulerOptions const& options = {}) {
    auto const checked = model.check();
    if (!checked.ok()) log::info("got: {}", checked.error().message());
    if (!checked.ok()) return false;
    auto const result = run(model, options);
    if (!result.ok()) log::info("got: {}", result.error().message());
    return result.ok();
}

// ---- Scan, filter, map

MXK_TEST(query, scans_of_parts_give_all_rows_of_a_table_once) {
    MadeUpTable const table;
    for (std::size_t const parts : {1U, 3U}) {
        std::size_t at = 0;
        for (std::size_t part = 0; part < parts; ++part) {
            Rows<std::int64_t, std::uint8_t> rows;
            Model model;
            model.connect(add_table(model, "table", table.columns, part, parts),
                          add_keep(model, rows, number_column, kind_column));
            MXK_REQUIRE(runs(model));
            MXK_CHECK(rows.has_ended);
            MXK_CHECK(rows.envelopes >= rows.all.size() / 64);
            for (auto const& row : rows.all.span()) {
                MXK_CHECK_EQUAL(row.a, table.number[at]);
                MXK_CHECK_EQUAL(row.b, table.kind[at]);
                ++at;
            }
        }
        MXK_CHECK_EQUAL(at, MadeUpTable::rows);
    }
}

MXK_TEST(query, a_filter_keeps_the_rows_of_its_condition_also_behind_another_one) {
    MadeUpTable const table;
    Rows<std::int64_t, std::int32_t> rows;
    Model model;
    auto const scan = add_table(model, "table", table.columns);
    auto const kind = add_filter(model, "kind", ColumnsOf<std::uint8_t>{{kind_column}},
                                 [](std::uint8_t value) { return value == 2; });
    auto const both =
        add_filter(model, "number and group", ColumnsOf<std::int64_t, std::int32_t>{{number_column, group_column}},
                   [](std::int64_t number, std::int32_t group) { return number > 200 && group != 4; });
    model.connect(scan, kind);
    model.connect(kind, both);
    model.connect(both, add_keep(model, rows, number_column, group_column));
    MXK_REQUIRE(runs(model));
    std::size_t at = 0;
    for (std::size_t row = 0; row < MadeUpTable::rows; ++row) {
        if (table.kind[row] != 2 || table.number[row] <= 200 || table.group[row] == 4) continue;
        MXK_REQUIRE(at < rows.all.size());
        MXK_CHECK_EQUAL(rows.all[at].a, table.number[row]);
        MXK_CHECK_EQUAL(rows.all[at].b, table.group[row]);
        ++at;
    }
    MXK_CHECK_EQUAL(at, rows.all.size());
    MXK_CHECK(at > 50);
}

MXK_TEST(query, a_map_adds_a_column_for_the_rows_that_are_selected) {
    MadeUpTable const table;
    Rows<std::int64_t, std::int64_t> rows;
    Model model;
    auto const scan = add_table(model, "table", table.columns);
    auto const some = add_filter(model, "some", ColumnsOf<std::uint8_t>{{kind_column}},
                                 [](std::uint8_t value) { return value != 0; });
    auto const product = add_map<std::int64_t>(
        model, "product", new_column, ColumnsOf<std::int64_t, std::int32_t>{{number_column, group_column}},
        [](std::int64_t number, std::int32_t group) { return number * (group + 1); });
    model.connect(scan, some);
    model.connect(some, product);
    model.connect(product, add_keep(model, rows, number_column, new_column));
    MXK_REQUIRE(runs(model));
    MXK_CHECK_EQUAL(rows.all.size(), MadeUpTable::rows / 4 * 3);
    for (auto const& row : rows.all.span()) {
        auto const at = static_cast<std::size_t>((row.a + 100) / 3);
        MXK_CHECK_EQUAL(row.b, row.a * (table.group[at] + 1));
    }
}

// ---- Limit

// A scan of envelopes of one row that counts them.
struct CountedScan : Scan {
    CountedScan(dataflow::Query& query, CoreId core, ScannedColumns const* scanned, std::uint64_t* its_produced)
        : Scan(query, core, scanned, 0, 1, 1)
        , produced(*its_produced) {}
    Result<dataflow::Step> produce(CoreScheduler& here) override {
        ++produced;
        return Scan::produce(here);
    }
    std::uint64_t& produced;
};

// What a query with a limit gives, and reads for it.
struct Limited {
    std::size_t rows = 0;
    std::uint64_t scanned = 0;
    std::uint64_t envelopes = 0; // sent on all edges
};
Limited limited_scan(MadeUpTable const& table, std::uint64_t limit, bool is_filtered, SchedulerOptions const& options) {
    Rows<std::int64_t, std::uint8_t> rows;
    Model model;
    model.set_capacity(2);
    std::uint64_t scanned = 0;
    auto from = model.add<CountedScan>("table", &table.columns, &scanned);
    if (is_filtered) {
        auto const filter = add_filter(model, "kind", ColumnsOf<std::uint8_t>{{kind_column}},
                                       [](std::uint8_t value) { return value == 3; });
        model.connect(from, filter);
        from = filter;
    }
    auto const first = model.add<Limit>("limit", limit);
    model.connect(from, first);
    model.connect(first, add_keep(model, rows, number_column, kind_column));
    bool const is_checked = model.check().ok();
    MXK_CHECK(is_checked);
    if (!is_checked) return {};
    auto scheduler = dataflow_tests::Scheduler::create(all_cores().span(), options);
    MXK_CHECK(scheduler.ok());
    if (!scheduler) return {};
    Query query(model);
    scheduler.value()->submit(query);
    MXK_CHECK(query.wait().ok());
    MXK_CHECK(rows.has_ended);
    for (std::size_t i = 0; i < rows.all.size(); ++i)
        MXK_CHECK_EQUAL(rows.all[i].a, table.number[is_filtered ? 4 * i + 3 : i]);
    return {.rows = rows.all.size(), .scanned = scanned, .envelopes = query.edge_counts().envelopes};
}

MXK_TEST(query, a_limit_ends_the_scan_in_front_of_it) {
    MadeUpTable const table;
    for (Discipline const discipline : all_disciplines) {
        SchedulerOptions const options{.discipline = discipline};
        // Those that are wanted on each edge, up to two in each buffer, and what is under way to them.
        Limited const plain = limited_scan(table, 10, false, options);
        MXK_CHECK_EQUAL(plain.rows, 10u);
        MXK_CHECK(plain.scanned <= 10 + 10);
        MXK_CHECK(plain.envelopes <= 20 + 8);
        // One row in four is of the kind.
        Limited const filtered = limited_scan(table, 10, true, options);
        MXK_CHECK_EQUAL(filtered.rows, 10u);
        MXK_CHECK(filtered.scanned <= 40 + 24);
        MXK_CHECK(filtered.envelopes <= 40 + 20 + 24);
        // All that there are.
        Limited const all = limited_scan(table, 5000, false, options);
        MXK_CHECK_EQUAL(all.rows, MadeUpTable::rows);
        MXK_CHECK_EQUAL(all.scanned, MadeUpTable::rows);
        MXK_CHECK_EQUAL(all.envelopes, 2 * MadeUpTable::rows);
    }
}
MXK_TEST(query, a_limit_ends_the_scan_in_front_of_it_also_with_delays) {
    MadeUpTable const table;
    InjectDelays const delays;
    for (unsigned round = 0; round < 20; ++round) {
        MXK_CHECK_EQUAL(limited_scan(table, 1 + round, true, {}).rows, 1 + round);
        MXK_CHECK_EQUAL(limited_scan(table, 1 + round, false, {}).rows, 1 + round);
    }
}

MXK_TEST(query, a_limit_cuts_an_envelope_with_a_selection_and_one_without) {
    MadeUpTable const table;
    for (bool const is_filtered : {false, true}) {
        Rows<std::int64_t, std::uint8_t> rows;
        Model model;
        auto from = add_table(model, "table", table.columns, 0, 1, 100);
        if (is_filtered) {
            auto const filter = add_filter(model, "kind", ColumnsOf<std::uint8_t>{{kind_column}},
                                           [](std::uint8_t value) { return value == 3; });
            model.connect(from, filter);
            from = filter;
        }
        auto const first = model.add<Limit>("limit", std::uint64_t{130});
        model.connect(from, first);
        model.connect(first, add_keep(model, rows, number_column, kind_column));
        MXK_REQUIRE(runs(model));
        MXK_REQUIRE(rows.all.size() == 130u);
        MXK_CHECK_EQUAL(rows.all[129].a, table.number[is_filtered ? 4 * 129 + 3 : 129]);
    }
}

MXK_TEST(query, the_first_0_rows_are_none) {
    MadeUpTable const table;
    MXK_CHECK_EQUAL(limited_scan(table, 0, false, {}).rows, 0u);
    MXK_CHECK(limited_scan(table, 0, false, {}).scanned <= 10);
}

// What one branch has had enough of, another one still wants.
MXK_TEST(query, a_limit_in_one_branch_leaves_the_other_all_rows) {
    MadeUpTable const table;
    Rows<std::int64_t, std::uint8_t> few;
    Rows<std::int64_t, std::uint8_t> all;
    Model model;
    model.set_capacity(1);
    auto const scan = add_table(model, "table", table.columns, 0, 1, 10);
    auto const first = model.add<Limit>("limit", std::uint64_t{25});
    model.connect(scan, first);
    model.connect(first, add_keep(model, few, number_column, kind_column));
    model.connect(scan, add_keep(model, all, number_column, kind_column));
    MXK_REQUIRE(runs(model));
    MXK_CHECK_EQUAL(few.all.size(), 25u);
    MXK_CHECK_EQUAL(all.all.size(), MadeUpTable::rows);
}

// ---- Models that cannot work

MXK_TEST(query, what_is_wrong_with_columns_is_said_by_box_and_input) {
    MadeUpTable const table;
    Rows<std::int64_t, std::uint64_t> rows;
    check_model_error(
        [&](Model& model) {
            auto const filter = add_filter(model, "early", ColumnsOf<std::int32_t>{{number_column}},
                                           [](std::int32_t value) { return value < 3; });
            model.connect(add_table(model, "table", table.columns), filter);
            model.connect(filter, model.add<Keep<std::int64_t, std::uint8_t>>(
                                      "kept", static_cast<Rows<std::int64_t, std::uint8_t>*>(nullptr),
                                      ColumnsOf<std::int64_t, std::uint8_t>{{0, 2}}));
        },
        "box 'early': input 'rows': expected column 0 from box 'table' to be of type i32, got i64");
    // Behind boxes that pass the columns on.
    check_model_error(
        [&](Model& model) {
            auto const first = model.add<Limit>("limit", std::uint64_t{5});
            model.connect(add_table(model, "table", table.columns), first);
            model.connect(first, add_keep(model, rows, number_column, new_column));
        },
        "box 'kept': input 'rows': expected column 3 from box 'limit' to be of type u64, got none");
    check_model_error(
        [&](Model& model) {
            auto const map = add_map<std::int32_t>(model, "map", new_column, ColumnsOf<std::int64_t>{{number_column}},
                                                   [](std::int64_t) { return std::int32_t{1}; });
            model.connect(add_table(model, "table", table.columns), map);
            model.connect(map, add_keep(model, rows, number_column, new_column));
        },
        "box 'kept': input 'rows': expected column 3 from box 'map' to be of type u64, got i32");
    check_model_error(
        [&](Model& model) {
            auto const sort = model.add<dataflow::SortBox>("sort", 10U);
            model.connect(add_table(model, "table", table.columns), sort);
            model.connect(sort, add_keep(model, rows, number_column, new_column));
        },
        "box 'sort': input 'rows': expected column 0 from box 'table' to be of type u64, got i64");
    for (std::size_t const to : {std::size_t{12}, std::size_t{4000}}) {
        FixedText<120> expected;
        format(expected, "box 'map': input 'rows': expected a column from 0 to 11, got {}", to);
        check_model_error(
            [&](Model& model) {
                auto const map =
                    add_map<std::uint64_t>(model, "map", to, ColumnsOf<>{}, [] { return std::uint64_t{}; });
                model.connect(add_table(model, "table", table.columns), map);
                model.connect(map, add_keep(model, rows, number_column, new_column));
            },
            expected.view());
    }
}

template <typename T> struct Reads : Box {
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = false;
    static Result<dataflow::ColumnTypes> columns(std::span<dataflow::InputColumns const> given, ColumnsOf<T> read) {
        MXK_TRY(read.check(given[0]));
        return dataflow::ColumnTypes{};
    }
    Reads(dataflow::Query& query, CoreId core, ColumnsOf<T> /*read*/)
        : Box(query, core) {}
};

MXK_TEST(query, types_that_are_not_numbers_of_columns_are_told_apart) {
    struct One {
        std::int64_t value;
    };
    struct Other {
        std::int64_t value;
    };
    std::array<double, 2> const numbers{1.5, 2.5};
    std::array<One, 2> const ones{};
    ScannedColumns columns(2);
    columns.add(std::span<double const>(numbers));
    columns.add(std::span<One const>(ones));
    auto const check_type = [&](auto value, std::size_t column, std::string_view expected) {
        check_model_error(
            [&](Model& model) {
                model.connect(add_table(model, "table", columns),
                              model.add<Reads<decltype(value)>>("reads", ColumnsOf<decltype(value)>{{column}}));
            },
            expected);
    };
    check_type(std::int64_t{}, 0,
               "box 'reads': input 'rows': expected column 0 from box 'table' to be of type i64, got f64");
    check_type(std::int64_t{}, 1,
               "box 'reads': input 'rows': expected column 1 from box 'table' to be of type i64, got object");
    check_type(Other{}, 1,
               "box 'reads': input 'rows': expected column 1 from box 'table' to be of type object, got another "
               "object");
    check_type(std::uint16_t{}, 0,
               "box 'reads': input 'rows': expected column 0 from box 'table' to be of type u16, got f64");
}

MXK_TEST(query, what_is_wrong_with_a_scan_is_said) {
    std::array<std::int64_t, 5> const values{};
    ScannedColumns wrong_length(4);
    wrong_length.add(std::span<std::int64_t const>(values));
    ScannedColumns too_many(5);
    for (unsigned i = 0; i < 13; ++i) too_many.add(std::span<std::int64_t const>(values));
    ScannedColumns right(5);
    for (unsigned i = 0; i < 12; ++i) right.add(std::span<std::int64_t const>(values));
    auto const check_scan = [](ScannedColumns const& columns, std::size_t part, std::size_t parts, std::uint32_t rows,
                               std::string_view expected) {
        check_model_error(
            [&](Model& model) {
                Rows<std::int64_t, std::int64_t>* const none = nullptr;
                model.connect(add_table(model, "table", columns, part, parts, rows),
                              model.add<Keep<std::int64_t, std::int64_t>>(
                                  "kept", none, ColumnsOf<std::int64_t, std::int64_t>{{0, 0}}));
            },
            expected);
    };
    check_scan(wrong_length, 0, 1, 1, "box 'table': expected columns of 4 rows each, got one of 5");
    check_scan(too_many, 0, 1, 1, "box 'table': expected up to 12 columns, got 13");
    MXK_CHECK_EQUAL(too_many.row_bytes(), 12 * sizeof(std::int64_t));
    check_scan(right, 3, 3, 1, "box 'table': expected a part below the number of parts 3, got 3");
    check_scan(right, 0, 0, 1, "box 'table': expected a part below the number of parts 0, got 0");
    check_scan(right, 0, 1, 0, "box 'table': expected envelopes of 1 row or more, got 0");
}

MXK_TEST(query, what_is_wrong_with_inputs_of_operators_is_said_by_box_and_input) {
    MadeUpTable const table;
    Rows<std::int64_t, std::uint64_t> rows;
    check_model_error(
        [&](Model& model) {
            auto const filter = add_filter(model, "filter", ColumnsOf<std::int64_t>{{number_column}},
                                           [](std::int64_t /*number*/) { return true; });
            model.connect(add_table(model, "table", table.columns), filter);
            model.connect(add_table(model, "another table", table.columns), filter);
        },
        "box 'filter': input 'rows' is connected twice, the second time from box 'another table'");
    check_model_error(
        [&](Model& model) {
            auto const limit = model.add<Limit>("limit", std::uint64_t{5});
            auto const other = model.add<Limit>("other limit", std::uint64_t{5});
            model.connect(limit, other);
            model.connect(other, limit);
        },
        "box 'limit' would receive what it has sent: the boxes form a circle");
    // A merge of two branches of one box.
    check_model_error(
        [&](Model& model) {
            query::OrderSpec const* const none = nullptr;
            auto const merge = model.add<query::MergeBox>("merge", none);
            auto const scan = add_table(model, "table", table.columns);
            for (unsigned branch = 0; branch < 2; ++branch) {
                auto const filter = add_filter(model, "branch", ColumnsOf<std::int64_t>{{number_column}},
                                               [branch](std::int64_t number) { return (number & 1) == branch; });
                model.connect(scan, filter);
                model.connect(filter, merge);
            }
            model.connect(merge, add_keep(model, rows, 0, 0));
        },
        "box 'merge' reads its inputs one after the other, and box 'table' feeds input 'rows' and another: it would "
        "wait for ever");
}

} // namespace
} // namespace mxk::query_tests

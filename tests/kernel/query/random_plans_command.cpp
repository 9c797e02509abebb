// `random-plans`, a command of the program with tests: random plans, one JSON object a line, for a database to give the
// answers, too (tests/system/test_random_plans.py):
//
//     number   of the plan
//     tables   [{name, columns: [{name, type, values}]}]: dates as days since 1970
//     sql      gives all rows, in their order
//     order    columns that they are ordered by, as numbers from 0 on
//     limit    so many rows were wanted
//     columns  [{name, type, is_near}] of the answer; `is_near`: computed in another order it has other last digits
//     names    of the columns, as MXK says
//     rows     the answer
//     error    instead of these two
//
// Values are texts, NULL is "NULL", which no text of a random table is.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json_line.hpp"
#include "kernel/console/command.hpp"
#include "tests/kernel/query/random_plan.hpp"

namespace mxk::query_tests {
namespace {

using console::Invocation;
using console::Outcome;

struct PlansOptions {
    std::uint64_t first = 0;
    std::uint64_t count = 200;
};
constexpr auto plans_schema = console::schema<PlansOptions>(
    console::option<&PlansOptions::first>("first", "number of the first plan"),
    console::option<&PlansOptions::count>("count", "how many", console::between(1, 1'000'000)));

void write_column(JsonWriter& json, ReferenceColumn const& column) {
    json.field("name", column.name.view());
    json.field("type", sql_type(column.meaning).view());
}
void write_table(JsonWriter& json, RandomTable const& table) {
    ReferenceRows const& rows = table.reference;
    json.begin_object();
    json.field("name", table.source.name());
    json.begin_array("columns");
    for (std::size_t at = 0; at < rows.columns; ++at) {
        json.begin_object();
        write_column(json, rows.column[at]);
        json.begin_array("values");
        for (std::size_t row = 0; row < rows.rows; ++row) {
            FixedText<128> text;
            write_sql_value(text, rows.row(row)[at], rows.column[at].meaning);
            json.element(text.view());
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.end_object();
}
void write_answer(JsonWriter& json, Answer const& answer) {
    auto const fields = answer.schema().fields();
    json.begin_array("names");
    for (query::Field const& field : fields) json.element(field.name.view());
    json.end_array();
    json.begin_array("rows");
    for (std::size_t row = 0; row < answer.rows(); ++row) {
        json.begin_array();
        for (std::size_t at = 0; at < fields.size(); ++at) {
            FixedText<128> cell;
            answer.write_cell(cell, row, at);
            json.element(cell.view());
        }
        json.end_array();
    }
    json.end_array();
}
void write_plan(JsonWriter& json, std::uint64_t number) {
    auto made = make_random_plan(number);
    RandomPlan& plan = made[0];
    json.field("number", number);
    json.begin_array("tables");
    for (auto const& table : plan.tables())
        if (table) write_table(json, *table);
    json.end_array();
    json.field("sql", plan.sql());
    json.begin_array("order");
    for (ResultKey const& key : plan.order()) json.element(key.column);
    json.end_array();
    json.field("limit", plan.limit());
    json.begin_array("columns");
    for (std::size_t at = 0; at < plan.rows().columns; ++at) {
        json.begin_object();
        write_column(json, plan.rows().column[at]);
        json.field("is_near", !plan.rows().column[at].meaning.is_exact);
        json.end_object();
    }
    json.end_array();
    Answer answer;
    if (auto const result = plan.run(answer); result.ok())
        write_answer(json, answer);
    else
        json.field("error", result.error().message());
}

Outcome run_plans(Invocation& invocation, PlansOptions const& options) {
    for (std::uint64_t number = options.first; number < options.first + options.count; ++number) {
        GrowingText text;
        JsonLine line(text);
        write_plan(line.json(), number);
        line.end();
        invocation.out.write(text.view());
        if (auto const goes_on = invocation.check_cancelled(); !goes_on) return invocation.fail(goes_on.error());
    }
    return Outcome::Ok;
}

constexpr auto plans_command = console::command<&run_plans, plans_schema>(
    {.name = "random-plans", .summary = "random plans as SQL, with their data and MXK's answers", .group = "tests"});
MXK_REGISTER(mxk_commands, console::Command, plans_command);

} // namespace
} // namespace mxk::query_tests

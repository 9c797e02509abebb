#include "query/tpch/queries.hpp"

#include <array>
#include <string_view>

namespace mxk::query::tpch {
namespace {

using Names = std::string_view;

Result<Source const*> find(std::optional<Source> const& table, std::string_view name) {
    if (table) return &*table;
    return Error::of("expected a table '{}', got none", name);
}

Result<void> add_table(ColumnFile const& file, std::string_view name, std::optional<Source>& to) {
    auto const table = file.table(name);
    if (!table) return {};
    to.emplace(name, table.value().rows());
    return to->add(table.value());
}

Expression discounted_price() {
    return column("l_extendedprice") * (number(1) - column("l_discount"));
}

} // namespace

Result<void> Tables::add(ColumnFile const& file) {
    MXK_TRY(add_table(file, "lineitem", lineitem));
    MXK_TRY(add_table(file, "orders", orders));
    MXK_TRY(add_table(file, "customer", customer));
    MXK_TRY(add_table(file, "measures", measures));
    if (lineitem || orders || customer || measures) return {};
    return file.table("lineitem").error();
}

Result<void> Tables::spread_over(std::span<NodeId const> nodes) {
    for (std::optional<Source>* const table : {&lineitem, &orders, &customer, &measures})
        if (*table) MXK_TRY((*table)->spread_over(nodes));
    return {};
}

std::uint64_t Tables::remote_rows() const {
    std::uint64_t sum = 0;
    for (std::optional<Source> const* const table : {&lineitem, &orders, &customer, &measures})
        if (*table) sum += (*table)->remote_rows();
    return sum;
}

Result<void> plan_q1(Plan& plan, Tables const& tables, Answer& answer) {
    constexpr std::array<Names, 7> columns{"l_returnflag", "l_linestatus", "l_quantity", "l_extendedprice",
                                           "l_discount",   "l_tax",        "l_shipdate"};
    auto const items = plan.scan("lineitem", *MXK_TRY(find(tables.lineitem, "lineitem")), columns);
    auto const shipped = plan.filter("shipped", items, column("l_shipdate") <= date(1998, 12, 1) - number(90));
    auto const keys = std::to_array<NamedExpression>(
        {{"l_returnflag", column("l_returnflag")}, {"l_linestatus", column("l_linestatus")}});
    auto const sums =
        std::to_array<Aggregate>({{"sum_qty", Function::Sum, column("l_quantity")},
                                  {"sum_base_price", Function::Sum, column("l_extendedprice")},
                                  {"sum_disc_price", Function::Sum, discounted_price()},
                                  {"sum_charge", Function::Sum, discounted_price() * (number(1) + column("l_tax"))},
                                  {"avg_qty", Function::Average, column("l_quantity")},
                                  {"avg_price", Function::Average, column("l_extendedprice")},
                                  {"avg_disc", Function::Average, column("l_discount")},
                                  {"count_order", Function::Count}});
    auto const groups = plan.group_by("groups", shipped, keys, sums);
    constexpr std::array<OrderKey, 2> order{{{"l_returnflag"}, {"l_linestatus"}}};
    plan.answer("answer", plan.order_by("order", groups, order), answer);
    return plan.check();
}

Result<void> plan_q3(Plan& plan, Tables const& tables, Answer& answer) {
    auto const customers = plan.scan("customer", *MXK_TRY(find(tables.customer, "customer")),
                                     std::array<Names, 2>{"c_custkey", "c_mktsegment"});
    auto const building = plan.filter("building", customers, column("c_mktsegment") == text("BUILDING"));
    auto const orders = plan.scan("orders", *MXK_TRY(find(tables.orders, "orders")),
                                  std::array<Names, 4>{"o_orderkey", "o_custkey", "o_orderdate", "o_shippriority"});
    auto const early = plan.filter("ordered", orders, column("o_orderdate") < date(1995, 3, 15));
    auto const of_customer = std::to_array<JoinKey>({{column("c_custkey"), column("o_custkey")}});
    auto const theirs = plan.join("customers' orders", JoinKind::Semi, building, early, of_customer);

    auto const items = plan.scan("lineitem", *MXK_TRY(find(tables.lineitem, "lineitem")),
                                 std::array<Names, 4>{"l_orderkey", "l_extendedprice", "l_discount", "l_shipdate"});
    auto const late = plan.filter("shipped", items, column("l_shipdate") > date(1995, 3, 15));
    auto const of_order = std::to_array<JoinKey>({{column("o_orderkey"), column("l_orderkey")}});
    auto const joined = plan.join("orders' items", JoinKind::Inner, theirs, late, of_order);
    auto const keys = std::to_array<NamedExpression>({{"l_orderkey", column("l_orderkey")},
                                                      {"o_orderdate", column("o_orderdate")},
                                                      {"o_shippriority", column("o_shippriority")}});
    auto const sums = std::to_array<Aggregate>({{"revenue", Function::Sum, discounted_price()}});
    auto const groups = plan.group_by("orders", joined, keys, sums);
    constexpr std::array<OrderKey, 3> order{{{"revenue", true}, {"o_orderdate"}, {"l_orderkey"}}};
    auto const first = plan.order_by("order", groups, order, 10);
    auto const result = std::to_array<NamedExpression>({{"l_orderkey", column("l_orderkey")},
                                                        {"revenue", column("revenue")},
                                                        {"o_orderdate", column("o_orderdate")},
                                                        {"o_shippriority", column("o_shippriority")}});
    plan.answer("answer", plan.map("columns", first, result), answer);
    return plan.check();
}

Result<void> plan_q6(Plan& plan, Tables const& tables, Answer& answer) {
    constexpr std::array<Names, 4> columns{"l_shipdate", "l_discount", "l_quantity", "l_extendedprice"};
    auto const items = plan.scan("lineitem", *MXK_TRY(find(tables.lineitem, "lineitem")), columns);
    auto const chosen = plan.filter(
        "rows of the year", items,
        column("l_shipdate") >= date(1994, 1, 1) && column("l_shipdate") < date(1995, 1, 1) &&
            between(column("l_discount"), decimal(5, 2), decimal(7, 2)) && column("l_quantity") < number(24));
    auto const sums =
        std::to_array<Aggregate>({{"revenue", Function::Sum, column("l_extendedprice") * column("l_discount")}});
    plan.answer("answer", plan.group_by("sum", chosen, {}, sums), answer);
    return plan.check();
}

Result<void> plan_groups(Plan& plan, Tables const& tables, Answer& answer) {
    auto const rows =
        plan.scan("measures", *MXK_TRY(find(tables.measures, "measures")), std::array<Names, 2>{"key", "value"});
    auto const keys = std::to_array<NamedExpression>({{"key", column("key")}});
    auto const sums = std::to_array<Aggregate>({{"rows", Function::Count}, {"sum", Function::Sum, column("value")}});
    auto const groups = plan.group_by("groups", rows, keys, sums);
    auto const totals = std::to_array<Aggregate>({{"groups", Function::Count},
                                                  {"rows", Function::Sum, column("rows")},
                                                  {"sum", Function::Sum, column("sum")},
                                                  {"largest", Function::Max, column("sum")}});
    plan.answer("answer", plan.group_by("total", groups, {}, totals), answer);
    return plan.check();
}

} // namespace mxk::query::tpch

#include "query/tpch/tpch_tables.hpp"

namespace mxk::query::tpch {
namespace {

using enum ColumnMeaning;
constexpr unsigned scale = 2; // of all decimals

} // namespace

Result<LineItems> LineItems::of(ColumnFile const& file) {
    Table const table = MXK_TRY(file.table("lineitem"));
    return LineItems{.rows = table.rows(),
                     .order_key = MXK_TRY(table.column<std::int32_t>("l_orderkey", Number)),
                     .quantity = MXK_TRY(table.column<std::int32_t>("l_quantity", Decimal, scale)),
                     .extended_price = MXK_TRY(table.column<std::int32_t>("l_extendedprice", Decimal, scale)),
                     .discount = MXK_TRY(table.column<std::int32_t>("l_discount", Decimal, scale)),
                     .tax = MXK_TRY(table.column<std::int32_t>("l_tax", Decimal, scale)),
                     .return_flag = MXK_TRY(table.column<std::uint8_t>("l_returnflag", Character)),
                     .line_status = MXK_TRY(table.column<std::uint8_t>("l_linestatus", Character)),
                     .ship_date = MXK_TRY(table.column<std::int32_t>("l_shipdate", Date))};
}

Result<Orders> Orders::of(ColumnFile const& file) {
    Table const table = MXK_TRY(file.table("orders"));
    return Orders{.rows = table.rows(),
                  .order_key = MXK_TRY(table.column<std::int32_t>("o_orderkey", Number)),
                  .customer_key = MXK_TRY(table.column<std::int32_t>("o_custkey", Number)),
                  .order_date = MXK_TRY(table.column<std::int32_t>("o_orderdate", Date)),
                  .ship_priority = MXK_TRY(table.column<std::int32_t>("o_shippriority", Number))};
}

Result<Customers> Customers::of(ColumnFile const& file) {
    Table const table = MXK_TRY(file.table("customer"));
    Column const segment = MXK_TRY(table.column("c_mktsegment"));
    auto const codes = MXK_TRY(table.column<std::uint8_t>("c_mktsegment", Dictionary));
    auto const building = segment.code("BUILDING");
    return Customers{.rows = table.rows(),
                     .customer_key = MXK_TRY(table.column<std::int32_t>("c_custkey", Number)),
                     .market_segment = codes,
                     .building = building.ok() ? building.value() : no_code};
}

} // namespace mxk::query::tpch

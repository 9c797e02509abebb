#include "query/tpch/tpch_tables.hpp"

namespace mxk::query::tpch {

Result<LineItems> LineItems::of(ColumnFile const& file) {
    Table const table = MXK_TRY(file.table("lineitem"));
    return LineItems{.rows = table.rows(),
                     .order_key = MXK_TRY(table.column<std::int32_t>("l_orderkey")),
                     .quantity = MXK_TRY(table.column<std::int32_t>("l_quantity")),
                     .extended_price = MXK_TRY(table.column<std::int32_t>("l_extendedprice")),
                     .discount = MXK_TRY(table.column<std::int32_t>("l_discount")),
                     .tax = MXK_TRY(table.column<std::int32_t>("l_tax")),
                     .return_flag = MXK_TRY(table.column<std::uint8_t>("l_returnflag")),
                     .line_status = MXK_TRY(table.column<std::uint8_t>("l_linestatus")),
                     .ship_date = MXK_TRY(table.column<std::int32_t>("l_shipdate"))};
}

Result<Orders> Orders::of(ColumnFile const& file) {
    Table const table = MXK_TRY(file.table("orders"));
    return Orders{.rows = table.rows(),
                  .order_key = MXK_TRY(table.column<std::int32_t>("o_orderkey")),
                  .customer_key = MXK_TRY(table.column<std::int32_t>("o_custkey")),
                  .order_date = MXK_TRY(table.column<std::int32_t>("o_orderdate")),
                  .ship_priority = MXK_TRY(table.column<std::int32_t>("o_shippriority"))};
}

Result<Customers> Customers::of(ColumnFile const& file) {
    Table const table = MXK_TRY(file.table("customer"));
    Column const segment = MXK_TRY(table.column("c_mktsegment"));
    return Customers{.rows = table.rows(),
                     .customer_key = MXK_TRY(table.column<std::int32_t>("c_custkey")),
                     .market_segment = MXK_TRY(segment.values<std::uint8_t>()),
                     .building = MXK_TRY(segment.code("BUILDING"))};
}

} // namespace mxk::query::tpch

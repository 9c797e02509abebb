#include "query/tpch/queries.hpp"

#include <algorithm>
#include <tuple>

#include "query/operators/filter.hpp"
#include "query/operators/group_by.hpp"
#include "query/operators/join.hpp"
#include "query/operators/map.hpp"
#include "query/tpch/tpch_tables.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"

namespace mxk::query::tpch {
namespace {

using BoxId = dataflow::Model::BoxId;
using dataflow::Envelope;

constexpr std::int64_t one = 100; // of a decimal with two digits behind the point

BoxId add_scan(dataflow::Model& model, std::string_view name, ScannedColumns const& columns, std::size_t part,
               std::size_t parts, std::uint32_t rows) {
    return model.add<Scan>(name, &columns, part, parts, rows);
}

// `made_bytes`: of what boxes add to a row.
std::uint32_t rows_of(Plan const& plan, ScannedColumns const& columns, std::size_t made_bytes) {
    return dataflow::rows_or_recommended(plan.rows_per_envelope, columns.row_bytes() + made_bytes);
}

std::uint64_t key_of(std::int32_t key) {
    return static_cast<std::uint64_t>(std::int64_t{key});
}
std::int64_t each_row() {
    return 1;
}
std::int64_t discounted(std::int32_t price, std::int32_t discount) { // scale 4
    return std::int64_t{price} * (one - discount);
}
bool are_within(std::span<std::int32_t const> values, std::int32_t max) {
    return std::ranges::all_of(values, [max](std::int32_t value) { return value >= 0 && value <= max; });
}

} // namespace

// ---- q1

Result<void> PricingSummary::prepare(ColumnFile const& file, Plan const& plan) {
    enum : std::size_t { Quantity, Price, Discount, Tax, Flag, Status, ShipDate, DiscountedPrice };
    LineItems const items = MXK_TRY(LineItems::of(file));
    columns_ = ScannedColumns(items.rows);
    for (auto const values : {items.quantity, items.extended_price, items.discount, items.tax}) columns_.add(values);
    columns_.add(items.return_flag);
    columns_.add(items.line_status);
    columns_.add(items.ship_date);

    model_.set_capacity(plan.capacity);
    BoxId const all = add_group_by(
        model_, "all groups", ColumnsOf<std::uint64_t>{{0}}, [](std::uint64_t key) { return key; },
        ColumnsOf<std::int64_t>{{1}}, [](std::int64_t count) { return count; },
        ColumnsOf<Sum, Sum, Sum, Sum, Sum>{{2, 3, 4, 5, 6}});
    std::uint32_t const rows = rows_of(plan, columns_, sizeof(std::int64_t) + sizeof(Envelope::Row));
    for (std::size_t part = 0; part < plan.parts; ++part) {
        BoxId const scan = add_scan(model_, "lineitem", columns_, part, plan.parts, rows);
        BoxId const filter = add_filter(model_, "shipped", ColumnsOf<std::int32_t>{{ShipDate}},
                                        [](std::int32_t date) { return date <= days_of(1998, 12, 1) - 90; });
        BoxId const discounted_price_map =
            add_map<std::int64_t>(model_, "discounted price", DiscountedPrice,
                                  ColumnsOf<std::int32_t, std::int32_t>{{Price, Discount}}, &discounted);
        BoxId const groups = add_group_by(
            model_, "groups", ColumnsOf<std::uint8_t, std::uint8_t>{{Flag, Status}},
            [](std::uint8_t flag, std::uint8_t status) { return std::uint64_t{flag} << 8 | status; }, ColumnsOf<>{},
            &each_row,
            ColumnsOf<std::int32_t, std::int32_t, std::int64_t, std::int32_t, std::int32_t>{
                {Quantity, Price, DiscountedPrice, Tax, Discount}},
            [](std::int32_t quantity, std::int32_t price, std::int64_t discounted_price, std::int32_t tax,
               std::int32_t discount) {
                return std::tuple(quantity, price, discounted_price, Sum{discounted_price} * (one + tax), discount);
            });
        model_.connect(scan, filter);
        model_.connect(filter, discounted_price_map);
        model_.connect(discounted_price_map, groups);
        model_.connect(groups, all);
    }
    BoxId const answer = add_top(
        model_, "answer", answer_, SIZE_MAX,
        [](Envelope const& groups, Envelope::Row row) {
            return Record{.key = groups.values<std::uint64_t>(0)[row],
                          .count = groups.values<std::int64_t>(1)[row],
                          .quantity = groups.values<Sum>(2)[row],
                          .base_price = groups.values<Sum>(3)[row],
                          .discounted_price = groups.values<Sum>(4)[row],
                          .charge = groups.values<Sum>(5)[row],
                          .discount = groups.values<Sum>(6)[row]};
        },
        [](Record const& a, Record const& b) { return a.key < b.key; });
    model_.connect(all, answer);
    return model_.check();
}

Cell PricingSummary::cell(std::size_t row, std::size_t column) const {
    Record const& record = answer_.records[row];
    switch (column) {
    case 0: return character_cell(static_cast<std::uint8_t>(record.key >> 8));
    case 1: return character_cell(static_cast<std::uint8_t>(record.key));
    case 2: return decimal_cell(record.quantity, 2);
    case 3: return decimal_cell(record.base_price, 2);
    case 4: return decimal_cell(record.discounted_price, 4);
    case 5: return decimal_cell(record.charge, 6);
    case 6: return average_cell(record.quantity, 2, record.count);
    case 7: return average_cell(record.base_price, 2, record.count);
    case 8: return average_cell(record.discount, 2, record.count);
    default: return number_cell(record.count);
    }
}

// ---- q3

Result<void> ShippingPriority::prepare(ColumnFile const& file, Plan const& plan) {
    constexpr std::int32_t day = days_of(1995, 3, 15);
    constexpr unsigned priority_bits = 8;
    constexpr unsigned order_bits = 40;
    Customers const customers = MXK_TRY(Customers::of(file));
    Orders const orders = MXK_TRY(Orders::of(file));
    LineItems const items = MXK_TRY(LineItems::of(file));
    // A group's key has all three of them.
    if (!are_within(orders.order_date, (1 << (64 - order_bits - priority_bits)) - 1))
        return Error("expected dates of orders from 1970 to 2149");
    if (!are_within(orders.ship_priority, (1 << priority_bits) - 1))
        return Error("expected priorities of orders from 0 to 255");
    customers_ = ScannedColumns(customers.rows);
    customers_.add(customers.customer_key);
    customers_.add(customers.market_segment);
    orders_ = ScannedColumns(orders.rows);
    for (auto const values : {orders.order_key, orders.customer_key, orders.order_date, orders.ship_priority})
        orders_.add(values);
    items_ = ScannedColumns(items.rows);
    for (auto const values : {items.order_key, items.extended_price, items.discount, items.ship_date})
        items_.add(values);

    model_.set_capacity(plan.capacity);
    BoxId const customer_scan = add_scan(model_, "customer", customers_, 0, 1, rows_of(plan, customers_, 4));
    BoxId const in_segment =
        add_filter(model_, "segment", ColumnsOf<std::uint8_t>{{1}},
                   [building = customers.building](std::uint8_t segment) { return segment == building; });
    BoxId const customer_table =
        add_build(model_, "table of customers", customers.rows / 2, ColumnsOf<std::int32_t>{{0}}, &key_of,
                  ColumnsOf<>{}, [] { return std::uint64_t{0}; });
    model_.connect(customer_scan, in_segment);
    model_.connect(in_segment, customer_table);

    BoxId const order_table =
        add_build(model_, "table of orders", orders.rows / 4, ColumnsOf<std::int32_t>{{0}}, &key_of,
                  ColumnsOf<std::int32_t, std::int32_t>{{2, 3}}, [](std::int32_t date, std::int32_t priority) {
                      return static_cast<std::uint64_t>(date) << priority_bits | static_cast<std::uint64_t>(priority);
                  });
    for (std::size_t part = 0; part < plan.parts; ++part) {
        BoxId const scan = add_scan(model_, "orders", orders_, part, plan.parts, rows_of(plan, orders_, 20));
        BoxId const before =
            add_filter(model_, "ordered", ColumnsOf<std::int32_t>{{2}}, [](std::int32_t date) { return date < day; });
        BoxId const join = add_probe(model_, "orders of customers", 4, ColumnsOf<std::int32_t>{{1}}, &key_of);
        model_.connect(scan, before);
        model_.connect(customer_table, join, "table");
        model_.connect(before, join, "rows");
        model_.connect(join, order_table);
    }

    BoxId const all = add_group_by(
        model_, "all orders", ColumnsOf<std::uint64_t>{{0}}, [](std::uint64_t key) { return key; },
        ColumnsOf<std::int64_t>{{1}}, [](std::int64_t count) { return count; }, ColumnsOf<Sum>{{2}});
    for (std::size_t part = 0; part < plan.parts; ++part) {
        BoxId const scan = add_scan(model_, "lineitem", items_, part, plan.parts, rows_of(plan, items_, 28));
        BoxId const after =
            add_filter(model_, "shipped", ColumnsOf<std::int32_t>{{3}}, [](std::int32_t date) { return date > day; });
        BoxId const join = add_probe(model_, "items of orders", 4, ColumnsOf<std::int32_t>{{0}}, &key_of);
        BoxId const revenue =
            add_map<std::int64_t>(model_, "revenue", 5, ColumnsOf<std::int32_t, std::int32_t>{{1, 2}}, &discounted);
        BoxId const groups = add_group_by(
            model_, "orders of a part", ColumnsOf<std::int32_t, std::uint64_t>{{0, 4}},
            [](std::int32_t order, std::uint64_t date_and_priority) {
                return date_and_priority << order_bits | static_cast<std::uint32_t>(order);
            },
            ColumnsOf<>{}, &each_row, ColumnsOf<std::int64_t>{{5}});
        model_.connect(scan, after);
        model_.connect(order_table, join, "table");
        model_.connect(after, join, "rows");
        model_.connect(join, revenue);
        model_.connect(revenue, groups);
        model_.connect(groups, all);
    }
    BoxId const answer = add_top(
        model_, "answer", answer_, 10,
        [](Envelope const& groups, Envelope::Row row) {
            std::uint64_t const key = groups.values<std::uint64_t>(0)[row];
            return Record{.order_key = static_cast<std::int32_t>(static_cast<std::uint32_t>(key)),
                          .revenue = groups.values<Sum>(2)[row],
                          .order_date = static_cast<std::int32_t>(key >> (order_bits + priority_bits)),
                          .ship_priority = static_cast<std::int32_t>(key >> order_bits & ((1U << priority_bits) - 1))};
        },
        [](Record const& a, Record const& b) {
            if (a.revenue != b.revenue) return a.revenue > b.revenue;
            return a.order_date != b.order_date ? a.order_date < b.order_date : a.order_key < b.order_key;
        });
    model_.connect(all, answer);
    return model_.check();
}

Cell ShippingPriority::cell(std::size_t row, std::size_t column) const {
    Record const& record = answer_.records[row];
    switch (column) {
    case 0: return number_cell(record.order_key);
    case 1: return decimal_cell(record.revenue, 4);
    case 2: return date_cell(record.order_date);
    default: return number_cell(record.ship_priority);
    }
}

// ---- q6

Result<void> RevenueChange::prepare(ColumnFile const& file, Plan const& plan) {
    enum : std::size_t { Quantity, Price, Discount, ShipDate, Revenue };
    LineItems const items = MXK_TRY(LineItems::of(file));
    columns_ = ScannedColumns(items.rows);
    for (auto const values : {items.quantity, items.extended_price, items.discount, items.ship_date})
        columns_.add(values);

    model_.set_capacity(plan.capacity);
    auto const only_group = [] { return std::uint64_t{0}; };
    BoxId const all = add_group_by(
        model_, "sum", ColumnsOf<>{}, only_group, ColumnsOf<std::int64_t>{{1}},
        [](std::int64_t count) { return count; }, ColumnsOf<Sum>{{2}});
    for (std::size_t part = 0; part < plan.parts; ++part) {
        BoxId const scan = add_scan(model_, "lineitem", columns_, part, plan.parts, rows_of(plan, columns_, 12));
        BoxId const filter =
            add_filter(model_, "rows of the year",
                       ColumnsOf<std::int32_t, std::int32_t, std::int32_t>{{ShipDate, Discount, Quantity}},
                       [](std::int32_t date, std::int32_t discount, std::int32_t quantity) {
                           // Numbers and no conditions: no branch depends on a row.
                           unsigned const is_in_year =
                               unsigned{date >= days_of(1994, 1, 1)} & unsigned{date < days_of(1995, 1, 1)};
                           return (is_in_year & unsigned{discount >= 5} & unsigned{discount <= 7} &
                                   unsigned{quantity < 24 * one}) != 0;
                       });
        BoxId const revenue = add_map<std::int64_t>(
            model_, "revenue", Revenue, ColumnsOf<std::int32_t, std::int32_t>{{Price, Discount}},
            [](std::int32_t price, std::int32_t discount) { return std::int64_t{price} * discount; });
        BoxId const groups = add_group_by(model_, "sum of a part", ColumnsOf<>{}, only_group, ColumnsOf<>{}, &each_row,
                                          ColumnsOf<std::int64_t>{{Revenue}});
        model_.connect(scan, filter);
        model_.connect(filter, revenue);
        model_.connect(revenue, groups);
        model_.connect(groups, all);
    }
    BoxId const answer = add_top(
        model_, "answer", answer_, 1,
        [](Envelope const& groups, Envelope::Row row) { return Record{.revenue = groups.values<Sum>(2)[row]}; },
        [](Record const& a, Record const& b) { return a.revenue < b.revenue; });
    model_.connect(all, answer);
    return model_.check();
}

Cell RevenueChange::cell(std::size_t /*row*/, std::size_t /*column*/) const {
    if (answer_.records.size() == 0) return Cell("NULL");
    return decimal_cell(answer_.records[0].revenue, 4);
}

} // namespace mxk::query::tpch

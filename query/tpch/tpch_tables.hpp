// The tables of TPC-H (3.0.1, section 1.4) as queries see them: of a column file that `tools/mxk tpch make` has
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "query/column_file.hpp"
#include "query/operators/scan.hpp"

namespace mxk::query::tpch {

// Decimals are whole hundredths, dates days since 1970.
struct LineItems {
    std::uint64_t rows;
    std::span<std::int32_t const> order_key;
    std::span<std::int32_t const> quantity;
    std::span<std::int32_t const> extended_price;
    std::span<std::int32_t const> discount;
    std::span<std::int32_t const> tax;
    std::span<std::uint8_t const> return_flag;
    std::span<std::uint8_t const> line_status;
    std::span<std::int32_t const> ship_date;

    // Errors: the file has no such table or column, or a column of another type, meaning or scale.
    static Result<LineItems> of(ColumnFile const& file);
};
struct Orders {
    std::uint64_t rows;
    std::span<std::int32_t const> order_key;
    std::span<std::int32_t const> customer_key;
    std::span<std::int32_t const> order_date;
    std::span<std::int32_t const> ship_priority;

    static Result<Orders> of(ColumnFile const& file);
};
struct Customers {
    std::uint64_t rows;
    std::span<std::int32_t const> customer_key;
    std::span<std::uint8_t const> market_segment;
    static constexpr int no_code = -1;
    int building; // the segment's code, if a customer may be of it

    static Result<Customers> of(ColumnFile const& file);
};

} // namespace mxk::query::tpch

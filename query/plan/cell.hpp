// A value as text: decimals with all digits of their scale, dates as YYYY-MM-DD, floating-point numbers with as many
// digits as tell them apart.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/text.hpp"
#include "query/expression/schema.hpp"
#include "query/expression/type.hpp"
#include "tasks/dataflow/graph/envelope.hpp"

namespace mxk::query {

using Cell = FixedText<80>; // of a number or a date

Cell decimal_cell(Int128 value, unsigned scale);
// `days` since 1970, proleptic Gregorian.
Cell date_cell(std::int32_t days);
Cell real_cell(double value);
// NULL is "NULL". `row`: of all rows of the envelope.
void write_cell(TextSink& out, dataflow::Envelope const& rows, Field const& field, std::size_t row);

} // namespace mxk::query

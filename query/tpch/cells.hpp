// The cells of a query's answer as text: decimals with all digits of their scale, dates as YYYY-MM-DD, averages with 17
// digits, rounded once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/text.hpp"
#include "query/operators/sum.hpp"

namespace mxk::query::tpch {

using Cell = FixedText<80>;

Cell decimal_cell(Sum value, unsigned scale);
// `days` since 1970, proleptic Gregorian.
Cell date_cell(std::int32_t days);
Cell number_cell(std::int64_t value);
Cell character_cell(std::uint8_t value);
// sum / 10^scale / count, without zeros at its end but the first one behind the point. `count`: not negative; of no
// values NULL.
Cell average_cell(Sum sum, unsigned scale, std::int64_t count);

// Days since 1970 of a date.
constexpr std::int32_t days_of(int year, unsigned month, unsigned day) {
    // Hinnant, chrono-Compatible Low-Level Date Algorithms: eras of 400 years that begin in March.
    int const from_march = month <= 2 ? year - 1 : year;
    int const era = (from_march >= 0 ? from_march : from_march - 399) / 400;
    auto const year_of_era = static_cast<unsigned>(from_march - era * 400);
    unsigned const day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    unsigned const day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146'097 + static_cast<int>(day_of_era) - 719'468;
}

} // namespace mxk::query::tpch

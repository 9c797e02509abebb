// Dates as days since 1970-01-01, proleptic Gregorian.
#pragma once

#include <cstdint>

namespace mxk::query {

// Days since 1970 of a date; they may be more than 32 bits have room for.
constexpr std::int64_t days_of(int year, unsigned month, unsigned day) {
    // Hinnant, chrono-Compatible Low-Level Date Algorithms: eras of 400 years that begin in March.
    std::int64_t const from_march = month <= 2 ? std::int64_t{year} - 1 : year;
    std::int64_t const era = (from_march >= 0 ? from_march : from_march - 399) / 400;
    auto const year_of_era = static_cast<unsigned>(from_march - era * 400);
    unsigned const day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    unsigned const day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146'097 + static_cast<int>(day_of_era) - 719'468;
}

} // namespace mxk::query

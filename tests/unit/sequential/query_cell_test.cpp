// Cells of answers as text: compared with what the standard library makes of the same values.
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "query/expression/calendar.hpp"
#include "query/plan/cell.hpp"

namespace mxk::query {
namespace {

TEST(QueryCells, DecimalsHaveAllDigitsOfTheirScale) {
    EXPECT_EQ(decimal_cell(0, 2).view(), "0.00");
    EXPECT_EQ(decimal_cell(5, 4).view(), "0.0005");
    EXPECT_EQ(decimal_cell(-123'456, 4).view(), "-12.3456");
    EXPECT_EQ(decimal_cell(37, 0).view(), "37");
    Int128 const large = static_cast<Int128>(1'000'000'000'000'000'000) * 1'000'000'000;
    EXPECT_EQ(decimal_cell(large, 6).view(), "1000000000000000000000.000000");
}

TEST(QueryCells, DatesAreThoseOfTheCalendar) {
    for (std::int32_t days = -800'000; days < 800'000; days += 37) {
        std::chrono::year_month_day const date{std::chrono::sys_days{std::chrono::days{days}}};
        ASSERT_EQ(days_of(static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                          static_cast<unsigned>(date.day())),
                  days);
        if (static_cast<int>(date.year()) < 0) continue; // no date of a table
        char expected[32];
        std::snprintf(expected, sizeof expected, "%04d-%02u-%02u", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
        ASSERT_EQ(date_cell(days).view(), expected);
    }
    EXPECT_EQ(date_cell(days_of(1998, 12, 1) - 90).view(), "1998-09-02");
}

TEST(QueryCells, WholeNumbersHaveAllDigits) {
    EXPECT_EQ(decimal_cell(int128_min, 18).view(), "-170141183460469231731.687303715884105728");
    EXPECT_EQ(decimal_cell(int128_max, 0).view(), "170141183460469231731687303715884105727");
}

TEST(QueryCells, RealNumbersAreReadable) {
    for (auto const& [value, text] : {
             std::pair{0.0, "0.0"},
             std::pair{-0.0, "-0.0"},
             std::pair{1.0, "1.0"},
             std::pair{-2.5, "-2.5"},
             std::pair{100.0, "100.0"},
             std::pair{1.0 / 3, "0.33333333333333331"},
             std::pair{0.1, "0.10000000000000001"},
             std::pair{25.522005853257337, "25.522005853257337"},
             std::pair{1e16, "10000000000000000.0"},
             std::pair{1e17, "1.0e17"},
             std::pair{1.5e300, "1.5000000000000001e300"},
             std::pair{0.00000125, "0.0000012500000000000001"},
             std::pair{5e-324, "4.9406564584124654e-324"},
             std::pair{1.7976931348623157e308, "1.7976931348623157e308"},
             std::pair{HUGE_VAL, "inf"},
             std::pair{-HUGE_VAL, "-inf"},
             std::pair{std::nan(""), "nan"},
         })
        EXPECT_EQ(real_cell(value).view(), text);
}

// The digits of the C library, and the same number when it is read again.
TEST(QueryCells, RealNumbersHaveSeventeenDigits) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200'000; ++i) {
        auto const value = std::bit_cast<double>(random());
        if (!std::isfinite(value)) continue;
        std::string const text(real_cell(value).view());
        ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
        char expected[64];
        std::snprintf(expected, sizeof expected, "%.16e", value);
        std::string digits;
        for (char const character : text.substr(0, text.find('e')))
            if (character >= '0' && character <= '9' && (!digits.empty() || character != '0')) digits += character;
        std::string of_library;
        for (char const character : std::string(expected).substr(0, std::string(expected).find('e')))
            if (character >= '0' && character <= '9') of_library += character;
        digits.resize(17, '0');
        ASSERT_EQ(digits, of_library) << text;
    }
}

} // namespace
} // namespace mxk::query

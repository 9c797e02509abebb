// Cells of answers as text: compared with what the standard library makes of the same values.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "query/tpch/cells.hpp"

namespace mxk::query::tpch {
namespace {

TEST(TpchCells, DecimalsHaveAllDigitsOfTheirScale) {
    EXPECT_EQ(decimal_cell(0, 2).view(), "0.00");
    EXPECT_EQ(decimal_cell(5, 4).view(), "0.0005");
    EXPECT_EQ(decimal_cell(-123'456, 4).view(), "-12.3456");
    EXPECT_EQ(decimal_cell(37, 0).view(), "37");
    Sum const large = static_cast<Sum>(1'000'000'000'000'000'000) * 1'000'000'000;
    EXPECT_EQ(decimal_cell(large, 6).view(), "1000000000000000000000.000000");
}

TEST(TpchCells, DatesAreThoseOfTheCalendar) {
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

TEST(TpchCells, AveragesHaveSeventeenDigits) {
    struct Case {
        Sum sum;
        unsigned scale;
        std::int64_t count;
        std::string_view text;
    };
    Sum const large = static_cast<Sum>(1'000'000'000'000'000'000) * 1'000'000'000;
    for (auto const& [sum, scale, count, text] : {
             Case{0, 2, 7, "0.0"},
             Case{0, 0, 0, "NULL"},
             Case{5, 0, 1, "5.0"},
             Case{-500, 2, 2, "-2.5"},
             Case{1, 0, 3, "0.33333333333333333"},
             Case{2, 0, 3, "0.66666666666666667"},
             Case{-2, 0, 3, "-0.66666666666666667"},
             Case{199'999'999'999'999'999, 0, 2, "100000000000000000.0"},
             Case{299'999'999'999'999'999, 17, 3, "1.0"},
             Case{1, 2, 1'000'000, "0.00000001"},
             Case{1, 2, 3'000'000, "0.0000000033333333333333333"},
             Case{1, 18, 4'000'000'000, "0.00000000000000000000000000025"},
             Case{-1, 18, INT64_MAX, "-0.00000000000000000000000000000000000010842021724855044"},
             Case{large, 0, 1, "1000000000000000000000000000.0"},
             Case{large, 18, 1, "1000000000.0"},
             Case{37'734'107'00, 2, 1'478'493, "25.522005853257337"},
         })
        EXPECT_EQ(average_cell(sum, scale, count).view(), text);
    Sum const lowest = static_cast<Sum>(static_cast<unsigned __int128>(1) << 127);
    EXPECT_EQ(average_cell(lowest, 0, 1).view(), "-170141183460469231731687303715884105728.0");
    EXPECT_EQ(decimal_cell(lowest, 18).view(), "-170141183460469231731.687303715884105728");
}

// No other number of 17 digits is nearer: half a unit of the last one, of a number that is 10^16 of them or more.
TEST(TpchCells, AveragesAreNearTheTruth) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200'000; ++i) {
        auto const sum = static_cast<std::int64_t>(random() >> random() % 60);
        auto const count = static_cast<std::int64_t>(random() >> (1 + random() % 62)) + 1;
        unsigned const scale = static_cast<unsigned>(random() % 19);
        long double const expected = static_cast<long double>(sum) / std::pow(10.0L, scale) / count;
        long double const got = std::strtold(std::string(average_cell(sum, scale, count).view()).c_str(), nullptr);
        ASSERT_LE(std::abs(got - expected), std::abs(expected) * 0.501e-16L) << sum << " " << scale << " " << count;
    }
}

} // namespace
} // namespace mxk::query::tpch

// Cells of answers as text: compared with what the standard library makes of the same values.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

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

TEST(TpchCells, DoublesAreReadBackAsTheSame) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200'000; ++i) {
        double const value = std::pow(10.0, std::uniform_real_distribution<double>(-5, 16.99)(random));
        ASSERT_EQ(std::strtod(std::string(double_cell(value).view()).c_str(), nullptr), value);
    }
    for (double const value : {0.0, 1.0, 0.1, 1e-5, 99'999.999'999'999'99, 9.999'999'999'999'999e16, 0.5, 25.5})
        EXPECT_EQ(std::strtod(std::string(double_cell(value).view()).c_str(), nullptr), value) << value;
}

TEST(TpchCells, AnAverageIsDividedTwice) {
    EXPECT_EQ(std::strtod(std::string(average_cell(37'734'107'00, 2, 1'478'493).view()).c_str(), nullptr),
              37'734'107'00.0 / 100.0 / 1'478'493.0);
}

} // namespace
} // namespace mxk::query::tpch

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "bench/frame/statistics.hpp"

namespace mxk::bench {
namespace {

Summary of(std::vector<double> values) {
    return summarise(values);
}

TEST(Statistics, nothing_and_one_value) {
    EXPECT_EQ(of({}).n, 0U);
    EXPECT_FALSE(of({}).has_confidence);
    Summary const one = of({42.5});
    EXPECT_EQ(one.n, 1U);
    EXPECT_EQ(one.median, 42.5);
    EXPECT_EQ(one.minimum, 42.5);
    EXPECT_EQ(one.maximum, 42.5);
    EXPECT_EQ(one.mean, 42.5);
    EXPECT_EQ(one.confidence_low, 42.5);
    EXPECT_EQ(one.confidence_high, 42.5);
    EXPECT_FALSE(one.has_confidence);
}

TEST(Statistics, median_of_odd_and_even_counts_in_any_order) {
    EXPECT_EQ(of({3, 1, 2}).median, 2);
    EXPECT_EQ(of({4, 1, 3, 2}).median, 2.5);
    EXPECT_EQ(of({4, 1, 3, 2}).minimum, 1);
    EXPECT_EQ(of({4, 1, 3, 2}).maximum, 4);
    EXPECT_EQ(of({1.5e308, 1.6e308}).median, 1.55e308); // no overflow on the way
}

TEST(Statistics, one_disturbed_run_of_ten_does_not_move_the_median) {
    std::vector<double> runs{100, 101, 99, 100, 102, 98, 100, 101, 99};
    for (double const disturbed : {1e-3, 1e9}) {
        runs.push_back(disturbed);
        EXPECT_EQ(of(runs).median, 100);
        runs.pop_back();
    }
}

TEST(Statistics, known_interval) {
    Summary const five = of({1, 2, 3, 4, 5}); // s = 1.5811, standard error 0.70711, t(4) = 2.776
    EXPECT_DOUBLE_EQ(five.mean, 3);
    EXPECT_NEAR(five.confidence_low, 3 - 2.776 * std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(five.confidence_high, 3 + 2.776 * std::sqrt(0.5), 1e-12);
    EXPECT_TRUE(five.has_confidence);
    EXPECT_NEAR(of({10, 12}).confidence_high, 11 + 12.706, 1e-12);
}

TEST(Statistics, equal_values_have_an_interval_without_width) {
    Summary const same = of({7, 7, 7, 7});
    EXPECT_EQ(same.confidence_low, 7);
    EXPECT_EQ(same.confidence_high, 7);
    EXPECT_TRUE(same.has_confidence);
}

TEST(Statistics, the_root_is_exact_enough_at_any_magnitude) {
    for (int exponent = -140; exponent <= 140; exponent += 7) {
        double const d = std::pow(10.0, exponent) * 1.7;
        Summary const pair = of({-d, d}); // s = d sqrt 2, standard error d
        EXPECT_NEAR(pair.confidence_high / d, 12.706, 1e-13 * 12.706) << exponent;
    }
}

TEST(Statistics, beyond_the_table_the_normal_distribution) {
    std::vector<double> values;
    for (int i = 0; i < 31; ++i) values.push_back(i);
    double const error = std::sqrt(31.0 * 32 / 12 / 31);
    EXPECT_NEAR(of(values).confidence_high, 15 + 2.042 * error, 1e-9);
    values.push_back(31);
    EXPECT_NEAR(of(values).confidence_high, 15.5 + 1.96 * std::sqrt(32.0 * 33 / 12 / 32), 1e-9);
}

double percentile_of(std::vector<double> values, unsigned percent) {
    return percentile(values, percent);
}

TEST(Statistics, percentiles_are_values_of_nearest_rank) {
    EXPECT_EQ(percentile_of({}, 50), 0);
    EXPECT_EQ(percentile_of({7}, 1), 7);
    EXPECT_EQ(percentile_of({7}, 100), 7);
    EXPECT_EQ(percentile_of({4, 1, 3, 2}, 50), 2); // the lower median
    EXPECT_EQ(percentile_of({4, 1, 3, 2}, 51), 3);
    EXPECT_EQ(percentile_of({4, 1, 3, 2}, 100), 4);
    EXPECT_EQ(percentile_of({5, 5, 5}, 99), 5);
}

TEST(Statistics, percentiles_of_one_to_a_thousand_in_any_order) {
    std::vector<double> values;
    for (int i = 1; i <= 1000; ++i) values.push_back(i);
    std::mt19937_64 random(7);
    for (unsigned percent = 1; percent <= 100; ++percent) {
        std::shuffle(values.begin(), values.end(), random);
        EXPECT_EQ(percentile_of(values, percent), percent * 10) << percent;
    }
    values.push_back(1e9); // one outlier of 1001 moves the 99th percentile by one rank up to
    EXPECT_EQ(percentile_of(values, 99), 991);
}

TEST(Statistics, the_interval_covers_the_mean_in_95_of_100_cases) {
    std::mt19937_64 random(4);
    std::normal_distribution<double> normal(100, 15);
    int covered = 0;
    for (int i = 0; i < 10000; ++i) {
        std::vector<double> values(5);
        for (double& value : values) value = normal(random);
        Summary const summary = summarise(values);
        covered += summary.confidence_low <= 100 && 100 <= summary.confidence_high ? 1 : 0;
    }
    EXPECT_NEAR(covered, 9500, 100);
}

} // namespace
} // namespace mxk::bench

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bench/workload/distribution.hpp"
#include "bench/workload/workload.hpp"
#include "tests/unit/parsed.hpp"

namespace mxk::bench {
namespace {

TEST(Elementary, are_those_of_the_library) {
    Random random(1);
    for (int i = 0; i < 1'000'000; ++i) {
        double const exponent = (random.fraction() - 0.5) * 1400;
        double const power = exponential(exponent);
        EXPECT_NEAR(power / std::exp(exponent), 1, 1e-15 * (1 + std::abs(exponent))) << exponent;
        EXPECT_NEAR(natural_logarithm(power), std::log(power), 1e-15 * (1 + std::abs(exponent))) << power;
        double const near_one = 1 + (random.fraction() - 0.5) * 1e-3;
        EXPECT_NEAR(natural_logarithm(near_one) / std::log(near_one), 1, 1e-14) << near_one;
    }
    EXPECT_EQ(natural_logarithm(1), 0);
    EXPECT_EQ(exponential(0), 1);
}

// The exact shares of ranks 1 to `count`.
std::vector<double> shares(std::size_t count, double theta) {
    std::vector<double> result;
    double sum = 0;
    for (std::size_t k = count; k > 0; --k) sum += std::pow(static_cast<double>(k), -theta); // small ones first
    for (std::size_t k = 1; k <= count; ++k) result.push_back(std::pow(static_cast<double>(k), -theta) / sum);
    return result;
}

// Within five standard deviations.
void expect_share(std::size_t drawn, std::size_t draws, double share, std::string const& of) {
    auto const n = static_cast<double>(draws);
    EXPECT_NEAR(static_cast<double>(drawn), n * share, 5 * std::sqrt(n * share * (1 - share)) + 1) << of;
}

class ZipfTest : public testing::TestWithParam<double> {};

TEST_P(ZipfTest, ranks_have_their_shares) {
    for (std::size_t const count : {1U, 2U, 3U, 10U, 1000U, 100'000U}) {
        std::size_t const draws = count == 1 ? 1000 : 1'000'000;
        Zipf const zipf(count, GetParam());
        Random random(count);
        std::vector<std::size_t> times(count + 1);
        for (std::size_t i = 0; i < draws; ++i) {
            std::uint64_t const rank = zipf(random);
            if (rank - 1 >= count) FAIL() << rank << " of " << count; // a check of each draw takes as long as the draw
            ++times[rank];
        }
        std::vector<double> const exact = shares(count, GetParam());
        std::string const of = std::to_string(count) + " ranks, ";
        for (std::size_t rank = 1; rank <= std::min<std::size_t>(count, 10); ++rank)
            expect_share(times[rank], draws, exact[rank - 1], of + "rank " + std::to_string(rank));
        expect_share(times[count], draws, exact[count - 1], of + "the last");
        std::size_t in_top = 0;
        double share = 0;
        for (std::size_t rank = 1; rank <= (count + 99) / 100; ++rank) {
            in_top += times[rank];
            share += exact[rank - 1];
        }
        expect_share(in_top, draws, share, of + "the top 1 %");
    }
}

INSTANTIATE_TEST_SUITE_P(Thetas, ZipfTest,
                         testing::Values(0.001, 0.5, 0.99, 0.999'999'999, 1.0, 1.000'001, 1.2, 3.0, 10.0));

TEST(Zipf, the_same_seed_draws_the_same) {
    Zipf const zipf(1'000'000, 0.99);
    Random one(5);
    Random other(5);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(zipf(one), zipf(other));
}

TEST(Zipf, of_as_many_ranks_as_there_can_be_operations) {
    constexpr std::uint64_t max_rank = 4'000'000'000;
    for (double const theta : {0.001, 0.99, 1.0, 10.0}) {
        Zipf const zipf(max_rank, theta);
        Random random(1);
        for (int i = 0; i < 10'000; ++i) {
            std::uint64_t const rank = zipf(random);
            EXPECT_TRUE(rank >= 1 && rank <= max_rank) << rank;
        }
    }
}

TEST(Distribution, reads_and_prints) {
    for (std::string const text : {"uniform", "zipf:0.99", "zipf:0.5", "zipf:1", "zipf:1.2", "zipf:10", "zipf:0.001",
                                   "latest", "hotset:0.2:0.8", "hotset:0.001:0.999"})
        EXPECT_EQ(mxk::test::parsed<Distribution>(text), text);
}

TEST(Distribution, says_what_it_expects) {
    for (std::string const text :
         {"",           "zipf",        "zipf:",        "zipf:0",       "zipf:0.0001",      "zipf:10.1",   "zipf:-1",
          "zipf:x",     "Uniform",     "uniform:1",    "zipf:0.99 ",   "latest:1",         "hotset",      "hotset:",
          "hotset:0.2", "hotset:0.2:", "hotset:0:0.8", "hotset:0.2:1", "hotset:0.2:0.8:1", "hotset:2:0.8"})
        EXPECT_EQ(mxk::test::parsed<Distribution>(text),
                  "expected uniform, latest, zipf:THETA with THETA from 0.001 to 10, such as zipf:0.99, or "
                  "hotset:KEYS:SHARE with two numbers between 0 and 1, such as hotset:0.2:0.8, got '" +
                      text + "'");
}

Workload workload(std::string_view mix, QueueKind queue, std::string_view distribution = "uniform") {
    Workload result;
    EXPECT_TRUE(parse_value(mix, result.mix));
    EXPECT_TRUE(parse_value(distribution, result.distribution));
    result.queue = queue;
    return result;
}

TEST(Workload, a_shared_queue_needs_results_that_depend_on_no_order) {
    EXPECT_TRUE(check(workload("insert,find,erase", QueueKind::Shared)));
    EXPECT_TRUE(check(workload("find", QueueKind::Shared, "zipf:0.99")));
    for (auto const* mix : {"insert", "insert,find", "find,erase", "mixed:50/40/10", "loaded:5/90/5"}) {
        EXPECT_FALSE(check(workload(mix, QueueKind::Shared, "zipf:0.99"))) << mix;
        EXPECT_TRUE(check(workload(mix, QueueKind::PerCore, "zipf:0.99"))) << mix;
        EXPECT_TRUE(check(workload(mix, QueueKind::NodeLocal, "zipf:0.99"))) << mix;
    }
    auto const refused = check(workload("mixed:50/40/10", QueueKind::Shared));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(),
              "--queue shared: expected phases whose results do not depend on which core takes which instruction (not "
              "mixed or loaded; with other keys than uniform only find), got --mix mixed:50/40/10 --dist uniform");
}

} // namespace
} // namespace mxk::bench

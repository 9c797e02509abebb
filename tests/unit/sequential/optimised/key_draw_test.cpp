// Which keys are drawn, by each distribution; and the options that name them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/workload/key_draw.hpp"
#include "bench/workload/workload.hpp"
#include "tests/unit/parsed.hpp"

namespace mxk::bench {
namespace {

constexpr std::uint64_t drawable = 1000;
constexpr std::uint64_t draws_in_all = 1'000'000;

std::vector<std::uint64_t> drawn_keys(Distribution const& distribution, std::uint64_t known = drawable) {
    KeyDraw const draw(distribution, drawable, 7);
    Random random(1);
    std::vector<std::uint64_t> counts(drawable);
    for (std::uint64_t i = 0; i < draws_in_all; ++i) ++counts.at(draw(random, known));
    return counts;
}

double share_drawn(std::uint64_t count) {
    return static_cast<double>(count) / draws_in_all;
}

TEST(KeyDraw, uniform_keys_are_all_drawn_as_often) {
    for (std::uint64_t const count : drawn_keys({}))
        EXPECT_NEAR(share_drawn(count), 1.0 / drawable, 0.0003); // nine deviations
}

// The newest key has rank 1.
TEST(KeyDraw, the_latest_are_drawn_by_zipfs_law) {
    auto const counts = drawn_keys(Distribution::latest());
    double sum = 0;
    for (std::uint64_t rank = 1; rank <= drawable; ++rank) sum += std::pow(static_cast<double>(rank), -0.99);
    for (std::uint64_t const rank : {1U, 2U, 10U, 100U, 1000U})
        EXPECT_NEAR(share_drawn(counts[drawable - rank]), std::pow(static_cast<double>(rank), -0.99) / sum, 0.003)
            << rank;
}

TEST(KeyDraw, a_hot_set_has_its_share) {
    auto counts = drawn_keys(Distribution::hot_set(0.2, 0.8));
    std::sort(counts.rbegin(), counts.rend());
    std::uint64_t hot = 0;
    for (std::size_t i = 0; i < drawable / 5; ++i) hot += counts[i];
    EXPECT_NEAR(share_drawn(hot), 0.8, 0.004);
    EXPECT_NEAR(share_drawn(counts.front()), 0.8 / 200, 0.001); // all of them alike
    EXPECT_NEAR(share_drawn(counts.back()), 0.2 / 800, 0.001);
}

TEST(KeyDraw, keys_that_are_not_there_yet_are_not_drawn) {
    for (Distribution const& distribution :
         {Distribution{}, Distribution::zipf(0.99), Distribution::latest(), Distribution::hot_set(0.1, 0.9)}) {
        constexpr std::uint64_t known = 960;
        auto const counts = drawn_keys(distribution, known);
        std::uint64_t sum = 0;
        for (std::uint64_t at = 0; at < known; ++at) sum += counts[at];
        EXPECT_EQ(sum, draws_in_all);
        if (distribution.kind == Distribution::Kind::Latest) {
            EXPECT_EQ(std::max_element(counts.begin(), counts.end()) - counts.begin(), known - 1);
        }
    }
}

TEST(KeyDraw, one_key_is_always_that_one) {
    for (Distribution const& distribution :
         {Distribution{}, Distribution::zipf(0.99), Distribution::latest(), Distribution::hot_set(0.1, 0.9)}) {
        KeyDraw const draw(distribution, 1, 7);
        Random random(1);
        for (int i = 0; i < 100; ++i) EXPECT_EQ(draw(random), 0U);
    }
}

TEST(Ycsb, reads_and_prints) {
    for (std::string const text : {"ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-f"})
        EXPECT_EQ(mxk::test::parsed<Ycsb>(text), text);
}

TEST(Ycsb, says_what_it_expects) {
    std::string const expected = "expected ycsb-a, ycsb-b, ycsb-c, ycsb-d or ycsb-f, got '";
    for (std::string const text : {"", "a", "ycsb", "ycsb-", "ycsb-g", "ycsb-aa", "YCSB-A"})
        EXPECT_EQ(mxk::test::parsed<Ycsb>(text), expected + text + "'");
    EXPECT_EQ(mxk::test::parsed<Ycsb>("ycsb-e"),
              expected + "ycsb-e', which scans ranges of keys: a hash table has no order to scan in");
}

TEST(Ycsb, a_workload_has_its_phases_and_its_distribution) {
    Workload workload;
    workload.ycsb = Ycsb{'a'};
    ASSERT_TRUE(complete_ycsb(workload));
    ASSERT_EQ(workload.mix.size(), 2U);
    EXPECT_EQ(workload.mix.list()[0].kind, Mix::Kind::Load);
    EXPECT_EQ(workload.mix.list()[1].kind, Mix::Kind::Run);
    EXPECT_EQ(workload.distribution.theta, 0.99);
    EXPECT_TRUE(check(workload));

    Workload latest;
    latest.ycsb = Ycsb{'d'};
    ASSERT_TRUE(complete_ycsb(latest));
    EXPECT_EQ(latest.distribution.kind, Distribution::Kind::Latest);

    Workload given;
    given.ycsb = Ycsb{'a'};
    ASSERT_TRUE(parse_value("uniform", given.distribution));
    ASSERT_TRUE(complete_ycsb(given));
    EXPECT_TRUE(given.distribution.is_uniform());
}

TEST(Ycsb, what_contradicts_a_workload_is_refused) {
    Workload mixed;
    mixed.ycsb = Ycsb{'a'};
    ASSERT_TRUE(parse_value("insert", mixed.mix));
    auto const refused = complete_ycsb(mixed);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(),
              "--workload: expected no --mix besides, since it has phases of its own, got --mix insert");
    Workload shared;
    shared.ycsb = Ycsb{'c'};
    shared.queue = QueueKind::Shared;
    ASSERT_TRUE(complete_ycsb(shared));
    EXPECT_FALSE(check(shared));
}

} // namespace
} // namespace mxk::bench

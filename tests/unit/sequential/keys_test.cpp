#include "bench/workload/keys.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <unordered_set>

#include "bench/workload/workload.hpp"
#include "tests/unit/parsed.hpp"

namespace mxk::bench {
namespace {

TEST(Keys, reads_and_prints) {
    for (std::string const text : {"random", "sequential", "strided:2", "strided:64Ki", "strided:18446744073709551614",
                                   "file:/tmp/keys", "file:x", "random:8", "random:31", "random:62"})
        EXPECT_EQ(mxk::test::parsed<Keys>(text), text);
    EXPECT_EQ(mxk::test::parsed<Keys>("strided:1"), "sequential");
    EXPECT_EQ(mxk::test::parsed<Keys>("strided:65536"), "strided:64Ki");
}

TEST(Keys, says_what_it_expects) {
    for (std::string const text : {"", "randomly", "sequential:2", "strided", "strided:", "strided:0", "strided:-1",
                                   "strided:x", "strided:18446744073709551615", "strided:1.5", "random:", "random:7",
                                   "random:63", "random:x", "file", "file:", "File:x"})
        EXPECT_EQ(mxk::test::parsed<Keys>(text),
                  "expected random, random:BITS (keys of 8 to 62 bits, which may come again), sequential, strided:N "
                  "with a count N of no less than 1, such as strided:64, "
                  "or file:PATH, got '" +
                      text + "'");
    EXPECT_EQ(mxk::test::parsed<Keys>("file:" + std::string(240, 'x')), "file:" + std::string(240, 'x'));
    EXPECT_EQ(mxk::test::parsed<Keys>("file:" + std::string(241, 'x')),
              "expected a path of up to 240 characters, got 241");
}

Workload workload(std::string_view keys, std::uint64_t operations) {
    Workload result;
    EXPECT_TRUE(parse_value(keys, result.keys));
    result.operations = operations;
    return result;
}

TEST(Keys, of_every_kind_are_distinct_and_never_zero) {
    constexpr std::uint64_t count = 100'000;
    for (auto const* const text : {"random", "sequential", "strided:2", "strided:3", "strided:4096", "strided:65536",
                                   "strided:70368744177664", "strided:184467440737095"}) {
        Workload const work = workload(text, count);
        ASSERT_TRUE(check(work)) << text;
        KeySequence const keys(work.keys, work.seed);
        std::unordered_set<std::uint64_t> seen;
        for (std::uint64_t i = 0; i < count; ++i) {
            EXPECT_NE(keys(i), 0U) << text;
            EXPECT_LE(keys(i), Keys::max) << text;
            EXPECT_TRUE(seen.insert(keys(i)).second) << text;
        }
    }
}

TEST(Keys, strides_begin_with_themselves) {
    KeySequence const sequential(workload("sequential", 10).keys, 7);
    KeySequence const strided(workload("strided:64", 10).keys, 7);
    for (std::uint64_t i = 0; i < 10; ++i) {
        EXPECT_EQ(sequential(i), i + 1);
        EXPECT_EQ(strided(i), 64 * (i + 1));
    }
}

TEST(Keys, random_ones_are_those_of_the_seed) {
    KeySequence const keys(Keys{}, 3);
    KeySequence const expected(3);
    for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(keys(i), expected(i));
}

TEST(Keys, strides_that_overflow_are_refused) {
    EXPECT_TRUE(check(workload("strided:18446744073709551614", 1)));
    EXPECT_TRUE(check(workload("strided:9223372036854775807", 2)));
    auto const refused = check(workload("strided:9223372036854775808", 2));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(),
              "--keys strided:N: expected N of up to 9223372036854775807, so that 2 keys fit "
              "in 64 bits, got 9223372036854775808");
    EXPECT_TRUE(check(workload("sequential", Workload::max_operations)));
}

// By other keys: all different, and each where key mod n belongs, in a table of n places that mixes bits.
TEST(ModuloKeys, are_different_and_placed_by_the_remainder) {
    for (std::uint64_t const places : {1UL, 2UL, 3UL, 1000UL, 65536UL, (1UL << 40) + 7, 1UL << 63, Keys::max}) {
        ModuloKeys const others(places);
        std::set<std::uint64_t> seen;
        for (std::uint64_t i = 1; i <= 3000; ++i) {
            for (std::uint64_t const key : {i, i * 4096, Keys::max - i}) {
                std::uint64_t const other = others(key);
                EXPECT_TRUE(other != 0 && other <= Keys::max);
                seen.insert(other);
                std::uint64_t const share = ~std::uint64_t{0} / places;
                if (key / places < share) {
                    EXPECT_EQ(MixedHash()(other) / share, key % places) << key << ' ' << places;
                }
            }
        }
        EXPECT_EQ(seen.size(), 3 * 3000 - 3000 / 4096);
    }
}

} // namespace
} // namespace mxk::bench

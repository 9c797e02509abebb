#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "tests/unit/bucketed_model.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using Pairs = StandaloneBucketed::Pairs;

class BucketedTest : public MemoryTest {
  protected:
    // Key `number` of bucket 3, where nearly all tests work.
    static std::uint64_t key(std::uint64_t number) { return StandaloneBucketed::key_in(3, number); }

    // Keys 1 to `count` of bucket 3, each with its number.
    static void fill(StandaloneBucketed& t, std::uint64_t count) {
        for (std::uint64_t i = 1; i <= count; ++i) ASSERT_EQ(t.table.insert(key(i), i), Insert::Inserted);
    }

    void SetUp() override { configure({64 * MiB}); }
};

TEST_F(BucketedTest, an_empty_table_has_nothing) {
    StandaloneBucketed t;
    EXPECT_EQ(t.table.size(), 0U);
    EXPECT_EQ(t.table.bucket_count(), 65536U);
    for (std::uint64_t const key : {0U, 1U, 14U}) {
        EXPECT_EQ(t.table.find(key), nullptr);
        EXPECT_FALSE(t.table.erase(key));
        t.table.prefetch(key);
        t.table.prefetch_behind(key, t.table.position(key));
    }
    EXPECT_TRUE(t.pairs().empty());
    EXPECT_EQ(used_bytes(), 0U); // no supply before it is needed
}

TEST_F(BucketedTest, a_key_is_inserted_once_and_keeps_its_value) {
    StandaloneBucketed t;
    for (std::uint64_t i = 1; i <= 20; ++i) {
        EXPECT_EQ(t.table.insert(key(i), i * 10), Insert::Inserted);
        for (std::uint64_t old = 1; old <= i; ++old) EXPECT_EQ(t.table.insert(key(old), 7), Insert::Present);
        EXPECT_EQ(t.table.size(), i);
        EXPECT_EQ(t.table.lines_behind(), (i - 1) / 4);
    }
    for (std::uint64_t i = 1; i <= 20; ++i) {
        t.table.prefetch_behind(key(i), t.table.position(key(i)));
        ASSERT_NE(t.table.find(key(i)), nullptr);
        EXPECT_EQ(*t.table.find(key(i)), i * 10);
    }
    EXPECT_EQ(t.table.find(key(21)), nullptr);
    EXPECT_EQ(t.table.find(StandaloneBucketed::key_in(2, 5)), nullptr); // the same remainder, but another bucket
}

TEST_F(BucketedTest, values_are_the_owners_to_change) {
    StandaloneBucketed t;
    fill(t, 6);
    Pairs expected;
    for (std::uint64_t i = 1; i <= 6; ++i) {
        *t.table.find(key(i)) += 100;
        expected[key(i)] = i + 100;
    }
    EXPECT_EQ(t.pairs(), expected);
    Bucketed const& read_only = t.table;
    static_assert(std::is_same_v<decltype(read_only.find(5)), std::uint64_t const*>);
    EXPECT_EQ(*read_only.find(key(5)), 105U);
}

// All bits of the remainder count, and the bits that are not stored are the bucket's.
TEST_F(BucketedTest, keys_that_differ_in_one_bit_are_different_keys) {
    StandaloneBucketed t;
    Pairs expected;
    for (int bit = 0; bit < 48; ++bit) expected[StandaloneBucketed::key_in(9, std::uint64_t{1} << bit)] = 1;
    for (std::uint64_t bucket = 1; bucket <= 32768; bucket *= 2) expected[StandaloneBucketed::key_in(bucket, 0)] = 2;
    expected[StandaloneBucketed::key_in(0, 1)] = 3;
    expected[StandaloneBucketed::key_in(65535, Bucketed::Placement::remainder_mask)] = 4;
    expected[UINT64_MAX] = 5;
    for (auto const& [key, value] : expected) {
        EXPECT_EQ(t.table.find(key), nullptr);
        EXPECT_EQ(t.table.insert(key, value), Insert::Inserted);
    }
    EXPECT_EQ(t.pairs(), expected);
}

TEST_F(BucketedTest, key_zero_is_refused_and_never_found) {
    StandaloneBucketed t;
    EXPECT_DEATH(t.table.insert(0, 1), "no key 0");
    // In the bucket where 0 would be, with places that hold zeroes.
    for (std::uint64_t i = 1; i <= 6; ++i)
        ASSERT_EQ(t.table.insert(StandaloneBucketed::key_in(0, i), 1), Insert::Inserted);
    EXPECT_EQ(t.table.find(0), nullptr);
    EXPECT_FALSE(t.table.erase(0));
}

TEST_F(BucketedTest, too_few_buckets_are_refused) {
    EXPECT_DEATH(MultiplicativePlacement(65535), "one of 65536 or more buckets");
    EXPECT_DEATH(MultiplicativePlacement(21845, 3), "one of 65536 or more buckets");
    MultiplicativePlacement const enough(21846, 3);
    EXPECT_LT(enough(1), 21846U);
}

// Every key of a bucket with `count` keys erased, and inserted again.
TEST_F(BucketedTest, erases_any_key_of_any_line) {
    StandaloneBucketed t;
    for (std::uint64_t count = 1; count <= 14; ++count) {
        for (std::uint64_t victim = 1; victim <= count; ++victim) {
            fill(t, count);
            Pairs expected = t.pairs();
            ASSERT_EQ(expected.size(), count);
            EXPECT_TRUE(t.table.erase(key(victim)));
            EXPECT_FALSE(t.table.erase(key(victim)));
            EXPECT_EQ(t.table.find(key(victim)), nullptr);
            expected.erase(key(victim));
            EXPECT_EQ(t.pairs(), expected);
            EXPECT_EQ(t.table.insert(key(victim), 5), Insert::Inserted);
            expected[key(victim)] = 5;
            EXPECT_EQ(t.pairs(), expected);
            for (std::uint64_t i = 1; i <= count; ++i) ASSERT_TRUE(t.table.erase(key(i)));
        }
    }
}

// There is room in the first line, but the key stands behind it.
TEST_F(BucketedTest, a_hole_before_a_key_does_not_let_it_in_again) {
    StandaloneBucketed t;
    fill(t, 10);
    for (std::uint64_t hole = 1; hole <= 4; ++hole) { // at last the first line is empty
        ASSERT_TRUE(t.table.erase(key(hole)));
        for (std::uint64_t i = 5; i <= 10; ++i) EXPECT_EQ(t.table.insert(key(i), 0), Insert::Present);
    }
    EXPECT_EQ(t.table.size(), 6U);
    EXPECT_EQ(t.table.lines_behind(), 2U);
    for (std::uint64_t i = 11; i <= 14; ++i) EXPECT_EQ(t.table.insert(key(i), i), Insert::Inserted);
    EXPECT_EQ(t.table.lines_behind(), 2U); // they went into the holes
    for (std::uint64_t i = 5; i <= 14; ++i) EXPECT_EQ(*t.table.find(key(i)), i);
}

TEST_F(BucketedTest, chains_shrink_and_grow_again_from_the_same_lines) {
    StandaloneBucketed t;
    std::vector<std::uint64_t> keys;
    for (std::uint64_t i = 1; i <= 5000; ++i) keys.push_back(StandaloneBucketed::key_in(i % 5, i));
    std::size_t used = 0;
    for (int round = 0; round < 4; ++round) {
        for (std::uint64_t const key : keys) ASSERT_EQ(t.table.insert(key, ~key), Insert::Inserted);
        if (round == 0) used = used_bytes();
        EXPECT_EQ(used_bytes(), used);
        EXPECT_EQ(t.table.lines_behind(), 5U * 249);
        EXPECT_EQ(t.pairs().size(), 5000U);
        for (std::uint64_t const key : keys) ASSERT_TRUE(t.table.erase(key));
        EXPECT_EQ(t.table.lines_behind(), 0U);
        EXPECT_TRUE(t.pairs().empty());
        for (PairLine const& line : t.lines)
            ASSERT_EQ(line.link() & 0x00ff'ffff'ffff'ffff, 0U); // nothing may be behind any more
        std::reverse(keys.begin(), keys.end());
    }
}

// What stands behind a line must be found however many keys were behind it before.
TEST_F(BucketedTest, the_filter_forgets_no_key) {
    StandaloneBucketed t;
    for (std::uint64_t count = 5; count <= 40; ++count) {
        fill(t, count);
        for (std::uint64_t i = 1; i <= count; i += 2) ASSERT_TRUE(t.table.erase(key(i)));
        for (std::uint64_t i = 1; i <= count; ++i) ASSERT_EQ(t.table.find(key(i)) != nullptr, i % 2 == 0);
        for (std::uint64_t i = 2; i <= count; i += 2) ASSERT_TRUE(t.table.erase(key(i)));
    }
}

// A million operations on `key_range` keys of `used_buckets` buckets against the standard's map. The table fills and
// empties in turn, so that chains have all lengths.
void compare_with_standard_map(std::uint64_t used_buckets, std::uint64_t key_range, std::uint64_t seed) {
    StandaloneBucketed t;
    std::unordered_map<std::uint64_t, std::uint64_t> expected;
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < 1000000; ++i) {
        std::uint64_t const number = random() % key_range;
        std::uint64_t const key = StandaloneBucketed::key_in(number % used_buckets, 1 + number);
        auto const known = expected.find(key);
        bool const there = known != expected.end();
        bool const filling = i / 250000 % 2 == 0;
        std::uint64_t const choice = random() % 16;
        if (choice < (filling ? 6U : 1U)) {
            ASSERT_EQ(t.table.insert(key, i), there ? Insert::Present : Insert::Inserted);
            expected.try_emplace(key, i);
        } else if (choice < (filling ? 8U : 2U)) {
            ASSERT_EQ(t.table.upsert(key, i), there ? Insert::Present : Insert::Inserted);
            expected[key] = i;
        } else if (choice < 10) {
            ASSERT_EQ(t.table.erase(key), there);
            expected.erase(key);
        } else if (choice < 12) {
            ASSERT_EQ(t.table.update(key, i), there);
            if (there) known->second = i;
        } else if (choice < 13) {
            ASSERT_EQ(t.table.modify(key, [](std::uint64_t before) { return ~before; }),
                      there ? std::optional(known->second) : std::nullopt);
            if (there) known->second = ~known->second;
        } else {
            std::uint64_t const* const value = t.table.find(key);
            ASSERT_EQ(value != nullptr, there);
            ASSERT_TRUE(!there || *value == known->second);
        }
        ASSERT_EQ(t.table.size(), expected.size());
        if (i % 125000 == 0) {
            ASSERT_EQ(t.pairs(), Pairs(expected.begin(), expected.end()));
        }
    }
    EXPECT_EQ(t.pairs(), Pairs(expected.begin(), expected.end()));
}

TEST_F(BucketedTest, random_operations_in_one_bucket) {
    compare_with_standard_map(1, 30, 1);
}
TEST_F(BucketedTest, random_operations_in_long_chains) {
    compare_with_standard_map(7, 350, 2);
}
TEST_F(BucketedTest, random_operations_with_ten_keys_per_bucket) {
    compare_with_standard_map(997, 15000, 3);
}
TEST_F(BucketedTest, random_operations_with_four_keys_per_bucket) {
    compare_with_standard_map(1024, 6000, 4);
}
TEST_F(BucketedTest, random_operations_with_two_keys_per_bucket) {
    compare_with_standard_map(10007, 30000, 5);
}
TEST_F(BucketedTest, random_operations_with_a_tenth_of_a_key_per_bucket) {
    compare_with_standard_map(65536, 10000, 6);
}

} // namespace
} // namespace mxk::test

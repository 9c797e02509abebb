#include <gtest/gtest.h>

#include <random>
#include <type_traits>
#include <unordered_map>

#include "tests/unit/bucketed_model.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using Pairs = StandaloneBucketed::Pairs;

class BucketedTest : public MemoryTest {
  protected:
    void SetUp() override { configure({256 * MiB}); }
};

TEST_F(BucketedTest, an_empty_table_has_nothing) {
    StandaloneBucketed t(7);
    EXPECT_EQ(t.table.size(), 0U);
    EXPECT_EQ(t.table.bucket_count(), 7U);
    for (std::uint64_t const key : {0U, 1U, 14U}) {
        EXPECT_EQ(t.table.find(key), nullptr);
        EXPECT_FALSE(t.table.erase(key));
        t.table.prefetch(key);
        t.table.prefetch_behind(key);
    }
    EXPECT_TRUE(t.pairs().empty());
    EXPECT_EQ(used_bytes(), 0U); // no supply before it is needed
}

TEST_F(BucketedTest, a_key_is_inserted_once_and_keeps_its_value) {
    StandaloneBucketed t(1);
    for (std::uint64_t key = 1; key <= 20; ++key) {
        EXPECT_EQ(t.table.insert(key, key * 10), Insert::Inserted);
        for (std::uint64_t old = 1; old <= key; ++old) EXPECT_EQ(t.table.insert(old, 7), Insert::Present);
    }
    EXPECT_EQ(t.table.size(), 20U);
    EXPECT_EQ(t.table.lines_behind(), 6U); // 3 + 5 * 3 + 2
    for (std::uint64_t key = 1; key <= 20; ++key) {
        ASSERT_NE(t.table.find(key), nullptr);
        EXPECT_EQ(*t.table.find(key), key * 10);
    }
    EXPECT_EQ(t.table.find(21), nullptr);
    EXPECT_EQ(t.table.find(0), nullptr);
    EXPECT_FALSE(t.table.erase(0));
}

TEST_F(BucketedTest, values_are_the_owners_to_change) {
    StandaloneBucketed t(1);
    for (std::uint64_t key = 1; key <= 5; ++key) ASSERT_EQ(t.table.insert(key, key), Insert::Inserted);
    for (std::uint64_t key = 1; key <= 5; ++key) *t.table.find(key) += 100;
    EXPECT_EQ(t.pairs(), (Pairs{{1, 101}, {2, 102}, {3, 103}, {4, 104}, {5, 105}}));
    Bucketed const& read_only = t.table;
    static_assert(std::is_same_v<decltype(read_only.find(5)), std::uint64_t const*>);
    EXPECT_EQ(*read_only.find(5), 105U);
}

TEST_F(BucketedTest, the_largest_keys_are_keys) {
    StandaloneBucketed t(3);
    EXPECT_EQ(t.table.insert(UINT64_MAX, UINT64_MAX), Insert::Inserted);
    EXPECT_EQ(t.table.insert(UINT64_MAX - 1, 0), Insert::Inserted);
    EXPECT_EQ(t.pairs(), (Pairs{{UINT64_MAX, UINT64_MAX}, {UINT64_MAX - 1, 0}}));
}

TEST_F(BucketedTest, key_zero_is_refused) {
    StandaloneBucketed t(2);
    EXPECT_DEATH(t.table.insert(0, 1), "key 0");
}

// Every key of a bucket with `count` keys erased, and inserted again.
TEST_F(BucketedTest, erases_any_key_of_any_line) {
    for (std::uint64_t count = 1; count <= 11; ++count) {
        for (std::uint64_t victim = 1; victim <= count; ++victim) {
            StandaloneBucketed t(1);
            Pairs expected;
            for (std::uint64_t key = 1; key <= count; ++key) {
                ASSERT_EQ(t.table.insert(key, ~key), Insert::Inserted);
                expected[key] = ~key;
            }
            EXPECT_TRUE(t.table.erase(victim));
            EXPECT_FALSE(t.table.erase(victim));
            EXPECT_EQ(t.table.find(victim), nullptr);
            expected.erase(victim);
            EXPECT_EQ(t.pairs(), expected);
            EXPECT_EQ(t.table.insert(victim, 5), Insert::Inserted);
            expected[victim] = 5;
            EXPECT_EQ(t.pairs(), expected);
        }
    }
}

// There is room in the first line, but the key stands behind it.
TEST_F(BucketedTest, a_hole_before_a_key_does_not_let_it_in_again) {
    StandaloneBucketed t(1);
    for (std::uint64_t key = 1; key <= 8; ++key) ASSERT_EQ(t.table.insert(key, key), Insert::Inserted);
    for (std::uint64_t hole = 1; hole <= 3; ++hole) { // at last the first line is empty
        ASSERT_TRUE(t.table.erase(hole));
        for (std::uint64_t key = 4; key <= 8; ++key) EXPECT_EQ(t.table.insert(key, 0), Insert::Present);
    }
    EXPECT_EQ(t.pairs(), (Pairs{{4, 4}, {5, 5}, {6, 6}, {7, 7}, {8, 8}}));
    EXPECT_EQ(t.table.insert(9, 9), Insert::Inserted); // into the hole
    EXPECT_EQ(t.table.lines_behind(), 2U);
    EXPECT_NE(t.lines[0].keys[0], 0U);
}

TEST_F(BucketedTest, chains_shrink_and_grow_again_from_the_same_lines) {
    StandaloneBucketed t(5);
    std::size_t used = 0;
    for (int round = 0; round < 4; ++round) {
        for (std::uint64_t key = 1; key <= 5000; ++key) ASSERT_EQ(t.table.insert(key, key), Insert::Inserted);
        if (round == 0) used = used_bytes();
        EXPECT_EQ(used_bytes(), used);
        EXPECT_EQ(t.pairs().size(), 5000U);
        for (std::uint64_t key = 5000; key >= 1; --key) ASSERT_TRUE(t.table.erase(round % 2 != 0 ? key : 5001 - key));
        EXPECT_EQ(t.table.lines_behind(), 0U);
        EXPECT_TRUE(t.pairs().empty());
    }
    for (PairLine const& line : t.lines) EXPECT_EQ(line.filter, 0U); // nothing may be behind any more
}

// A million operations against the standard's map. The table fills and empties in turn, so that chains have all
// lengths.
void compare_with_standard_map(std::size_t buckets, std::uint64_t key_range, std::uint64_t seed) {
    StandaloneBucketed t(buckets);
    std::unordered_map<std::uint64_t, std::uint64_t> expected;
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < 1000000; ++i) {
        std::uint64_t const key = 1 + random() % key_range;
        auto const known = expected.find(key);
        bool const there = known != expected.end();
        bool const filling = i / 250000 % 2 == 0;
        std::uint64_t const choice = random() % 16;
        if (choice < (filling ? 8U : 2U)) {
            ASSERT_EQ(t.table.insert(key, i), there ? Insert::Present : Insert::Inserted);
            expected.try_emplace(key, i);
        } else if (choice < 10) {
            ASSERT_EQ(t.table.erase(key), there);
            expected.erase(key);
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
    compare_with_standard_map(7, 200, 2);
}
TEST_F(BucketedTest, random_operations_with_ten_keys_per_bucket) {
    compare_with_standard_map(997, 15000, 3);
}
TEST_F(BucketedTest, random_operations_with_three_keys_per_bucket) {
    compare_with_standard_map(1024, 4000, 4);
}
TEST_F(BucketedTest, random_operations_with_one_key_per_bucket) {
    compare_with_standard_map(65536, 80000, 5);
}
TEST_F(BucketedTest, random_operations_with_a_tenth_of_a_key_per_bucket) {
    compare_with_standard_map(20011, 2500, 6);
}

} // namespace
} // namespace mxk::test

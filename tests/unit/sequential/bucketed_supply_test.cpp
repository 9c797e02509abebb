// Where the lines behind the buckets come from: made in advance, more on demand, and none when memory ends.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "tests/unit/bucketed_model.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using Pairs = StandaloneBucketed::Pairs;

class BucketedSupplyTest : public MemoryTest {};

TEST_F(BucketedSupplyTest, lines_are_distinct_aligned_and_come_again) {
    configure({8 * MiB});
    {
        LineSupply supply(node_id(0));
        std::set<PairLine*> lines;
        for (int i = 0; i < 20000; ++i) {
            PairLine* const line = supply.take();
            ASSERT_NE(line, nullptr);
            ASSERT_TRUE(is_aligned(reinterpret_cast<std::uintptr_t>(line), cache_line_bytes));
            *line = PairLine{}; // all of it is the taker's
            line->set_link(static_cast<std::uint64_t>(i));
            ASSERT_TRUE(lines.insert(line).second);
        }
        EXPECT_EQ(supply.in_use(), 20000U);
        std::size_t const used = used_bytes();
        EXPECT_LT(used, 20000 * sizeof(PairLine) * 5 / 4);
        for (PairLine* const line : lines) supply.give_back(*line);
        EXPECT_EQ(supply.in_use(), 0U);
        for (int i = 0; i < 20000; ++i) ASSERT_EQ(lines.erase(supply.take()), 1U);
        EXPECT_EQ(used_bytes(), used);
    }
    EXPECT_EQ(used_bytes(), 0U);
}

TEST_F(BucketedSupplyTest, what_is_reserved_is_touched_and_needs_no_more_memory) {
    configure({8 * MiB});
    LineSupply supply(node_id(0));
    ASSERT_NE(supply.take(), nullptr); // some that were made before are left, and stay in the supply
    std::size_t const left = supply.made() - 1;
    ASSERT_GT(left, 0U);
    ASSERT_TRUE(supply.reserve(10000));
    EXPECT_GE(supply.made(), 1 + left + 10000);
    std::size_t const used = used_bytes();
    std::size_t const resident = host[0]->resident_pages();
    EXPECT_GE(resident * 4 * KiB, 10000 * sizeof(PairLine));
    std::set<PairLine*> lines;
    for (std::size_t i = 0; i < left + 10000; ++i) ASSERT_TRUE(lines.insert(supply.take()).second);
    EXPECT_EQ(lines.count(nullptr), 0U);
    EXPECT_EQ(used_bytes(), used);
    EXPECT_EQ(host[0]->resident_pages(), resident);
    EXPECT_FALSE(supply.reserve(SIZE_MAX / 8).ok());
    EXPECT_FALSE(supply.reserve(1 * GiB).ok());
}

// Random keys, two per bucket, and four: no more memory is needed than was made in advance, and not much was too much.
TEST_F(BucketedSupplyTest, a_table_reserves_what_random_keys_need) {
    configure({128 * MiB});
    for (std::size_t const load : {1U, 2U, 4U, 12U}) {
        StandaloneBucketed t;
        std::size_t const count = load * StandaloneBucketed::buckets;
        ASSERT_TRUE(t.table.reserve(count));
        std::size_t const used = used_bytes();
        std::mt19937_64 random(load);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(t.table.insert(random(), i), Insert::Inserted);
        EXPECT_EQ(used_bytes(), used);
        EXPECT_GE(t.table.lines_behind() * sizeof(PairLine) + 16 * KiB, used * 9 / 10);
        ASSERT_TRUE(t.table.reserve(count)); // is there already
        EXPECT_EQ(used_bytes(), used);
    }
    StandaloneBucketed t;
    EXPECT_FALSE(t.table.reserve(std::size_t{1} << 40).ok());
    ASSERT_TRUE(t.table.reserve(65 * StandaloneBucketed::buckets)); // more than a distribution is worth computing for
}

// With all memory in use, inserts that need none still work, others say so and change nothing, and what erase gives
// back can be used.
TEST_F(BucketedSupplyTest, goes_on_when_memory_ends) {
    constexpr std::size_t memory_bytes = 268 * KiB; // no multiple of a chunk: the last ones must be smaller
    configure({memory_bytes});
    StandaloneBucketed t;
    Pairs expected;
    auto const key = [](std::uint64_t number) { return StandaloneBucketed::key_in(number % 3, 1 + number); };
    std::uint64_t number = 0;
    for (;; ++number) {
        Insert const result = t.table.insert(key(number), number);
        if (result == Insert::Full) break;
        ASSERT_EQ(result, Insert::Inserted);
        expected[key(number)] = number;
        ASSERT_LT(number, 20000U);
    }
    EXPECT_EQ(used_bytes(), memory_bytes); // to the last frame
    EXPECT_GE(t.table.lines_behind() * sizeof(PairLine), memory_bytes * 9 / 10);
    EXPECT_EQ(t.pairs(), expected);
    EXPECT_EQ(t.table.insert(key(number), 1), Insert::Full);
    EXPECT_EQ(t.table.insert(key(0), 1), Insert::Present);
    EXPECT_EQ(t.table.insert(StandaloneBucketed::key_in(9, 1), 5), Insert::Inserted);
    ASSERT_TRUE(t.table.erase(StandaloneBucketed::key_in(9, 1)));
    EXPECT_EQ(t.pairs(), expected);

    // Bucket 0 gives all its lines back, bucket 1 takes them.
    for (std::uint64_t i = 0; i < number; i += 3) {
        ASSERT_TRUE(t.table.erase(key(i)));
        expected.erase(key(i));
    }
    for (std::uint64_t i = 0; i < number; i += 3) {
        std::uint64_t const other = StandaloneBucketed::key_in(1, 1000000 + i);
        if (t.table.insert(other, i) == Insert::Full) {
            EXPECT_GT(i, number - 30); // all but a few that stood in the bucket itself
            break;
        }
        expected[other] = i;
    }
    EXPECT_EQ(t.pairs(), expected);
}

} // namespace
} // namespace mxk::test

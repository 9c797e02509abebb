#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hashtable/layout/chained.hpp"
#include "tests/unit/partitioned_fixture.hpp"

namespace mxk::test {
namespace {

using PartitionedTest = PartitionedFixture<Chained<RegionModulo>>;

TEST_F(PartitionedTest, regions_are_equal_contiguous_and_complete) {
    configure({8 * MiB});
    for (std::size_t regions = 1; regions <= 17; ++regions) {
        for (std::size_t const buckets : {std::size_t{17}, std::size_t{18}, std::size_t{1009}, std::size_t{1024}}) {
            Table const table = create(buckets, regions);
            EXPECT_EQ(table.bucket_count(), buckets);
            EXPECT_EQ(table.region_count(), regions);
            std::size_t sum = 0;
            for (std::size_t i = 0; i < regions; ++i) {
                std::size_t const size = table.region(i).bucket_count();
                EXPECT_TRUE(size == buckets / regions || size == (buckets + regions - 1) / regions);
                EXPECT_EQ(table.core(i), core_id(100 + i));
                // The keys 1 to n run through all buckets once; the last of them is bucket 0.
                for (std::size_t bucket = sum; bucket < sum + size; ++bucket) {
                    ASSERT_EQ(table.owner(bucket), i);
                    ASSERT_EQ(table.owner(bucket + buckets * 1000003), i);
                }
                sum += size;
            }
            EXPECT_EQ(sum, buckets);
        }
    }
    EXPECT_EQ(used_bytes(), 0U);
}

TEST_F(PartitionedTest, each_region_lies_on_its_owners_node_and_lines) {
    configure({4 * MiB, 4 * MiB});
    Table table = create(1000, 4);
    EXPECT_EQ(memory::use(node_id(0)).used, 3 * 4 * KiB); // two regions' buckets, and the list of regions
    EXPECT_EQ(memory::use(node_id(1)).used, 2 * 4 * KiB);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_TRUE(is_aligned(reinterpret_cast<std::uintptr_t>(&table.region(i)), cache_line_bytes));
    }
}

TEST_F(PartitionedTest, refuses_what_cannot_be_cut) {
    configure({1 * MiB});
    EXPECT_EQ(Table::create(3, owners(4, 1)).error().message(), "3 buckets cannot be cut into 4 regions");
    EXPECT_EQ(Table::create(3, {}).error().message(), "3 buckets cannot be cut into 0 regions");
    EXPECT_FALSE(Table::create(0, owners(1, 1)).ok());
    EXPECT_FALSE(Table::create(SIZE_MAX, owners(2, 1)).ok());
    EXPECT_FALSE(Table::create(SIZE_MAX / 2, owners(2, 1)).ok());
}

TEST_F(PartitionedTest, gives_everything_back_when_memory_ends_half_way) {
    configure({1 * MiB, 1 * MiB});
    // 400 KB for each of 8 regions: two fit on each node, the second pair of node 0 spills, and node 1's first has no
    // room.
    auto const table = Table::create(400000, owners(8, 2));
    ASSERT_FALSE(table.ok());
    EXPECT_TRUE(table.error().message().starts_with("out of memory: 390.6 KiB wanted on node 1;"))
        << table.error().message();
    EXPECT_EQ(used_bytes(), 0U);
}

TEST_F(PartitionedTest, moves_with_its_contents) {
    configure({1 * MiB});
    ChainNode node{5, nullptr};
    Table first = create(10, 3);
    first.region(first.owner(5)).insert(node);
    Table second = std::move(first);
    EXPECT_TRUE(second.region(second.owner(5)).find(5));
    second = create(20, 2);
    EXPECT_EQ(second.region_count(), 2U);
    EXPECT_EQ(second.size(), 0U);
    EXPECT_EQ(used_bytes(), 3 * 4 * KiB); // the first table is gone
}

TEST_F(PartitionedTest, random_operations_match_the_standard_set) {
    configure({8 * MiB, 8 * MiB});
    for (std::size_t regions = 1; regions <= 17; ++regions) {
        Table table = create(regions == 17 ? 17 : 211, regions);
        std::unordered_map<std::uint64_t, ChainNode> nodes;
        std::unordered_set<std::uint64_t> expected;
        std::mt19937_64 random(regions);
        for (int i = 0; i < 70000; ++i) {
            std::uint64_t const key = 1 + random() % 1000;
            auto& region = table.region(table.owner(key));
            bool const there = expected.contains(key);
            switch (random() % 3) {
            case 0:
                if (there) break;
                ASSERT_TRUE(region.insert(nodes.try_emplace(key, ChainNode{key, nullptr}).first->second));
                expected.insert(key);
                break;
            case 1:
                ASSERT_EQ(region.erase(key), there);
                expected.erase(key);
                break;
            default: ASSERT_EQ(region.find(key), there);
            }
        }
        EXPECT_EQ(table.size(), expected.size());
        std::size_t seen = 0;
        for (std::size_t i = 0; i < regions; ++i) {
            table.region(i).for_each([&](std::size_t, ChainNode const& node) {
                EXPECT_TRUE(expected.contains(node.key));
                EXPECT_EQ(table.owner(node.key), i);
                ++seen;
            });
        }
        EXPECT_EQ(seen, expected.size());
    }
}

// Owners work on their regions at the same time without synchronisation: under TSan this shows that they share nothing.
TEST_F(PartitionedTest, owners_share_nothing_that_is_written) {
    configure({8 * MiB});
    constexpr std::size_t cores = 4;
    constexpr std::uint64_t keys = 40000;
    Table table = create(4001, cores);
    std::vector<ChainNode> nodes(keys + 1);
    std::vector<std::thread> threads;
    for (std::size_t core = 0; core < cores; ++core) {
        threads.emplace_back([&, core] {
            for (std::uint64_t key = 1; key <= keys; ++key) {
                if (table.owner(key) != core || table.core(core) != core_id(100 + core)) continue;
                nodes[key].key = key;
                ASSERT_TRUE(table.region(core).insert(nodes[key]));
                if (key % 3 == 0) {
                    ASSERT_TRUE(table.region(core).erase(key));
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(table.size(), keys - keys / 3);
    for (std::uint64_t key = 1; key <= keys; ++key) {
        ASSERT_EQ(table.region(table.owner(key)).find(key), key % 3 != 0);
    }
}

} // namespace
} // namespace mxk::test

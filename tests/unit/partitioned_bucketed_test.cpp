// Bucketed tables as regions of one: what Partitioned promises must hold with this way of cutting, too.
#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "hashtable/layout/bucketed.hpp"
#include "tests/unit/partitioned_fixture.hpp"

namespace mxk::test {
namespace {

using PartitionedBucketedTest = PartitionedFixture<Bucketed>;

TEST_F(PartitionedBucketedTest, has_no_fewer_than_the_buckets_that_were_asked_for) {
    configure({64 * MiB});
    for (std::size_t const regions : {1U, 2U, 3U, 16U}) {
        for (std::size_t const buckets : {16U, 65536U, 100000U}) {
            Table const table = create(buckets, regions);
            EXPECT_EQ(table.region_count(), regions);
            EXPECT_GE(table.bucket_count(), std::max<std::size_t>(buckets, 65536));
            std::size_t sum = 0;
            for (std::size_t i = 0; i < regions; ++i) {
                sum += table.region(i).bucket_count();
                EXPECT_EQ(table.core(i), core_id(100 + i));
            }
            EXPECT_EQ(sum, table.bucket_count());
        }
    }
    EXPECT_EQ(used_bytes(), 0U);
}

TEST_F(PartitionedBucketedTest, refuses_what_cannot_be_cut) {
    configure({1 * MiB});
    EXPECT_EQ(Table::create(3, owners(4, 1)).error().message(), "3 buckets cannot be cut into 4 regions");
    EXPECT_FALSE(Table::create(SIZE_MAX / 2, owners(2, 1)).ok());
    EXPECT_TRUE(Table::create(100, owners(4, 1)).error().message().starts_with("out of memory: 1 MiB wanted"));
    EXPECT_EQ(used_bytes(), 0U);
}

TEST_F(PartitionedBucketedTest, each_region_and_its_supply_lie_on_its_owners_node) {
    configure({16 * MiB, 16 * MiB});
    Table table = create(65536, 2);
    std::size_t const before = memory::use(node_id(0)).used;
    EXPECT_EQ(memory::use(node_id(1)).used, 2 * MiB);
    ASSERT_TRUE(table.region(1).reserve(200000));
    EXPECT_EQ(memory::use(node_id(0)).used, before);
    EXPECT_GT(memory::use(node_id(1)).used, 2 * MiB);
    // Who makes tasks for an owner asks for lines: that must not read what the owner writes.
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_TRUE(is_aligned(reinterpret_cast<std::uintptr_t>(&table.region(i)), cache_line_bytes));
}

TEST_F(PartitionedBucketedTest, random_operations_match_the_standard_map) {
    configure({128 * MiB, 128 * MiB});
    for (std::size_t const regions : {1U, 2U, 3U, 7U, 16U, 17U}) {
        Table table = create(13000, regions);
        std::unordered_map<std::uint64_t, std::uint64_t> expected;
        std::mt19937_64 random(regions);
        for (std::uint64_t i = 0; i < 200000; ++i) {
            std::uint64_t const key = 1 + random() % 60000;
            Bucketed& region = table.region(table.owner(key));
            auto const known = expected.find(key);
            bool const there = known != expected.end();
            switch (random() % 4) {
            case 0:
                ASSERT_EQ(region.erase(key), there);
                expected.erase(key);
                break;
            case 1: {
                std::uint64_t const* const value = region.find(key);
                ASSERT_EQ(value != nullptr, there);
                ASSERT_TRUE(!there || *value == known->second);
                break;
            }
            default:
                ASSERT_EQ(region.insert(key, i), there ? Insert::Present : Insert::Inserted);
                expected.try_emplace(key, i);
            }
        }
        ASSERT_EQ(table.size(), expected.size());
        std::size_t seen = 0;
        for (std::size_t i = 0; i < regions; ++i) {
            table.region(i).for_each([&](std::size_t, std::uint64_t key, std::uint64_t value) {
                ASSERT_EQ(table.owner(key), i);
                auto const known = expected.find(key);
                ASSERT_TRUE(known != expected.end() && known->second == value);
                ++seen;
            });
        }
        EXPECT_EQ(seen, expected.size());
    }
}

// Owners work on their regions at the same time without synchronisation, and ask for lines of the others' regions:
// under TSan this shows that they share nothing that is written. A region has an eighth of the buckets that its keys
// need, so that its supply grows, too.
TEST_F(PartitionedBucketedTest, owners_share_nothing_that_is_written) {
    configure({128 * MiB});
    constexpr std::size_t cores = 4;
    constexpr std::uint64_t keys = 1000000;
    Table table = create(65536, cores);
    std::vector<std::thread> threads;
    threads.reserve(cores);
    for (std::size_t core = 0; core < cores; ++core) {
        threads.emplace_back([&, core] {
            for (std::uint64_t key = 1; key <= keys; ++key) {
                std::size_t const owner = table.owner(key);
                ASSERT_NE(table.region(owner).line_of(key), nullptr);
                if (owner != core || table.core(core) != core_id(100 + core)) continue;
                ASSERT_EQ(table.region(core).insert(key, ~key), Insert::Inserted);
                if (key % 3 == 0) {
                    ASSERT_TRUE(table.region(core).erase(key));
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(table.size(), keys - keys / 3);
    for (std::uint64_t key = 1; key <= keys; ++key) {
        std::uint64_t const* const value = table.region(table.owner(key)).find(key);
        ASSERT_EQ(value != nullptr, key % 3 != 0);
        ASSERT_TRUE(value == nullptr || *value == ~key);
    }
}

} // namespace
} // namespace mxk::test

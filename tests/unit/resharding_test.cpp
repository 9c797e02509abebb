// Owners that change while operations flow: random operations of clients on all cores, each result against a model that
// knows the order of submission, and all keys afterwards.
#include "hashtable/table/linear_buckets.hpp"
#include "hashtable/table/resharding.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "hashtable/layout/chain_heads.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "main/library/runtime.hpp"
#include "tests/kernel/noise.hpp"
#include "tests/unit/long_tests.hpp"
#include "tests/unit/random_user.hpp"
#include "tests/unit/travelling_user.hpp"

namespace mxk::test {
namespace {

std::vector<Owner> places(std::size_t count) {
    std::vector<Owner> result;
    result.reserve(count);
    for (std::size_t i = 0; i < count; ++i) result.push_back({core_id(i), workers::of(core_id(i)).node()});
    return result;
}

// Another one in each run with --gtest_shuffle.
std::uint64_t seed() {
    return static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed());
}

template <typename Table> class ReshardingTest : public testing::Test {};
using Tables = testing::Types<Extendible<OpenSlots<>>, Extendible<CuckooSlots<>>, LinearBuckets<>>;
TYPED_TEST_SUITE(ReshardingTest, Tables);

// In batches, from eight cores, while random numbers of them become owners.
template <typename Table> void change_owners_while_operations_flow(std::size_t operations, bool with_noise) {
    constexpr std::size_t cores = 8;
    auto runtime = Runtime::start({.cores = cores, .nodes = 2, .memory_bytes = 512 * MiB});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([=](Worker& here) {
        using Regions = Sharded<Table>;
        auto const all = places(cores);
        auto regions = Regions::create({.slots = 64}, all, 1);
        ASSERT_TRUE(regions.ok());
        {
            auto batched = Batched<Regions>::create(regions.value());
            ASSERT_TRUE(batched.ok());
            std::atomic<std::size_t> left = cores;
            std::vector<std::unique_ptr<RandomUser<Regions>>> users;
            for (std::size_t i = 0; i < cores; ++i) {
                Worker& worker = workers::of(core_id(i));
                users.push_back(std::make_unique<RandomUser<Regions>>(worker, batched.value(), regions.value(), i + 1,
                                                                      operations, 8, left, OwnersMay::Change));
                here.append(*users.back(), worker.core());
            }
            std::optional<Noise> noise;
            if (with_noise) noise.emplace(10'000);
            std::mt19937_64 random(seed());
            std::size_t changes = 0;
            while (left.load() != 0) {
                ASSERT_TRUE(reshard(regions.value(), 1 + random() % cores).ok());
                ++changes;
            }
            noise.reset();
            EXPECT_GT(changes, 3U);
            regions.value().settle();
            std::size_t keys = 0;
            for (auto const& user : users) {
                EXPECT_EQ(user->completed(), operations);
                keys += user->model().size();
                for (auto const& [key, value] : user->model()) {
                    auto const* const found = regions.value().region(regions.value().owner(key)).find(key);
                    EXPECT_TRUE(found != nullptr && *found == value);
                }
            }
            EXPECT_EQ(regions.value().size(), keys);
        }
    });
}

TYPED_TEST(ReshardingTest, no_operation_is_lost_doubled_or_overtaken) {
    change_owners_while_operations_flow<TypeParam>(operations(20'000, 1'250'000), false);
}

TYPED_TEST(ReshardingTest, nor_if_cores_take_their_time) {
    change_owners_while_operations_flow<TypeParam>(operations(20'000, 1'250'000), true);
}

// Of every layout and kind of key, by tasks that each carry one operation.
using AllTables =
    testing::Types<Extendible<OpenSlots<>>, Extendible<OpenSlots<Bytes<32>>>, Extendible<CuckooSlots<>>,
                   Extendible<CuckooSlots<Bytes<16>>>, LinearBuckets<>, Extendible<ChainHeads<KeyedNode<Bytes<16>>>>>;
template <typename Table> class ReshardingOfAllTest : public testing::Test {};
TYPED_TEST_SUITE(ReshardingOfAllTest, AllTables);

TYPED_TEST(ReshardingOfAllTest, no_operation_is_lost_or_doubled) {
    constexpr std::size_t cores = 4;
    std::size_t const count = operations(4000, 312'500);
    auto runtime = Runtime::start({.cores = cores, .nodes = 2, .memory_bytes = 512 * MiB});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([count](Worker& here) {
        using Regions = Sharded<TypeParam>;
        using User = TravellingUser<Regions>;
        auto const all = places(cores);
        auto regions = Regions::create({.slots = 64}, all, 1);
        ASSERT_TRUE(regions.ok());
        std::atomic<std::size_t> left = cores * User::travellers;
        std::vector<std::unique_ptr<User>> users;
        for (std::size_t i = 0; i < cores; ++i)
            users.push_back(std::make_unique<User>(regions.value(), core_id(i), count, left));
        for (auto const& user : users) user->start(here);
        std::mt19937_64 random(seed());
        std::size_t changes = 0;
        for (; left.load() != 0; ++changes) ASSERT_TRUE(reshard(regions.value(), 1 + random() % cores).ok());
        EXPECT_GT(changes, 3U);
        regions.value().settle();
        std::size_t keys = 0;
        for (auto const& user : users) {
            keys += user->keys();
            user->check_all();
        }
        EXPECT_GT(keys, 0U);
        EXPECT_EQ(regions.value().size(), keys);
    });
}

TYPED_TEST(ReshardingTest, keys_follow_to_the_new_owners_node) {
    auto runtime = Runtime::start({.cores = 2, .nodes = 2, .memory_bytes = 512 * MiB});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([](Worker&) {
        auto const all = places(2);
        auto regions = Sharded<TypeParam>::create({.slots = 200'000}, all, 2);
        ASSERT_TRUE(regions.ok());
        std::size_t const used_there = memory::use(node_id(1)).used;
        ASSERT_TRUE(reshard(regions.value(), 1).ok());
        regions.value().settle();
        EXPECT_LT(memory::use(node_id(1)).used, used_there - regions.value().bytes() / 4);
    });
}

TEST(Resharding, refuses_owners_that_there_are_not) {
    auto runtime = Runtime::start({.cores = 2, .nodes = 1, .memory_bytes = 64 * MiB});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([](Worker&) {
        auto regions = Sharded<Extendible<OpenSlots<>>>::create({.slots = 64}, places(2), 2);
        ASSERT_TRUE(regions.ok());
        EXPECT_FALSE(reshard(regions.value(), 0).ok());
        EXPECT_FALSE(reshard(regions.value(), 3).ok());
        EXPECT_TRUE(reshard(regions.value(), 2).ok());
    });
}

} // namespace
} // namespace mxk::test

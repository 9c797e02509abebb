// Random operations in batches, from several clients to several owners at a time, against a model.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "hashtable/batch/batch_client.hpp"
#include "hashtable/layout/bucketed.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/table/extendible.hpp"
#include "hashtable/table/linear_buckets.hpp"
#include "hashtable/table/partitioned.hpp"
#include "hashtable/table/sharded.hpp"
#include "main/library/runtime.hpp"
#include "tasks/run_on.hpp"
#include "tests/unit/batched_regions.hpp"
#include "tests/unit/bucketed_model.hpp"
#include "tests/unit/random_user.hpp"

namespace mxk::test {
namespace {

struct Shape {
    std::size_t cores;
    std::vector<std::size_t> clients;
    std::vector<std::size_t> owners;
    std::size_t spare = 32;
};

std::vector<CoreId> ids(std::vector<std::size_t> const& cores) {
    std::vector<CoreId> result;
    result.reserve(cores.size());
    for (std::size_t const core : cores) result.push_back(core_id(core));
    return result;
}

// Returns how often operations were refused.
template <typename Regions, typename Holds>
std::size_t run_users(Shape const& shape, Regions& regions, std::size_t operations, Holds holds,
                      UserKey key_of = &numbered_key) {
    auto batched = Batched<Regions>::create(regions);
    EXPECT_TRUE(batched.ok());
    std::atomic<std::size_t> left = shape.clients.size();
    std::vector<std::unique_ptr<RandomUser<Regions>>> users;
    for (std::size_t i = 0; i < shape.clients.size(); ++i) {
        Worker& worker = workers::of(core_id(shape.clients[i]));
        users.push_back(std::make_unique<RandomUser<Regions>>(worker, batched.value(), regions, i + 1, operations,
                                                              shape.spare, left, OwnersMay::Stay, key_of));
        Worker::current().append(*users.back(), worker.core());
    }
    Worker::current().run_until([&] { return left.load() == 0; });
    std::size_t refusals = 0;
    for (auto const& user : users) {
        EXPECT_EQ(user->completed(), operations);
        refusals += user->refusals();
        for (auto const& [key, value] : user->model()) {
            auto const* const found = holds(key);
            EXPECT_TRUE(found != nullptr && *found == value);
        }
    }
    return refusals;
}

std::size_t run_shape(Delay delay, Shape const& shape, std::size_t operations) {
    auto runtime = Runtime::start({.cores = static_cast<std::uint32_t>(shape.cores),
                                   .nodes = shape.cores > 1 ? 2U : 1U,
                                   .memory_bytes = 64 * MiB});
    EXPECT_TRUE(runtime.ok());
    std::size_t refusals = 0;
    runtime.value().run([&](Worker&) {
        MapRegions regions(ids(shape.owners), delay);
        refusals = run_users(shape, regions, operations,
                             [&](std::uint64_t key) { return regions.region(regions.owner(key)).find(key); });
    });
    return refusals;
}

std::vector<std::size_t> const eight = {0, 1, 2, 3, 4, 5, 6, 7};

TEST(BatchedRandom, one_core_alone) {
    run_shape(&NoDelay::point, {.cores = 1, .clients = {0}, .owners = {0}}, 60000);
}
TEST(BatchedRandom, all_to_all) {
    run_shape(&NoDelay::point, {.cores = 8, .clients = eight, .owners = eight}, 8000);
}
TEST(BatchedRandom, all_to_all_with_two_batches_each_and_delays) {
    EXPECT_GT(run_shape(&RandomDelay::point, {.cores = 8, .clients = eight, .owners = eight, .spare = 0}, 3000), 0U);
}
TEST(BatchedRandom, one_to_eight) {
    run_shape(&RandomDelay::point, {.cores = 8, .clients = {0}, .owners = eight}, 20000);
}
TEST(BatchedRandom, eight_to_one) {
    EXPECT_GT(run_shape(&RandomDelay::point, {.cores = 8, .clients = eight, .owners = {3}, .spare = 4}, 4000), 0U);
}
TEST(BatchedRandom, several_clients_and_regions_of_one_core) {
    run_shape(&NoDelay::point, {.cores = 2, .clients = {0, 0, 0, 1, 1}, .owners = {1, 0, 1, 0, 0}, .spare = 3}, 10000);
}

// Few keys, so that a batch often has several operations on one of them, and eight of each user in a bucket of four
// places: some in its line, others behind it, where batches put operations off.
std::uint64_t crowded_key(std::uint64_t user, std::uint64_t index) {
    constexpr std::uint64_t used_buckets = 8;
    constexpr std::uint64_t in_bucket = 8;
    std::uint64_t const bucket = index % used_buckets * (StandaloneBucketed::buckets / used_buckets);
    return StandaloneBucketed::key_in(bucket, (user << 32) + 1 + index / used_buckets % in_bucket);
}

TEST(BatchedRandom, a_bucketed_table_with_crowded_buckets) {
    auto runtime = Runtime::start({.cores = 4, .nodes = 2, .memory_bytes = 256 * MiB});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([](Worker&) {
        using Regions = Partitioned<Bucketed>;
        std::vector<Owner> owners;
        owners.reserve(4);
        for (std::size_t i = 0; i < 4; ++i) owners.push_back({core_id(i), workers::of(core_id(i)).node()});
        auto regions = Regions::create(StandaloneBucketed::buckets, owners);
        ASSERT_TRUE(regions.ok());
        Shape const shape{.cores = 4, .clients = {0, 1, 2, 3}, .owners = {0, 1, 2, 3}};
        auto const holds = [&](std::uint64_t key) {
            return std::as_const(regions.value()).region(regions.value().owner(key)).find(key);
        };
        run_users(shape, regions.value(), 20000, holds, &crowded_key);
        for (std::size_t i = 0; i < 4; ++i) EXPECT_GT(regions.value().region(i).lines_behind(), 0U);
    });
}

// The same for tables whose groups of slots are nearly all full: few keys, of which half are there at a time. What is
// behind comes to the front when a key takes a tombstone's place, and with each block that is rebuilt.
template <typename Table> class BatchedRandomCrowded : public testing::Test {};
using CrowdedTables = testing::Types<Extendible<OpenSlots<>>, Extendible<CuckooSlots<>>, LinearBuckets<>>;
TYPED_TEST_SUITE(BatchedRandomCrowded, CrowdedTables);

TYPED_TEST(BatchedRandomCrowded, few_keys) {
    auto runtime = Runtime::start({.cores = 2, .nodes = 2, .memory_bytes = 256 * MiB});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([](Worker&) {
        using Regions = Sharded<TypeParam>;
        std::vector<Owner> owners;
        for (std::size_t i = 0; i < 2; ++i) owners.push_back({core_id(i), workers::of(core_id(i)).node()});
        auto regions = Regions::create({.slots = 64, .load = 0.97}, owners, owners.size());
        ASSERT_TRUE(regions.ok());
        auto const holds = [&](std::uint64_t key) {
            return std::as_const(regions.value()).region(regions.value().owner(key)).find(key);
        };
        auto const few = [](std::uint64_t user, std::uint64_t index) { return (user << 32) + 1 + index % 150; };
        run_users({.cores = 2, .clients = {0, 1}, .owners = {0, 1}}, regions.value(), 40000, holds, few);
        regions.value().settle();
    });
}

} // namespace
} // namespace mxk::test

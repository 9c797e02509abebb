#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "kernel/memory/core_pool.hpp"
#include "kernel/memory/heap/core_heap.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using CorePoolTest = MemoryTest;
using CorePoolDeathTest = MemoryTest;

TEST_F(CorePoolTest, objects_are_line_aligned_distinct_and_on_the_node) {
    configure({1 * MiB, 8 * MiB});
    heap::CoreHeap heap(core_id(0), node_id(1));
    CorePool pool(heap);
    std::set<std::byte*> starts;
    for (std::size_t bytes = 1; bytes <= CorePool::largest_bytes; ++bytes) {
        auto* const object = static_cast<std::byte*>(pool.allocate(bytes));
        ASSERT_NE(object, nullptr);
        EXPECT_TRUE(is_aligned(reinterpret_cast<std::uintptr_t>(object), 64));
        EXPECT_TRUE(host[1]->contains(object));
        EXPECT_TRUE(starts.insert(object).second);
        std::memset(object, 0xff, bytes);
    }
    EXPECT_EQ(pool.in_use(), 1024);
    // 64 objects each of 1, 2, 3 and 4 lines; 128 each of 6 and 8; 256 each of 12 and 16, 85 and 64 in a block: a block
    // more where one of these begins in the first block of a superblock, which has less room.
    EXPECT_GE(heap.blocks().used(), 1U + 1 + 1 + 1 + 1 + 1 + 4 + 4);
    EXPECT_LE(heap.blocks().used(), 1U + 1 + 1 + 1 + 1 + 2 + 5 + 5);
}

TEST_F(CorePoolTest, what_is_freed_comes_back_last_in_first_out) {
    configure({2 * MiB});
    heap::CoreHeap heap(core_id(0), node_id(0));
    CorePool pool(heap);
    void* const a = pool.allocate(65);
    void* const b = pool.allocate(128);
    pool.free(a, 65);
    pool.free(b, 128);
    EXPECT_EQ(pool.allocate(100), b);
    EXPECT_EQ(pool.allocate(100), a);
    EXPECT_NE(pool.allocate(64), a);
    EXPECT_EQ(heap.blocks().used(), 2U);
}

TEST_F(CorePoolTest, runs_dry_and_recovers) {
    configure({2 * heap::superblock_unit}); // of which no more than one is aligned as a superblock
    heap::CoreHeap heap(core_id(0), node_id(0));
    CorePool pool(heap);
    std::vector<void*> objects;
    for (void* object = pool.allocate(1024); object != nullptr; object = pool.allocate(1024)) objects.push_back(object);
    EXPECT_EQ(objects.size(), 60U + 7 * 64U);
    EXPECT_EQ(pool.in_use(), static_cast<std::int64_t>(objects.size()));
    EXPECT_EQ(pool.allocate(64), nullptr); // all blocks have another size
    pool.free(objects.front(), 1024);
    EXPECT_EQ(pool.allocate(1024), objects.front());
}

TEST_F(CorePoolTest, an_object_may_go_to_the_pool_of_another_core) {
    configure({4 * MiB});
    heap::CoreHeap heaps[] = {heap::CoreHeap(core_id(0), node_id(0)), heap::CoreHeap(core_id(1), node_id(0))};
    CorePool from(heaps[0]);
    CorePool to(heaps[1]);
    void* const object = from.allocate(64);
    to.free(object, 64);
    EXPECT_EQ(from.in_use(), 1);
    EXPECT_EQ(to.in_use(), -1);
    EXPECT_EQ(to.allocate(64), object);
    EXPECT_EQ(heaps[1].blocks().used(), 0U);
}

TEST_F(CorePoolTest, a_stream_that_flows_one_way_comes_home_through_the_heap) {
    configure({8 * MiB});
    heap::CoreHeap heaps[] = {heap::CoreHeap(core_id(0), node_id(0)), heap::CoreHeap(core_id(1), node_id(0))};
    CorePool from(heaps[0]);
    CorePool to(heaps[1]);
    for (int i = 0; i < 1'000'000; ++i) {
        void* const object = from.allocate(192);
        ASSERT_NE(object, nullptr);
        to.free(object, 192);
    }
    EXPECT_LE(heaps[0].blocks().superblocks(), 1U);
    EXPECT_GE(to.in_use(), -std::int64_t{1'000'000});
    EXPECT_EQ(from.in_use() + to.in_use(), 0);
    to.trim();
    heaps[1].settle();
    heaps[0].trim();
    EXPECT_EQ(heaps[0].blocks().used(), 0U);
}

TEST_F(CorePoolTest, random_use_keeps_contents_apart) {
    struct Live {
        std::uint8_t* start;
        std::size_t bytes;
        std::uint8_t pattern;
    };
    configure({8 * MiB});
    heap::CoreHeap heap(core_id(0), node_id(0));
    CorePool pool(heap);
    std::mt19937_64 random(2);
    std::vector<Live> live;
    for (int i = 0; i < 100000; ++i) {
        if (live.size() > 500 || (!live.empty() && random() % 2 == 0)) {
            std::swap(live[random() % live.size()], live.back());
            Live const object = live.back();
            live.pop_back();
            ASSERT_TRUE(std::all_of(object.start, object.start + object.bytes,
                                    [&](std::uint8_t byte) { return byte == object.pattern; }));
            pool.free(object.start, object.bytes);
        } else {
            std::size_t const bytes = 1 + random() % 1024;
            auto* const start = static_cast<std::uint8_t*>(pool.allocate(bytes));
            ASSERT_NE(start, nullptr);
            std::memset(start, i & 0xff, bytes);
            live.push_back({start, bytes, static_cast<std::uint8_t>(i & 0xff)});
        }
    }
    EXPECT_EQ(pool.in_use(), static_cast<std::int64_t>(live.size()));
}

TEST_F(CorePoolDeathTest, broken_callers_are_named) {
    configure({2 * MiB});
    heap::CoreHeap heap(core_id(0), node_id(0));
    CorePool pool(heap);
    auto* const object = static_cast<std::byte*>(pool.allocate(64));
    EXPECT_DEATH((void)pool.allocate(0), "1 to 1024 bytes");
    EXPECT_DEATH((void)pool.allocate(1025), "1 to 1024 bytes");
    EXPECT_DEATH(pool.free(object + 8, 64), "starts at a cache line");
    EXPECT_DEATH(pool.free(nullptr, 64), "starts at a cache line");
    pool.free(object, 64);
    EXPECT_DEATH(pool.free(object, 64), "freed twice");
}

} // namespace
} // namespace mxk::test

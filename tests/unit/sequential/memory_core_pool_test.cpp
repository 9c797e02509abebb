#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "kernel/memory/core_pool.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using CorePoolTest = MemoryTest;
using CorePoolDeathTest = MemoryTest;

TEST_F(CorePoolTest, objects_are_line_aligned_distinct_and_on_the_node) {
    configure({1 * MiB, 4 * MiB});
    CorePool pool(node_id(1));
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
    // 64 objects each of 1, 2, 3 and 4 lines; 128 each of 6 and 8; 256 each of 12 and 16, 85 and 64 in a slab.
    EXPECT_EQ(pool.slabs(), 1U + 1 + 1 + 1 + 1 + 1 + 4 + 4);
}

TEST_F(CorePoolTest, a_size_that_does_not_divide_a_slab_leaves_its_rest) {
    configure({2 * CorePool::slab_bytes});
    CorePool pool(node_id(0));
    std::size_t objects = 0;
    while (auto* const object = static_cast<std::byte*>(pool.allocate(192))) {
        EXPECT_TRUE(host[0]->contains(object + 191));
        std::memset(object, 0xff, 192);
        ++objects;
    }
    EXPECT_EQ(objects, 2 * (CorePool::slab_bytes / 192));
}

TEST_F(CorePoolTest, what_is_freed_comes_back_last_in_first_out) {
    configure({1 * MiB});
    CorePool pool(node_id(0));
    void* const a = pool.allocate(65);
    void* const b = pool.allocate(128);
    pool.free(a, 65);
    pool.free(b, 128);
    EXPECT_EQ(pool.allocate(100), b);
    EXPECT_EQ(pool.allocate(100), a);
    EXPECT_NE(pool.allocate(64), a);
    EXPECT_EQ(pool.slabs(), 2U);
}

TEST_F(CorePoolTest, runs_dry_and_recovers) {
    configure({CorePool::slab_bytes});
    CorePool pool(node_id(0));
    std::vector<void*> objects;
    for (void* object = pool.allocate(1024); object != nullptr; object = pool.allocate(1024)) objects.push_back(object);
    EXPECT_EQ(objects.size(), 64U);
    EXPECT_EQ(pool.in_use(), 64);
    EXPECT_EQ(pool.allocate(64), nullptr); // the only slab has another size
    pool.free(objects.front(), 1024);
    EXPECT_EQ(pool.allocate(1024), objects.front());
}

TEST_F(CorePoolTest, an_object_may_go_to_the_pool_of_another_core) {
    configure({1 * MiB});
    CorePool from(node_id(0));
    CorePool to(node_id(0));
    void* const object = from.allocate(64);
    to.free(object, 64);
    EXPECT_EQ(from.in_use(), 1);
    EXPECT_EQ(to.in_use(), -1);
    EXPECT_EQ(to.allocate(64), object);
    EXPECT_EQ(to.slabs(), 0U);
}

TEST_F(CorePoolTest, random_use_keeps_contents_apart) {
    struct Live {
        std::uint8_t* start;
        std::size_t bytes;
        std::uint8_t pattern;
    };
    configure({8 * MiB});
    CorePool pool(node_id(0));
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
    configure({1 * MiB});
    CorePool pool(node_id(0));
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

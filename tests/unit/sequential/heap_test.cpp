// The heap of one core, and what two heaps send each other, without threads: heap_stress_test.cpp has these.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "base/inject.hpp"
#include "kernel/memory/heap/core_heap.hpp"
#include "kernel/memory/heap/heap.hpp"
#include "kernel/memory/heap/outside_heap.hpp"
#include "kernel/memory/heap/size_classes.hpp"
#include "kernel/memory/heap/superblock_pool.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

using namespace heap;

class HeapTest : public MemoryTest {
  protected:
    // A heap of core `core` on a node. All end before the memory does.
    CoreHeap& make_heap(std::size_t core, NodeId node) {
        heaps_.push_back(std::make_unique<CoreHeap>(core_id(core), node));
        return *heaps_.back();
    }
    void TearDown() override {
        heaps_.clear();
        MemoryTest::TearDown();
    }
    [[nodiscard]] static std::uint64_t pool_calls() { return pool_of(node_id(0)).use().calls; }

  private:
    std::vector<std::unique_ptr<CoreHeap>> heaps_;
};

// What is in use of a heap, by address: that objects do not overlap, and keep what was written.
class Contents {
  public:
    void add(void* object, std::size_t bytes, std::uint8_t mark) {
        auto* const start = static_cast<std::uint8_t*>(object);
        auto const behind = live_.lower_bound(start);
        if (behind != live_.end()) {
            EXPECT_GE(behind->first, start + bytes);
        }
        if (behind != live_.begin()) {
            EXPECT_LE(std::prev(behind)->first + std::prev(behind)->second.bytes, start);
        }
        live_.emplace(start, Live{bytes, mark});
        std::memset(object, mark, bytes);
    }
    void remove(void* object) {
        auto const found = live_.find(static_cast<std::uint8_t*>(object));
        ASSERT_NE(found, live_.end());
        auto const [bytes, mark] = found->second;
        EXPECT_TRUE(std::all_of(found->first, found->first + bytes, [&](std::uint8_t byte) { return byte == mark; }));
        live_.erase(found);
    }

  private:
    struct Live {
        std::size_t bytes;
        std::uint8_t mark;
    };
    std::map<std::uint8_t*, Live> live_;
};

TEST(HeapSizeClasses, are_those_of_the_thesis_and_lose_little) {
    // Of its table 8.1.
    for (unsigned const size : {48U, 128U, 448U, 528U, 5024U, 8112U, 10656U, 13072U, 16048U})
        EXPECT_EQ(small_sizes[small_bin_of(size)], size);
    for (std::size_t bytes = 1; bytes <= max_small_bytes; ++bytes) {
        std::size_t const size = small_sizes[small_bin_of(bytes)];
        ASSERT_GE(size, bytes);
        std::size_t const lost = size - bytes;
        EXPECT_TRUE(lost <= 15 || lost * 100 <= 12 * size || bytes < 257) << bytes;
        ASSERT_LE(lost, bytes <= 256 ? 15U : bytes) << bytes;
        ASSERT_LE(lost * 100, (bytes > 1024 ? 8U : 1500U) * bytes) << bytes;
        ASSERT_TRUE(small_bin_of(bytes) == 0 || small_sizes[small_bin_of(bytes) - 1] < bytes) << "a smaller bin does";
        ASSERT_EQ(small_sizes[small_bin_of(bytes, 64)] % 64, 0U);
        ASSERT_GE(small_sizes[small_bin_of(bytes, 64)], bytes);
    }
    EXPECT_EQ(small_sizes[small_bin_of(0)], 16U);
    for (std::size_t bytes = max_small_bytes + 1; bytes <= max_medium_bytes; ++bytes) {
        std::size_t const size = medium_sizes[medium_bin_of(bytes)];
        ASSERT_GE(size, bytes);
        ASSERT_LT((size - bytes) * 10, size);
    }
}

TEST_F(HeapTest, objects_of_all_sizes_are_apart_aligned_and_on_the_node) {
    configure({4 * MiB, 512 * MiB});
    CoreHeap& heap = make_heap(0, node_id(1));
    Contents contents;
    std::vector<std::pair<void*, std::size_t>> objects;
    for (std::size_t bytes = 0; bytes < 3 * MiB; bytes += bytes < 2048 ? 7 : bytes / 5) {
        void* const object = heap.allocate(bytes);
        ASSERT_NE(object, nullptr);
        EXPECT_TRUE(is_aligned(reinterpret_cast<std::uintptr_t>(object), 16));
        EXPECT_TRUE(host[1]->contains(object));
        contents.add(object, bytes, static_cast<std::uint8_t>(bytes));
        objects.emplace_back(object, bytes);
    }
    for (auto const& [object, bytes] : objects) {
        contents.remove(object);
        heap.deallocate(object, bytes);
    }
    heap.trim();
    EXPECT_EQ(heap.blocks().used(), 0U);
    EXPECT_EQ(heap.blocks().superblocks(), 0U);
    EXPECT_EQ(pool_of(node_id(1)).use().large_bytes, 0U);
}

TEST_F(HeapTest, alignments_up_to_a_gigabyte_are_kept) {
    configure({64 * MiB});
    CoreHeap& heap = make_heap(0, node_id(0));
    for (std::size_t alignment = 1; alignment <= 2 * MiB; alignment *= 2) {
        for (std::size_t const bytes : {std::size_t{1}, std::size_t{100}, std::size_t{1000}, 20 * KiB, 600 * KiB}) {
            void* const object = heap.allocate(bytes, alignment);
            ASSERT_NE(object, nullptr);
            EXPECT_TRUE(is_aligned(reinterpret_cast<std::uintptr_t>(object), alignment));
            heap.deallocate(object, bytes, alignment);
        }
    }
}

// Random use of all classes, after which nothing is left.
void use_at_random(CoreHeap& heap, int times) {
    struct Live {
        void* object;
        std::size_t bytes;
    };
    std::mt19937_64 random(3);
    Contents contents;
    std::vector<Live> live;
    std::size_t wanted = 0;
    for (int i = 0; i < times; ++i) {
        if (i % 20'000 == 0) wanted = random() % 20'000; // grows and shrinks
        if (live.size() > wanted || (!live.empty() && random() % 2 == 0)) {
            std::swap(live[random() % live.size()], live.back());
            contents.remove(live.back().object);
            heap.deallocate(live.back().object, live.back().bytes);
            live.pop_back();
        } else {
            // Small ones above all, of few sizes, so that bins have many blocks.
            std::size_t const kind = random() % 100;
            std::size_t const bytes = kind < 60   ? 16 + random() % 4 * 100
                                      : kind < 98 ? random() % 3000
                                      : kind < 99 ? random() % (40 * KiB)
                                                  : random() % (600 * KiB);
            void* const object = heap.allocate(bytes);
            ASSERT_NE(object, nullptr);
            contents.add(object, bytes, static_cast<std::uint8_t>(i));
            live.push_back({object, bytes});
        }
        if (i % 1000 == 0) {
            for (std::size_t bin = 0; bin < small_bin_count; ++bin) ASSERT_TRUE(heap.small(bin).is_consistent());
        }
    }
    for (Live const& one : live) {
        contents.remove(one.object);
        heap.deallocate(one.object, one.bytes);
    }
    heap.trim();
    EXPECT_EQ(heap.blocks().used(), 0U);
    for (std::size_t bin = 0; bin < medium_bin_count; ++bin) EXPECT_EQ(heap.medium(bin).used(), 0U);
}

// Item 26, and the invariants of 4.3.2.
TEST_F(HeapTest, random_use_keeps_contents_apart_and_bins_consistent) {
    configure({1 * GiB});
    use_at_random(make_heap(0, node_id(0)), inject::enabled ? 100'000 : 300'000);
}

TEST_F(HeapTest, a_block_that_becomes_empty_leaves_the_stack_at_once_if_that_is_wanted) {
    configure({1 * GiB});
    auto const blocks_left = [&](HeapVariant const& variant) {
        CoreHeap& heap = make_heap(0, node_id(0));
        heap.set_variant(variant);
        // What stays in use lets the stack have many chains.
        std::vector<void*> objects;
        for (int i = 0; i < 120'000; ++i) objects.push_back(heap.allocate(64));
        for (std::size_t i = 100'000; i < objects.size(); ++i) heap.deallocate(objects[i], 64);
        std::size_t const left = heap.blocks().used();
        for (std::size_t i = 0; i < 100'000; ++i) heap.deallocate(objects[i], 64);
        use_at_random(heap, 50'000); // which trims
        return left;
    };
    EXPECT_GE(blocks_left({}), blocks_left({.purges = true}) + 8);
}

TEST_F(HeapTest, what_was_freed_last_is_given_out_first) {
    configure({16 * MiB});
    CoreHeap& heap = make_heap(0, node_id(0));
    std::vector<void*> objects;
    for (int i = 0; i < 5000; ++i) objects.push_back(heap.allocate(100));
    std::shuffle(objects.begin(), objects.end(), std::mt19937_64(5));
    for (void* const object : objects) heap.deallocate(object, 100);
    // The magazine's: exactly so.
    for (std::size_t i = 0; i < Magazine::limit_for(112, superblock_bytes()) / 2; ++i)
        EXPECT_EQ(heap.allocate(100), objects[objects.size() - 1 - i]);
}

// Objects that are freed in the order of their addresses are few chains, however they are many.
TEST_F(HeapTest, a_batch_is_a_chain_for_each_block) {
    configure({64 * MiB});
    CoreHeap& heap = make_heap(0, node_id(0));
    std::vector<void*> objects;
    for (int i = 0; i < 10'000; ++i) objects.push_back(heap.allocate(48));
    for (void* const object : objects) heap.deallocate(object, 48);
    BinUse const use = heap.small(small_bin_of(48)).use();
    EXPECT_GE(use.chain_objects, 10 * use.chains);
}

// Item 28: 10,000 objects of 1 KiB, nine in ten of them freed, leave what they are in; when the blocks are empty, the
// superblocks go.
TEST_F(HeapTest, empty_superblocks_go_back_at_once) {
    configure({256 * MiB});
    CoreHeap& heap = make_heap(0, node_id(0));
    std::vector<void*> objects;
    for (int i = 0; i < 10'000; ++i) objects.push_back(heap.allocate(1024));
    std::size_t const peak = heap.blocks().superblocks();
    EXPECT_GE(peak, 10'000 / 64 / 8);
    for (std::size_t i = objects.size(); i-- > 1'000;) heap.deallocate(objects[i], 1024);
    // The rest needs 17 blocks in 3 superblocks; those that are kept for the next one who wants some, are of 8 more.
    EXPECT_LE(heap.blocks().superblocks(), 3U + 8U + 1U);
    heap.trim();
    EXPECT_LE(heap.blocks().superblocks(), 3U);
    for (std::size_t i = 0; i < 1'000; ++i) heap.deallocate(objects[i], 1024);
    heap.trim();
    EXPECT_EQ(heap.blocks().superblocks(), 0U);
}

// Item 28: of two superblocks the fuller one is used.
TEST_F(HeapTest, slots_come_from_the_fullest_superblock) {
    configure({64 * MiB});
    MetadataArena arena(node_id(0));
    SlotAllocator slots(arena, pool_of(node_id(0)), 64 * KiB, 0);
    std::vector<Slot> taken;
    for (int i = 0; i < 24; ++i) taken.push_back(slots.take()); // three superblocks of eight
    ASSERT_EQ(slots.superblocks(), 3U);
    for (int const at : {0, 8, 9, 16, 17, 18}) slots.give_back(taken[static_cast<std::size_t>(at)]);
    EXPECT_EQ(slots.take().superblock, taken[1].superblock);
    EXPECT_EQ(slots.take().superblock, taken[10].superblock);
    EXPECT_EQ(slots.take().superblock, taken[10].superblock);
    EXPECT_EQ(slots.take().superblock, taken[19].superblock);
}

// Item 29.
TEST_F(HeapTest, at_the_border_of_a_superblock_no_call_reaches_the_pool) {
    configure({64 * MiB});
    CoreHeap& heap = make_heap(0, node_id(0));
    for (std::size_t const bytes : {std::size_t{16 * KiB}, std::size_t{100 * KiB}}) {
        std::vector<void*> objects;
        std::uint64_t const first = pool_calls();
        while (pool_calls() < first + 2) objects.push_back(heap.allocate(bytes)); // the second has just begun
        // As far back as what is kept reaches, again and again.
        for (int round = 0; round < 100; ++round) {
            std::uint64_t const before = pool_calls();
            for (int i = 0; i < 3; ++i) {
                heap.deallocate(objects.back(), bytes);
                objects.pop_back();
            }
            for (int i = 0; i < 3; ++i) objects.push_back(heap.allocate(bytes));
            if (round > 0) {
                EXPECT_EQ(pool_calls(), before);
            }
        }
        for (void* const object : objects) heap.deallocate(object, bytes);
    }
}

// Item 30.
TEST_F(HeapTest, a_quarter_of_the_node_stays_free) {
    configure({64 * MiB});
    CoreHeap& heap = make_heap(0, node_id(0));
    std::vector<void*> objects;
    while (void* const object = heap.allocate(8 * KiB)) objects.push_back(object);
    EXPECT_LT(memory::use(node_id(0)).total - memory::use(node_id(0)).used, 2 * MiB);
    for (void* const object : objects) heap.deallocate(object, 8 * KiB);
    heap.trim();
    EXPECT_LE(pool_of(node_id(0)).use().kept_bytes, 64 * MiB / 100 * 76);
    EXPECT_GT(pool_of(node_id(0)).use().returns, 0U);
    // Large objects count.
    PoolUse const before = pool_of(node_id(0)).use();
    void* const large = heap.allocate(10 * MiB);
    EXPECT_EQ(pool_of(node_id(0)).use().large_bytes, before.large_bytes + 10 * MiB);
    heap.deallocate(large, 10 * MiB);
}

// Item 33: what pools only keep is given up for a large object, also of somebody else, wherever the node's memory
// begins.
TEST_F(HeapTest, a_large_object_has_what_the_pool_kept) {
    for (std::size_t offset = 0; offset < 2 * superblock_unit; offset += 12 * KiB) {
        SCOPED_TRACE(offset);
        configure_at(offset, 64 * MiB);
        CoreHeap& heap = make_heap(0, node_id(0));
        std::vector<void*> objects;
        for (int i = 0; i < 5'000; ++i) objects.push_back(heap.allocate(8 * KiB));
        for (void* const object : objects) heap.deallocate(object, 8 * KiB);
        heap.trim();
        ASSERT_GT(pool_of(node_id(0)).use().kept, 60U);
        void* const large = heap.allocate(50 * MiB);
        ASSERT_NE(large, nullptr);
        heap.deallocate(large, 50 * MiB);
        EXPECT_EQ(heap.allocate(100 * MiB), nullptr);
        EXPECT_EQ(heap.allocate(SIZE_MAX), nullptr);
        EXPECT_EQ(heap.allocate(SIZE_MAX - 100), nullptr);
        TearDown();
    }
}

// What the pool gives first lies apart: as many bytes as are wanted are not enough.
TEST_F(HeapTest, a_large_object_has_what_the_pool_kept_in_any_order) {
    configure({64 * MiB});
    SuperblockPool& pool = pool_of(node_id(0));
    std::vector<Superblock*> taken;
    while (taken.size() < 90) taken.push_back(pool.take());
    std::shuffle(taken.begin(), taken.end(), std::mt19937_64(5));
    for (Superblock* const superblock : taken) pool.give_back(*superblock);
    ASSERT_EQ(pool.use().kept, 90U);
    auto const large = memory::allocate(40 * MiB, 4 * KiB, node_id(0));
    ASSERT_TRUE(large);
    memory::free(large.value());
}

TEST_F(HeapTest, a_node_without_memory_is_helped_out_and_that_is_counted) {
    configure({8 * MiB, 64 * MiB});
    CoreHeap& heap = make_heap(0, node_id(0));
    std::vector<void*> objects;
    std::size_t elsewhere = 0;
    for (int i = 0; i < 4'000; ++i) {
        objects.push_back(heap.allocate(8 * KiB));
        ASSERT_NE(objects.back(), nullptr);
        if (!host[0]->contains(objects.back())) ++elsewhere;
    }
    EXPECT_GT(elsewhere, 2'000U);
    EXPECT_GE(memory::use(node_id(0)).spilled, elsewhere * 8 * KiB);
    for (void* const object : objects) heap.deallocate(object, 8 * KiB);
    heap.trim();
    // Each superblock went to the pool of where it lies (item 31).
    EXPECT_GT(pool_of(node_id(1)).use().kept, 0U);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(host[0]->contains(heap.allocate(8 * KiB)));
}

TEST_F(HeapTest, memory_runs_out_without_harm_and_comes_back) {
    configure({8 * MiB});
    CoreHeap& heap = make_heap(0, node_id(0));
    CoreHeap& other = make_heap(1, node_id(0));
    for (std::size_t const bytes : {std::size_t{16}, std::size_t{500}, std::size_t{16 * KiB}, std::size_t{200 * KiB}}) {
        std::vector<void*> objects;
        while (void* const object = heap.allocate(bytes)) objects.push_back(object);
        EXPECT_GT(objects.size() * bytes, 5 * MiB) << bytes;
        EXPECT_EQ(other.allocate(bytes), nullptr);
        for (void* const object : objects) heap.deallocate(object, bytes);
        void* const one = heap.allocate(bytes);
        EXPECT_NE(one, nullptr);
        heap.deallocate(one, bytes);
        heap.trim();
    }
}

// Item 27: what another core frees comes home in batches, and goes to its blocks, not to what was freed last.
TEST_F(HeapTest, what_another_core_frees_comes_home_and_is_cold) {
    configure({64 * MiB});
    CoreHeap& owner = make_heap(0, node_id(0));
    CoreHeap& other = make_heap(1, node_id(0));
    std::vector<void*> objects;
    for (int i = 0; i < 1'000; ++i) objects.push_back(owner.allocate(64));
    void* const hot = owner.allocate(64);
    owner.deallocate(hot, 64);
    for (void* const object : objects) other.deallocate(object, 64);
    EXPECT_EQ(other.use().sent, 1'000 / CoreHeap::batch_objects * CoreHeap::batch_objects);
    EXPECT_EQ(owner.use().parked, other.use().sent * 64);
    other.settle();
    EXPECT_EQ(owner.use().parked, 1'000U * 64);
    EXPECT_LE(other.use().batches, 1'000 / CoreHeap::batch_objects + 1);
    owner.settle();
    EXPECT_EQ(owner.use().parked, 0U);
    EXPECT_EQ(owner.use().max_parked, 64'000U);
    EXPECT_EQ(owner.allocate(64), hot);
    owner.trim();
    other.trim();
    EXPECT_EQ(owner.blocks().used(), 1U); // of `hot`
    EXPECT_EQ(other.blocks().used(), 0U); // the batches have come home, too
}

TEST_F(HeapTest, what_comes_home_is_hot_if_that_is_wanted) {
    configure({64 * MiB});
    CoreHeap& owner = make_heap(0, node_id(0));
    CoreHeap& other = make_heap(1, node_id(0));
    SmallBin const& bin = owner.small(small_bin_of(64));
    std::vector<void*> objects;
    auto const send_home = [&](HeapVariant const& variant) {
        other.set_variant(variant);
        for (int i = 0; i < 960; ++i) objects.push_back(owner.allocate(64));
        std::uint64_t const before = bin.use().chain_objects;
        for (void* const object : objects) other.deallocate(object, 64);
        objects.clear();
        other.settle();
        owner.settle();
        EXPECT_TRUE(bin.is_consistent());
        return bin.use().chain_objects - before;
    };
    EXPECT_EQ(send_home({.is_hot = [](CoreId from, CoreId to) { return from == core_id(1) && to == core_id(0); }}),
              960U);
    EXPECT_EQ(send_home({.is_hot = [](CoreId from, CoreId to) { return from == to; }}), 0U);
    owner.trim();
    other.trim();
    EXPECT_EQ(owner.blocks().used(), 0U);
    EXPECT_EQ(other.blocks().used(), 0U);
}

// Also where it comes home while the owner looks for a block, and others are about to be dropped.
TEST_F(HeapTest, what_comes_home_as_hot_keeps_bins_consistent) {
    configure({64 * MiB});
    CoreHeap& owner = make_heap(0, node_id(0));
    CoreHeap& other = make_heap(1, node_id(0));
    other.set_variant({.is_hot = [](CoreId, CoreId) { return true; }});
    std::mt19937_64 random(7);
    std::vector<std::pair<void*, std::size_t>> live;
    Contents contents;
    std::size_t wanted = 0;
    for (int i = 0; i < 60'000; ++i) {
        if (i % 2'000 == 0) wanted = random() % 1'500; // less than of what the owner would be told
        if (live.size() > wanted) {
            std::swap(live[random() % live.size()], live.back());
            auto const [object, bytes] = live.back();
            live.pop_back();
            contents.remove(object);
            (random() % 4 == 0 ? owner : other).deallocate(object, bytes);
        } else {
            std::size_t const bytes = random() % 2 == 0 ? 64 : 1'000;
            void* const object = owner.allocate(bytes);
            ASSERT_NE(object, nullptr);
            contents.add(object, bytes, static_cast<std::uint8_t>(i));
            live.emplace_back(object, bytes);
        }
        if (i % 1'000 == 0) {
            for (std::size_t bin = 0; bin < small_bin_count; ++bin) ASSERT_TRUE(owner.small(bin).is_consistent());
        }
    }
    for (auto const& [object, bytes] : live) other.deallocate(object, bytes);
    other.settle();
    owner.trim();
    other.trim();
    EXPECT_EQ(owner.blocks().used(), 0U);
}

TEST_F(HeapTest, parked_objects_are_used_before_another_block_is_taken) {
    configure({64 * MiB});
    CoreHeap& owner = make_heap(0, node_id(0));
    CoreHeap& other = make_heap(1, node_id(0));
    for (int i = 0; i < 200'000; ++i) other.deallocate(owner.allocate(256), 256);
    EXPECT_LE(owner.blocks().used(), 8U);
    std::vector<void*> in_use;
    for (int i = 0; i < 20; ++i) in_use.push_back(owner.allocate(30 * KiB));
    for (std::size_t i = 0; i < 1'000; ++i) {
        other.deallocate(in_use[i % 20], 30 * KiB);
        in_use[i % 20] = owner.allocate(30 * KiB);
    }
    EXPECT_LE(owner.medium(medium_bin_of(30 * KiB)).superblocks(), 3U);
}

// Those who are no core: they share a heap, and free anybody's objects.
TEST_F(HeapTest, threads_that_are_no_core_share_a_heap) {
    configure({64 * MiB});
    CoreHeap& core = make_heap(0, node_id(0));
    std::vector<std::pair<void*, std::size_t>> objects;
    for (std::size_t bytes = 1; bytes < 2 * MiB; bytes += bytes / 2 + 1) {
        objects.emplace_back(heap::allocate(bytes), bytes);
        ASSERT_NE(objects.back().first, nullptr);
    }
    for (auto const& [object, bytes] : objects) heap::deallocate(object, bytes);
    void* const of_core = core.allocate(100);
    deallocate_outside(of_core, 100, min_alignment);
    EXPECT_EQ(core.use().parked, 112U);
    void* const of_all = allocate_outside(100, min_alignment);
    core.deallocate(of_all, 100);
    core.settle();
    EXPECT_EQ(core.use().parked, 0U);
    // Much that is sent back to the shared heap, it takes back without being asked.
    std::vector<void*> many;
    for (int i = 0; i < 3'000; ++i) many.push_back(allocate_outside(1000, min_alignment));
    for (void* const object : many) core.deallocate(object, 1000);
    core.settle();
    bool was_asked = false;
    visit_outside(
        [](CoreHeap& heap, void* asked) {
            *static_cast<bool*>(asked) = true;
            EXPECT_LE(heap.use().parked, CoreHeap::max_parked_bytes + CoreHeap::batch_bytes);
        },
        &was_asked);
    EXPECT_TRUE(was_asked);
}

using HeapDeathTest = HeapTest;

TEST_F(HeapDeathTest, checked_builds_name_what_callers_do_wrong) {
    if constexpr (!is_checked) {
        GTEST_SKIP() << "this build does not check the heap";
    } else {
        configure({64 * MiB});
        for (std::size_t const alignment : {std::size_t{16}, std::size_t{64}}) {
            auto* const object = static_cast<std::byte*>(heap::allocate(100, alignment));
            EXPECT_DEATH(heap::deallocate(object, 101, alignment), "101 bytes are freed .* 100 were allocated");
            EXPECT_DEATH(
                {
                    object[100] = std::byte{1};
                    heap::deallocate(object, 100, alignment);
                },
                "behind the 100 bytes");
            EXPECT_DEATH(
                {
                    object[-1] = std::byte{1};
                    heap::deallocate(object, 100, alignment);
                },
                "in front of");
            EXPECT_DEATH(heap::deallocate(object + 16, 84, alignment), "no object of the heap");
            EXPECT_DEATH(
                {
                    heap::deallocate(object, 100, alignment);
                    heap::deallocate(object, 100, alignment);
                },
                "double free");
            heap::deallocate(object, 100, alignment);
        }
    }
}

TEST_F(HeapTest, checked_builds_know_who_holds_what) {
    if constexpr (!is_checked) {
        GTEST_SKIP() << "this build does not check the heap";
    } else {
        configure({64 * MiB});
        auto const held = [] {
            std::size_t objects = 0;
            for_each_holder([](Holder const& holder, void* sum) { *static_cast<std::size_t*>(sum) += holder.objects; },
                            &objects);
            return objects;
        };
        std::size_t const before = held();
        void* const object = heap::allocate(100);
        EXPECT_EQ(held(), before + 1);
        heap::deallocate(object, 100);
        EXPECT_EQ(held(), before);
    }
}

} // namespace
} // namespace mxk::test

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "kernel/memory/frame_allocator.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

constexpr std::size_t frame = FrameAllocator::frame_bytes;

std::uintptr_t number(void const* place) {
    return reinterpret_cast<std::uintptr_t>(place);
}

class FrameAllocatorTest : public testing::Test {
  protected:
    // So many bytes for allocations, from `start` on. The table lies in front of them.
    void add(std::size_t bytes) {
        std::size_t const table = FrameAllocator::table_bytes(bytes);
        frames.add({start - table, table + bytes});
    }

    HostMemory memory{257 * MiB};
    std::byte* const start = memory.bytes().data() + MiB;
    FrameAllocator frames;
};

TEST_F(FrameAllocatorTest, takes_only_whole_frames) {
    frames.add({start + 1, 4 * frame}); // three whole frames lie inside, the first is for the table
    EXPECT_EQ(frames.total_bytes(), 2 * frame);
    EXPECT_EQ(frames.free_bytes(), 2 * frame);
    EXPECT_EQ(frames.allocate(1, 1), start + 2 * frame);
    frames.add({start + 8 * frame + 1, frame}); // none does
    frames.add({start + 8 * frame, frame - 1});
    frames.add({});
    EXPECT_EQ(frames.total_bytes(), 2 * frame);
}

TEST_F(FrameAllocatorTest, rounds_up_to_frames_and_runs_dry) {
    EXPECT_EQ(frames.allocate(1, 1), nullptr);
    add(4 * frame);
    EXPECT_EQ(frames.allocate(0, 1), start);
    EXPECT_EQ(frames.allocate(frame + 1, 64), start + frame);
    EXPECT_EQ(frames.free_bytes(), frame);
    EXPECT_EQ(frames.allocate(2 * frame, 1), nullptr);
    EXPECT_EQ(frames.allocate(SIZE_MAX, 1), nullptr);
    EXPECT_EQ(frames.allocate(frame, 1), start + 3 * frame);
    EXPECT_EQ(frames.largest_free_extent(), 0U);
}

TEST_F(FrameAllocatorTest, knows_the_maximum_that_was_given_out) {
    add(8 * frame);
    frames.begin_peak();
    EXPECT_EQ(frames.lowest_free_bytes(), 8 * frame);
    void* const first = frames.allocate(3 * frame, 1);
    void* const second = frames.allocate(2 * frame, 1);
    frames.free(first, 3 * frame);
    EXPECT_EQ(frames.lowest_free_bytes(), 3 * frame);
    frames.begin_peak();
    EXPECT_EQ(frames.lowest_free_bytes(), 6 * frame);
    frames.free(second, 2 * frame);
    EXPECT_EQ(frames.lowest_free_bytes(), 6 * frame);
}

TEST_F(FrameAllocatorTest, alignment_leaves_its_gap_free) {
    add(256 * MiB);
    for (std::size_t alignment = 1; alignment <= 64 * MiB; alignment *= 2) {
        void* const block = frames.allocate(3 * frame, alignment);
        ASSERT_NE(block, nullptr);
        EXPECT_TRUE(is_aligned(number(block), std::max(alignment, frame)));
    }
    EXPECT_EQ(frames.free_bytes(), frames.total_bytes() - 27 * 3 * frame);
}

TEST_F(FrameAllocatorTest, aligns_to_a_gibibyte) {
    HostMemory const large(3 * GiB + FrameAllocator::table_bytes(3 * GiB));
    frames.add(large.bytes());
    void* const first = frames.allocate(frame, 1 * GiB);
    void* const second = frames.allocate(frame, 1 * GiB);
    ASSERT_NE(second, nullptr);
    EXPECT_TRUE(is_aligned(number(first), GiB) && is_aligned(number(second), GiB));
    frames.free(first, frame);
    frames.free(second, frame);
    EXPECT_EQ(frames.largest_free_extent(), 3 * GiB);
}

TEST_F(FrameAllocatorTest, joins_neighbours_in_every_order) {
    add(5 * frame);
    std::vector<std::size_t> order{0, 1, 2, 3, 4};
    do {
        std::vector<void*> blocks;
        for (std::size_t i = 0; i < order.size(); ++i) blocks.push_back(frames.allocate(frame, 1));
        for (std::size_t const i : order) frames.free(blocks[i], frame);
        ASSERT_EQ(frames.largest_free_extent(), 5 * frame);
    } while (std::next_permutation(order.begin(), order.end()));
}

// Of frames 0 to 12. The table takes the first of each range that comes, and the one before becomes free.
TEST_F(FrameAllocatorTest, keeps_a_hole_between_what_was_given) {
    frames.add({start + 8 * frame, 5 * frame});
    EXPECT_EQ(frames.largest_free_extent(), 4 * frame);
    frames.add({start, 4 * frame});
    EXPECT_EQ(frames.largest_free_extent(), 5 * frame);
    EXPECT_EQ(frames.allocate(6 * frame, 1), nullptr);
    EXPECT_EQ(frames.free_bytes(), 8 * frame);
    frames.add({start + 4 * frame, 4 * frame});
    EXPECT_EQ(frames.largest_free_extent(), 8 * frame);
    EXPECT_EQ(frames.total_bytes(), 12 * frame);
    EXPECT_EQ(frames.allocate(8 * frame, 1), start + 5 * frame);
    EXPECT_EQ(frames.allocate(4 * frame, 1), start);
}

TEST_F(FrameAllocatorTest, gives_any_size_without_rounding_it_to_a_power_of_two) {
    add(200 * MiB);
    EXPECT_NE(frames.allocate(129 * MiB, frame), nullptr);
    EXPECT_NE(frames.allocate(71 * MiB, frame), nullptr);
    EXPECT_EQ(frames.free_bytes(), 0U);
}

TEST_F(FrameAllocatorTest, touches_little_of_the_table_and_nothing_else) {
    add(256 * MiB);
    void* const large = frames.allocate(200 * MiB, 2 * MiB);
    void* const small = frames.allocate(frame, frame);
    frames.free(large, 200 * MiB);
    frames.free(small, frame);
    EXPECT_EQ(HostMemory::resident_pages_of({start, 256 * MiB}), 0U);
    EXPECT_LE(memory.resident_pages(), 5U);
}

TEST_F(FrameAllocatorTest, part_of_a_block_may_go_back) {
    add(4 * frame);
    auto* const block = static_cast<std::byte*>(frames.allocate(4 * frame, 1));
    frames.free(block + frame, 2 * frame);
    EXPECT_EQ(frames.allocate(2 * frame, 1), block + frame);
}

TEST_F(FrameAllocatorTest, random_allocations_never_overlap_and_all_come_back) {
    struct Live {
        std::byte* start;
        std::size_t bytes;
    };
    add(256 * MiB);
    std::mt19937_64 random(1);
    std::vector<Live> live;
    std::size_t used = 0;
    for (int i = 0; i < 20000; ++i) {
        if (!live.empty() && random() % 2 == 0) {
            std::swap(live[random() % live.size()], live.back());
            frames.free(live.back().start, live.back().bytes);
            used -= align_up(live.back().bytes, frame);
            live.pop_back();
        } else {
            std::size_t const bytes = 1 + random() % (random() % 16 == 0 ? 32 * MiB : 64 * KiB);
            auto* const place = static_cast<std::byte*>(frames.allocate(bytes, std::size_t{1} << (random() % 22)));
            if (place == nullptr) continue;
            live.push_back({place, bytes});
            used += align_up(bytes, frame);
        }
        ASSERT_EQ(frames.free_bytes(), frames.total_bytes() - used);
    }
    std::sort(live.begin(), live.end(), [](Live const& a, Live const& b) { return a.start < b.start; });
    for (std::size_t i = 1; i < live.size(); ++i) EXPECT_LE(live[i - 1].start + live[i - 1].bytes, live[i].start);
    for (Live const& block : live) frames.free(block.start, block.bytes);
    EXPECT_EQ(frames.largest_free_extent(), 256 * MiB);
}

// Each thread fills its blocks with its own pattern and finds it again: nobody else was given the same memory.
void allocate_and_verify(FrameAllocator& frames, std::uint8_t thread) {
    struct Live {
        std::uint8_t* start;
        std::size_t bytes;
        std::uint8_t pattern;
    };
    std::mt19937_64 random(thread);
    std::vector<Live> live;
    auto const release = [&] {
        Live const block = live.back();
        live.pop_back();
        ASSERT_TRUE(std::all_of(block.start, block.start + block.bytes,
                                [&](std::uint8_t byte) { return byte == block.pattern; }));
        frames.free(block.start, block.bytes);
    };
    // Bounded by time too: where threads outnumber CPUs, a FIFO lock waits for whichever waiter is not running.
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    for (int i = 0; i < 3000 && std::chrono::steady_clock::now() < deadline; ++i) {
        if (live.size() > 40 || (!live.empty() && random() % 2 == 0)) {
            std::swap(live[random() % live.size()], live.back());
            release();
        } else {
            std::size_t const bytes = 1 + random() % (8 * KiB);
            void* const place = frames.allocate(bytes, std::size_t{1} << (random() % 16));
            if (place == nullptr) continue;
            auto const pattern = static_cast<std::uint8_t>(thread * 64 + i % 64);
            std::memset(place, pattern, bytes);
            live.push_back({static_cast<std::uint8_t*>(place), bytes, pattern});
        }
    }
    while (!live.empty()) release();
}

TEST_F(FrameAllocatorTest, four_cores_at_once) {
    add(1 * MiB); // little, so that it also runs dry
    std::vector<std::thread> threads;
    for (std::uint8_t i = 0; i < 4; ++i) threads.emplace_back([this, i] { allocate_and_verify(frames, i); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(frames.largest_free_extent(), 1 * MiB);
}

using FrameAllocatorDeathTest = FrameAllocatorTest;

TEST_F(FrameAllocatorDeathTest, broken_callers_are_named) {
    add(8 * frame);
    auto* const block = static_cast<std::byte*>(frames.allocate(4 * frame, 1));
    EXPECT_DEATH((void)frames.allocate(frame, 3), "power of two");
    EXPECT_DEATH((void)frames.allocate(frame, 2 * GiB), "power of two");
    EXPECT_DEATH(frames.free(block + 1, frame), "starts at a frame");
    EXPECT_DEATH(frames.free(block, 5 * frame), "20480 bytes freed at 0x[0-9a-f]+, only 16384 are in use");
    EXPECT_DEATH(frames.free(block + 2 * frame, 4 * frame), "double free: part of the 16384 bytes");
    EXPECT_DEATH(frames.free(start - frame, frame), "4096 bytes freed at 0x[0-9a-f]+, which never were this node's");
    EXPECT_DEATH(frames.free(start + 8 * frame, frame), "never were this node's to give");
    EXPECT_DEATH(frames.free(block, SIZE_MAX), "bytes freed at 0x[0-9a-f]+, only 16384 are in use");
    EXPECT_DEATH(frames.add({start + 7 * frame, 2 * frame}), "was added twice");
    EXPECT_DEATH(frames.add({start, frame}), "was added twice"); // in use or not
    frames.free(block, frame);
    EXPECT_DEATH(frames.free(block, frame), "double free: part of the 4096 bytes at 0x[0-9a-f]+ is free already");
}

} // namespace
} // namespace mxk::test

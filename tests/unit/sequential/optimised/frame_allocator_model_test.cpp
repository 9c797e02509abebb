// The frame allocator beside a plain array of frames, each of which is free, in use, or none.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernel/memory/frame_allocator.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

constexpr std::size_t frame = FrameAllocator::frame_bytes;

std::uintptr_t number(void const* place) {
    return reinterpret_cast<std::uintptr_t>(place);
}

struct Extent {
    std::size_t first;
    std::size_t frames;
};

class FrameModelTest : public testing::Test {
  protected:
    enum class Frame : std::uint8_t { None, Free, Used };
    static constexpr std::size_t frame_count = 40'000;

    [[nodiscard]] std::byte* at(std::size_t first) const { return memory.bytes().data() + first * frame; }
    void add(Extent range) {
        ranges.push_back(range);
        frames.add({at(range.first), range.frames * frame});
    }
    // After all adds and before the first block: what is free is what single frames are got of.
    void learn() {
        model.assign(frame_count, Frame::None);
        std::vector<void*> blocks;
        while (void* const block = frames.allocate(frame, frame)) blocks.push_back(block);
        ASSERT_EQ(blocks.size() * frame, frames.total_bytes());
        ASSERT_TRUE(std::is_sorted(blocks.begin(), blocks.end())); // the lowest first
        for (void* const block : blocks) {
            model[(number(block) - number(at(0))) / frame] = Frame::Free;
            frames.free(block, frame);
        }
    }
    // Learns, and that nothing of the ranges is lost but the table.
    void learn_and_verify_ranges(std::size_t table_frames) {
        learn();
        std::size_t sum = 0;
        for (Extent const& range : ranges) sum += range.frames;
        ASSERT_EQ(count(Frame::Free) + table_frames, sum);
        for (Extent const& range : ranges) sum -= free_of(range);
        ASSERT_EQ(sum, table_frames);
    }
    [[nodiscard]] std::size_t count(Frame what) const {
        return static_cast<std::size_t>(std::count(model.begin(), model.end(), what));
    }
    [[nodiscard]] std::size_t free_of(Extent part) const {
        auto const first = model.begin() + static_cast<std::ptrdiff_t>(part.first);
        return static_cast<std::size_t>(
            std::count(first, first + static_cast<std::ptrdiff_t>(part.frames), Frame::Free));
    }
    [[nodiscard]] bool all(Extent part, Frame what) const {
        return part.first + part.frames <= frame_count &&
               std::all_of(&model[part.first], &model[part.first] + part.frames,
                           [what](Frame of) { return of == what; });
    }
    // The lowest place, or frame_count.
    [[nodiscard]] std::size_t lowest(std::size_t wanted, std::size_t alignment) const {
        std::size_t run = 0;
        for (std::size_t i = 0; i < frame_count; ++i) {
            run = model[i] == Frame::Free && (run > 0 || is_aligned(number(at(i)), alignment)) ? run + 1 : 0;
            if (run == wanted) return i + 1 - wanted;
        }
        return frame_count;
    }
    [[nodiscard]] std::size_t max_run() const {
        std::size_t maximum = 0;
        std::size_t run = 0;
        for (Frame const of : model) maximum = std::max(maximum, run = of == Frame::Free ? run + 1 : 0);
        return maximum;
    }
    void allocate(std::size_t wanted, std::size_t alignment, bool is_lowest) {
        auto* const block = static_cast<std::byte*>(frames.allocate(wanted * frame - random() % frame, alignment));
        if (block == nullptr) {
            ASSERT_EQ(lowest(wanted, alignment), frame_count) << wanted << " frames aligned to " << alignment;
            return;
        }
        ASSERT_TRUE(is_aligned(number(block), std::max(alignment, frame)));
        Extent const got{static_cast<std::size_t>(block - at(0)) / frame, wanted};
        ASSERT_TRUE(all(got, Frame::Free));
        ASSERT_EQ(got.first, is_lowest ? lowest(wanted, alignment) : got.first);
        std::fill_n(&model[got.first], wanted, Frame::Used);
        live.push_back(got);
    }
    // All of a random block, or its front, middle or end.
    void free_some() {
        std::swap(live[random() % live.size()], live.back());
        Extent const block = live.back();
        live.pop_back();
        Extent part = block;
        if (random() % 8 == 0) {
            part.first += random() % block.frames;
            part.frames = 1 + random() % (block.first + block.frames - part.first);
        }
        frames.free(at(part.first), part.frames * frame);
        std::fill_n(&model[part.first], part.frames, Frame::Free);
        std::size_t const end = block.first + block.frames;
        std::size_t const part_end = part.first + part.frames;
        if (part.first > block.first) live.push_back({block.first, part.first - block.first});
        if (end > part_end) live.push_back({part_end, end - part_end});
    }
    // Phases in which memory gets full and empty again.
    void operate(int operations, std::size_t max_frames, bool is_lowest) {
        for (int i = 0; i < operations && !HasFatalFailure(); ++i) {
            bool const fills = i / 5'000 % 2 == 0;
            if (live.empty() || random() % 10 < (fills ? 7U : 3U)) {
                std::size_t const alignment = random() % 4 == 0 ? frame << random() % 8 : 1;
                allocate(1 + random() % (random() % 16 == 0 ? max_frames : 8), alignment, is_lowest && alignment == 1);
            } else {
                free_some();
            }
            if (i % 1'000 == 0) {
                ASSERT_EQ(frames.largest_free_extent(), max_run() * frame);
                ASSERT_EQ(frames.free_bytes(), count(Frame::Free) * frame);
            }
        }
    }
    void free_all() {
        std::shuffle(live.begin(), live.end(), random);
        for (Extent const& block : live) {
            frames.free(at(block.first), block.frames * frame);
            std::fill_n(&model[block.first], block.frames, Frame::Free);
        }
        live.clear();
        EXPECT_EQ(frames.free_bytes(), frames.total_bytes());
        EXPECT_EQ(frames.largest_free_extent(), max_run() * frame);
    }

    HostMemory memory{frame_count * frame};
    FrameAllocator frames;
    std::vector<Extent> ranges;
    std::vector<Frame> model;
    std::vector<Extent> live;
    std::mt19937_64 random{21};
};

TEST_F(FrameModelTest, a_million_operations) {
    RecordProperty("long", "a million operations, each compared with the model");
    add({3, 20'000});
    learn();
    operate(1'000'000, 2'000, false);
    free_all();
}

TEST_F(FrameModelTest, the_lowest_place_is_given) {
    add({1, 500});
    add({520, 300});
    learn();
    operate(100'000, 100, true);
    free_all();
}

// In no order, some of a single frame, some that touch.
TEST_F(FrameModelTest, hundreds_of_odd_ranges) {
    std::vector<Extent> parts;
    std::size_t first = 0;
    for (; parts.size() < 700; first += parts.back().frames + random() % 4)
        parts.push_back({first, 1 + random() % (random() % 4 == 0 ? 40 : 3)});
    ASSERT_LT(first, frame_count);
    std::shuffle(parts.begin(), parts.end(), random);
    for (Extent const part : parts) {
        add(part);
        ASSERT_EQ(frames.free_bytes(), frames.total_bytes());
    }
    std::size_t sum = 0;
    for (Extent const part : parts) sum += part.frames;
    std::size_t const table = sum - frames.total_bytes() / frame;
    EXPECT_LE(table, 14U); // 24 bytes a range, 4.3 a frame
    learn_and_verify_ranges(table);
    operate(200'000, 60, true);
    free_all();
}

TEST_F(FrameModelTest, single_frames_make_a_node) {
    add({7, 1});
    EXPECT_EQ(frames.total_bytes(), 0U); // it is the table
    EXPECT_EQ(frames.allocate(1, 1), nullptr);
    add({9, 1});
    EXPECT_EQ(frames.total_bytes(), frame);
    add({8, 1});
    EXPECT_EQ(frames.total_bytes(), 2 * frame);
    learn_and_verify_ranges(1);
}

// What is in use stays so, and can be given back.
TEST_F(FrameModelTest, memory_comes_while_some_is_in_use) {
    std::vector<void*> blocks;
    std::size_t sum = 0;
    for (std::size_t first = 0; first < 12'000; first += 400) {
        std::size_t const frames_before = frames.free_bytes() / frame;
        add({first, 300 + first / 400 % 2 * 100}); // every second one touches the next
        sum += ranges.back().frames;
        for (std::size_t i = 0; i < 50 + frames_before / 2; ++i) {
            blocks.push_back(frames.allocate(frame, frame));
            ASSERT_NE(blocks.back(), nullptr);
        }
        ASSERT_EQ(frames.total_bytes() - frames.free_bytes(), blocks.size() * frame);
    }
    std::sort(blocks.begin(), blocks.end());
    ASSERT_EQ(std::adjacent_find(blocks.begin(), blocks.end()), blocks.end());
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (void* const block : blocks) frames.free(block, frame);
    learn_and_verify_ranges(sum - frames.total_bytes() / frame);
    EXPECT_LE(sum - frames.total_bytes() / frame, FrameAllocator::table_bytes(sum * frame) / frame + 1);
    operate(50'000, 500, false);
    free_all();
}

// Nothing is free that its table could stand in.
TEST_F(FrameModelTest, a_range_without_room_for_its_table_is_left_out) {
    add({0, 20'000});
    std::size_t const total = frames.total_bytes();
    std::vector<void*> blocks;
    while (void* const block = frames.allocate(frame, frame)) blocks.push_back(block);
    frames.add({at(30'000), 2 * frame});
    EXPECT_EQ(frames.total_bytes(), total);
    EXPECT_EQ(frames.allocate(frame, frame), nullptr);
    for (void* const block : blocks) frames.free(block, frame);
    frames.add({at(30'000), 2 * frame});
    EXPECT_EQ(frames.total_bytes(), total + 2 * frame);
    EXPECT_EQ(frames.free_bytes(), frames.total_bytes());
}

// Behind hundreds that are large enough but begin in the wrong place, with none that is surely large enough.
TEST_F(FrameModelTest, an_aligned_block_is_found_wherever_it_fits) {
    constexpr std::size_t wanted = 16;
    add({0, 20'000});
    learn();
    auto* const all = static_cast<std::byte*>(frames.allocate(frames.free_bytes(), 1));
    std::size_t const aligned = align_up(number(all), wanted * frame);
    auto const place = [&](std::size_t i) { return reinterpret_cast<std::byte*>(aligned + i * wanted * frame); };
    for (std::size_t i = 0; i < 500; ++i) frames.free(place(2 * i) + frame, (wanted + 14) * frame);
    EXPECT_EQ(frames.allocate(wanted * frame, wanted * frame), nullptr);
    frames.free(place(1'100), wanted * frame);
    EXPECT_EQ(frames.allocate(wanted * frame, wanted * frame), place(1'100));
    frames.free(place(1'100), 3 * wanted * frame);
    EXPECT_EQ(frames.allocate(wanted * frame, wanted * frame), place(1'100));
}

TEST_F(FrameModelTest, the_table_is_a_thousandth) {
    for (std::size_t const bytes : {128 * MiB, 24 * GiB, 1024 * GiB})
        EXPECT_LT(FrameAllocator::table_bytes(bytes), bytes / 900);
    EXPECT_EQ(FrameAllocator::table_bytes(frame), frame);
}

} // namespace
} // namespace mxk::test

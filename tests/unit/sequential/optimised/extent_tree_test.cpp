#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "base/units.hpp"
#include "kernel/memory/extent_tree.hpp"

namespace mxk::test {
namespace {

constexpr std::size_t none = ExtentTree::none;

// The tree beside a plain array of lengths.
struct Model {
    explicit Model(std::size_t frames)
        : lengths(frames)
        , memory(ExtentTree::bytes_for(frames) + cache_line_bytes) {
        std::memset(memory.data(), 0xa5, memory.size()); // it may hold anything
        auto const start = align_up(reinterpret_cast<std::uintptr_t>(memory.data()), cache_line_bytes);
        tree = ExtentTree(reinterpret_cast<std::byte*>(start), frames);
    }
    void set(std::size_t first, std::size_t length) {
        lengths[first] = length;
        tree.set(first, length);
    }
    [[nodiscard]] std::size_t find(std::size_t length, std::size_t from) const {
        for (std::size_t i = from; i < lengths.size(); ++i)
            if (lengths[i] >= length) return i;
        return none;
    }
    [[nodiscard]] std::size_t find_before(std::size_t end) const {
        for (std::size_t i = std::min(end, lengths.size()); i > 0; --i)
            if (lengths[i - 1] != 0) return i - 1;
        return none;
    }
    void compare(std::size_t length, std::size_t place) const {
        ASSERT_EQ(tree.find(length, place), find(length, place)) << length << " from " << place;
        ASSERT_EQ(tree.find_before(place), find_before(place)) << "before " << place;
    }

    std::vector<std::size_t> lengths;
    std::vector<std::byte> memory;
    ExtentTree tree;
};

TEST(ExtentTree, of_no_frames_has_no_extents) {
    ExtentTree const tree;
    EXPECT_EQ(tree.find(1, 0), none);
    EXPECT_EQ(tree.find_before(5), none);
    EXPECT_EQ(tree.max_length(), 0U);
    EXPECT_EQ(ExtentTree::bytes_for(0), 0U);
}

TEST(ExtentTree, takes_a_thousandth_of_the_memory) {
    constexpr std::size_t frames = 64 * GiB / (4 * KiB);
    EXPECT_LT(ExtentTree::bytes_for(frames), 64 * GiB / 950);
    EXPECT_EQ(ExtentTree::bytes_for(1), cache_line_bytes);
}

TEST(ExtentTree, all_single_extents_of_small_rows_are_found) {
    for (std::size_t const frames : {1U, 15U, 16U, 17U, 255U, 256U, 257U, 300U}) {
        Model model(frames);
        for (std::size_t first = 0; first < frames; ++first) {
            model.set(first, 3);
            for (std::size_t place = 0; place <= frames + 17; ++place) model.compare(1 + place % 4, place);
            EXPECT_EQ(model.tree.length(first), 3U);
            EXPECT_EQ(model.tree.max_length(), 3U);
            model.set(first, 0);
        }
        EXPECT_EQ(model.tree.max_length(), 0U);
    }
}

TEST(ExtentTree, random_changes_are_those_of_an_array) {
    for (std::size_t const frames : {16U, 100U, 4096U, 5000U}) {
        Model model(frames);
        std::mt19937_64 random(frames);
        for (int i = 0; i < 20'000; ++i) {
            // Sometimes nearly empty, so that whole blocks become unreadable and are cleared again.
            bool const is_set = random() % 1000 < (i / 2000 % 2 == 0 ? 100U : 900U);
            std::size_t const first = random() % frames;
            if (is_set || model.lengths[first] != 0) model.set(first, is_set ? 1 + random() % 50 : 0);
            model.compare(1 + random() % 55, random() % (frames + 2));
        }
        EXPECT_EQ(model.tree.max_length(), *std::max_element(model.lengths.begin(), model.lengths.end()));
    }
}

TEST(ExtentTree, counts_frames_in_31_bits) {
    Model model(40);
    model.set(17, ExtentTree::max_frames);
    EXPECT_EQ(model.tree.find(ExtentTree::max_frames, 0), 17U);
    EXPECT_EQ(model.tree.find(ExtentTree::max_frames + 1, 0), none);
}

} // namespace
} // namespace mxk::test

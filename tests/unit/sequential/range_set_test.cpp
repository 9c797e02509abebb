#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "base/range_set.hpp"

namespace mxk {
namespace {

MemoryRange range(std::uint64_t start, std::uint64_t bytes) {
    return {static_cast<PhysicalAddress>(start), bytes};
}

std::vector<MemoryRange> contents(RangeSet const& set) {
    return {set.ranges().begin(), set.ranges().end()};
}

TEST(RangeSet, joins_what_overlaps_or_touches) {
    RangeSet set;
    set.add(range(100, 50));
    set.add(range(300, 50));
    set.add(range(150, 10)); // touches the first
    set.add(range(0, 10));
    EXPECT_EQ(contents(set), (std::vector{range(0, 10), range(100, 60), range(300, 50)}));
    set.add(range(120, 200)); // bridges two
    EXPECT_EQ(contents(set), (std::vector{range(0, 10), range(100, 250)}));
}

TEST(RangeSet, removing_splits_and_trims) {
    RangeSet set;
    set.add(range(100, 100));
    set.remove(range(120, 10));
    EXPECT_EQ(contents(set), (std::vector{range(100, 20), range(130, 70)}));
    set.remove(range(0, 110));
    set.remove(range(190, 1000));
    EXPECT_EQ(contents(set), (std::vector{range(110, 10), range(130, 60)}));
    set.remove(range(0, 5000));
    EXPECT_TRUE(set.ranges().empty());
}

TEST(RangeSet, takes_from_the_top_below_the_limit) {
    RangeSet set;
    set.add(range(0x1000, 0x10000));
    set.add(range(0x100000, 0x10000));
    EXPECT_EQ(set.take(0x1000, 0x1000, PhysicalAddress{0x20000}), PhysicalAddress{0x10000});
    EXPECT_EQ(set.take(0x1000, 0x1000, PhysicalAddress{UINT64_MAX}), PhysicalAddress{0x10f000});
    EXPECT_EQ(set.take(0x1000, 0x8000, PhysicalAddress{0x20000}), PhysicalAddress{0x8000});
    EXPECT_EQ(set.take(0x100000, 0x1000, PhysicalAddress{UINT64_MAX}), std::nullopt);
    EXPECT_EQ(set.bytes(), 0x20000U - 0x3000);
}

TEST(RangeSet, nonsense_from_firmware_wraps_nothing) {
    RangeSet set;
    set.add(range(UINT64_MAX - 10, 100)); // beyond the end of the address space
    set.add(range(5, 0));
    EXPECT_EQ(contents(set), (std::vector{range(UINT64_MAX - 10, 10)}));
    set.remove(range(0, UINT64_MAX));
    EXPECT_TRUE(set.ranges().empty());
}

TEST(RangeSet, a_full_set_loses_memory_and_says_so) {
    RangeSet set;
    for (std::uint64_t i = 0; i < RangeSet::capacity + 3; ++i) set.add(range(i * 100, 10));
    EXPECT_EQ(set.ranges().size(), RangeSet::capacity);
    EXPECT_EQ(set.dropped(), 3U);
}

TEST(RangeSet, agrees_with_a_bitmap) {
    std::mt19937 random(1);
    RangeSet set;
    std::vector<bool> model(2000);
    for (int i = 0; i < 5000; ++i) {
        auto const start = random() % 1900;
        auto const bytes = random() % 100;
        bool const adding = random() % 2 == 0;
        adding ? set.add(range(start, bytes)) : set.remove(range(start, bytes));
        for (std::size_t at = start; at < start + bytes; ++at) model[at] = adding;
        std::vector<bool> is(model.size());
        std::uint64_t last_end = 0;
        for (MemoryRange const& part : set.ranges()) {
            ASSERT_GT(part.bytes, 0U);
            ASSERT_TRUE(last_end == 0 || raw(part.start) > last_end); // sorted, disjoint, not even touching
            last_end = raw(part.end());
            for (std::uint64_t at = raw(part.start); at < last_end; ++at) is[at] = true;
        }
        ASSERT_EQ(is, model);
    }
}

} // namespace
} // namespace mxk

// When a concurrent table of chains grows and shrinks.
#include "hashtable/shared/concurrent/size_limits.hpp"

#include <gtest/gtest.h>

namespace mxk::concurrent {
namespace {

// 16 heads at first, 64 now, two nodes each.
constexpr TableShape shape{.first_heads = 16, .max_load = 2};
constexpr unsigned first_order = 4;
constexpr unsigned order = 6;
constexpr std::int64_t full = 128;
struct Limits : SizeLimits {
    Limits()
        : SizeLimits(shape) {
        resized_to(concurrent::order);
    }
};

TEST(SizeLimits, it_grows_beyond_its_load_and_shrinks_below_an_eighth) {
    Limits const limits;
    for (std::int64_t nodes = -5; nodes <= full + 5; ++nodes) {
        unsigned const wanted = nodes > full ? order + 1 : nodes < full / 8 ? order - 1 : order;
        EXPECT_EQ(limits.wanted_order(order, nodes), wanted) << nodes;
        EXPECT_EQ(limits.may_want_resize(nodes), wanted != order) << nodes;
    }
}

TEST(SizeLimits, what_it_is_made_for_it_keeps_while_it_is_filled) {
    for (std::size_t const heads : {8U, 64U, 1U << 20}) {
        SizeLimits const limits({.first_heads = heads});
        for (std::int64_t nodes = -5; nodes <= 2 * static_cast<std::int64_t>(heads); nodes += nodes / 8 + 1) {
            EXPECT_EQ(limits.wanted_order(limits.order(), nodes), limits.order()) << nodes;
            EXPECT_FALSE(limits.may_want_resize(nodes)) << nodes;
        }
    }
}

TEST(SizeLimits, it_stays_within_its_smallest_and_largest_number_of_heads) {
    Limits limits;
    limits.resized_to(first_order);
    EXPECT_EQ(limits.wanted_order(first_order, 0), first_order);
    EXPECT_FALSE(limits.may_want_resize(-1));
    EXPECT_EQ(limits.wanted_order(HeadBlock::max_order, std::numeric_limits<std::int64_t>::max()),
              HeadBlock::max_order);
}

// What the others do not know of yet is little against what the table is made for, however many there are.
TEST(SizeLimits, cores_count_together_what_is_little_for_the_table) {
    Limits const limits;
    for (std::size_t const cores : {1U, 2U, 3U, 16U, 64U, 500U}) {
        for (unsigned of = HeadBlock::min_order; of < 20; ++of) {
            std::int64_t const together = limits.counted_together(of, cores);
            std::int64_t const heads = std::int64_t{1} << of;
            EXPECT_GE(together, 1);
            EXPECT_LE(together, 64);
            if (together > 1) {
                EXPECT_LE(together * static_cast<std::int64_t>(cores), heads / 2);
            }
        }
    }
    EXPECT_EQ(limits.counted_together(HeadBlock::max_order, 500), 64);
}

// So that who has no memory does not ask, and warn, with each insert.
TEST(SizeLimits, refused_memory_is_asked_for_again_with_an_eighth_more_nodes) {
    Limits limits;
    limits.refused(order, order + 1, 160);
    limits.set_limits(order);
    for (std::int64_t nodes = full; nodes <= 180; ++nodes) {
        EXPECT_EQ(limits.wanted_order(order, nodes), order) << nodes;
        EXPECT_FALSE(limits.may_want_resize(nodes)) << nodes;
    }
    EXPECT_EQ(limits.wanted_order(order, 182), order + 1);
    EXPECT_TRUE(limits.may_want_resize(182));
    EXPECT_EQ(limits.wanted_order(order, full / 8 - 1), order - 1) << "it still shrinks";
}

TEST(SizeLimits, a_smaller_block_that_was_refused_is_asked_for_again_with_an_eighth_fewer_nodes) {
    Limits limits;
    limits.refused(order, order - 1, 15);
    limits.set_limits(order);
    for (std::int64_t nodes = 14; nodes < full; ++nodes) {
        EXPECT_EQ(limits.wanted_order(order, nodes), order) << nodes;
        EXPECT_FALSE(limits.may_want_resize(nodes)) << nodes;
    }
    EXPECT_EQ(limits.wanted_order(order, 13), order - 1);
    EXPECT_TRUE(limits.may_want_resize(13));
    EXPECT_EQ(limits.wanted_order(order, full + 1), order + 1) << "it still grows";
}

// What was refused when it was large is no reason to refuse what a small one needs.
TEST(SizeLimits, a_table_that_has_shrunk_since_grows_as_before) {
    Limits limits;
    limits.refused(order, order + 1, 1000);
    limits.resized_to(order - 1);
    EXPECT_EQ(limits.wanted_order(order - 1, full / 2 + 1), order);
    EXPECT_TRUE(limits.may_want_resize(full / 2 + 1));
}

TEST(SizeLimits, what_is_reserved_is_asked_for_at_once_and_kept) {
    Limits limits;
    limits.refused(order, order + 1, 1000);
    limits.reserve(full + 1);
    limits.set_limits(order);
    EXPECT_EQ(limits.wanted_order(order, 0), order + 1);
    limits.resized_to(order + 1);
    EXPECT_EQ(limits.wanted_order(order + 1, 0), order + 1);
    EXPECT_FALSE(limits.may_want_resize(0)) << "nobody asks in vain";
}

// More than was reserved, or more of it: what it has reached of that, it keeps.
TEST(SizeLimits, what_was_reserved_and_reached_is_kept_when_more_is_refused) {
    Limits limits;
    limits.reserve(full + 1);
    limits.resized_to(order + 1);
    limits.refused(order + 1, order + 2, 3 * full);
    limits.set_limits(order + 1);
    EXPECT_EQ(limits.wanted_order(order + 1, 0), order + 1);
    EXPECT_FALSE(limits.may_want_resize(0));
    limits.reserve(100 * full);
    limits.refused(order + 1, order + 2, 0);
    limits.set_limits(order + 1);
    EXPECT_EQ(limits.wanted_order(order + 1, 0), order + 1) << "what it could not reach, it does not ask for again";
    EXPECT_FALSE(limits.may_want_resize(0));
    limits.reserve(0);
    EXPECT_EQ(limits.wanted_order(order + 1, 0), order);
}

} // namespace
} // namespace mxk::concurrent

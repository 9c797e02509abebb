// When tables that grow block by block do so, and how much they do at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/unit/sequential/optimised/extendible_fixture.hpp"

namespace mxk::test {
namespace {

class ExtendibleWorkTest : public ExtendibleTest {};
INSTANTIATE_TEST_SUITE_P(Tables, ExtendibleWorkTest,
                         testing::Values(open_table, cuckoo_table, bucketed_table, chained_table), name_of);

TEST_P(ExtendibleWorkTest, is_a_block_at_a_time) {
    configure({256 * MiB});
    std::size_t const max_slots = kind().block_slots;
    // Cuckoo hashing asks where others may go, too; and chains, as lines behind buckets, do not end at the block's
    // load.
    std::size_t const max_hashes = 2 * max_slots + 1000;
    // How often the table has asked for one: once or more for every key that it moves.
    std::size_t hashes = 0;
    auto const counted = [&hashes](std::uint64_t, std::uint64_t hash) {
        ++hashes;
        return hash;
    };
    GrowingTable t(kind(), {.slots = 16}, kind().few, {counted});
    auto const numbers = t.numbers(60'000);
    std::size_t max_asked = 0;
    std::size_t max_change = 0;
    auto const work = [&] {
        std::size_t const slots = t.table->slot_count();
        std::size_t const hashes_before = hashes;
        t.table->work();
        std::size_t const change = std::max(slots, t.table->slot_count()) - std::min(slots, t.table->slot_count());
        ASSERT_LE(change, max_slots) << "a split, or a merge";
        max_change = std::max(max_change, change);
        max_asked = std::max(max_asked, hashes - hashes_before);
    };
    for (std::uint64_t const number : numbers) {
        ASSERT_EQ(t.insert(number), Insert::Inserted);
        work();
    }
    for (std::uint64_t const number : numbers) {
        t.erase(number);
        work();
    }
    EXPECT_LE(max_asked, max_hashes);
    EXPECT_GT(max_change, 0U) << "it has grown";
    if (!kind().takes_keys_from_lines) EXPECT_GT(max_asked, max_slots / 4) << "keys were asked for their hashes";
    t.check_all();
}

// A listener is told whenever there is something to do, so that nobody has to ask.
TEST_P(ExtendibleWorkTest, is_told_of) {
    configure({256 * MiB});
    struct Listener : WorkListener {
        Listener()
            : WorkListener{[](WorkListener& self, void* context) {
                EXPECT_EQ(context, &self);
                static_cast<Listener&>(self).is_told = true;
            }} {}
        bool is_told = false;
    };
    GrowingTable t(kind(), {.slots = 16}, kind().few);
    auto const numbers = t.numbers(60'000);
    Listener listener;
    t.table->tell(listener, &listener);
    auto const check = [&] {
        ASSERT_EQ(t.table->has_work(), listener.is_told);
        t.finish_work();
        listener.is_told = false;
    };
    std::size_t const slots = t.table->slot_count();
    std::uint64_t moves = listener.moves;
    for (std::uint64_t const number : numbers) {
        std::size_t const before = t.table->slot_count();
        t.insert(number);
        check();
        if (t.table->slot_count() != before) {
            ASSERT_GT(listener.moves, moves) << "positions are said to be invalid";
            moves = listener.moves;
        }
    }
    EXPECT_GT(t.table->slot_count(), slots);
    for (std::uint64_t const number : numbers) {
        t.erase(number);
        check();
    }
    EXPECT_LE(t.table->slot_count(), std::max(slots, 2 * kind().block_slots));
}

class ExtendibleOpenTest : public ExtendibleTest {};
INSTANTIATE_TEST_SUITE_P(Tables, ExtendibleOpenTest, testing::Values(open_table, open_table_of_bytes), name_of);

// As many keys all the time, and always other ones: tombstones would fill any table if they were not cleared away.
TEST_P(ExtendibleOpenTest, is_not_filled_by_tombstones) {
    for (double const part : {0.3, 0.6, 0.77}) {
        configure({128 * MiB});
        GrowingTable t(kind(), {.slots = 20'000});
        std::size_t const first_slots = t.table->slot_count();
        auto const keys = static_cast<std::size_t>(static_cast<double>(first_slots) * part);
        for (std::uint64_t number = 0; number < keys; ++number) t.insert(number);
        std::size_t max_slots = 0;
        for (std::uint64_t number = 0; number < 10 * keys; ++number) {
            t.erase(number);
            ASSERT_EQ(t.insert(number + keys), Insert::Inserted);
            if (number % 16 == 0) t.table->work();
            max_slots = std::max(max_slots, t.table->slot_count());
        }
        t.check_all();
        // A block that is crowded by keys becomes two, and may become one again only when they are half as full.
        EXPECT_LE(max_slots, first_slots * (part < 0.5 ? 1 : 2)) << part;
        EXPECT_EQ(t.model.size(), keys);
    }
}

// The last slots of a block that cannot grow, over and over: a search must always find its end.
TEST_P(ExtendibleOpenTest, may_be_full_of_tombstones) {
    configure({1 * MiB});
    GrowingTable t(kind(), {.slots = kind().block_slots});
    std::uint64_t number = 0;
    std::size_t full = 0;
    auto const rest = memory::allocate(allocators[0].largest_free_extent(), 4 * KiB, node_id(0));
    for (; full < 10; ++number) full += t.insert(number) == Insert::Full ? 1U : 0U;
    EXPECT_EQ(t.table->slot_count(), kind().block_slots);
    EXPECT_EQ(t.model.size(), kind().block_slots - 1) << "one slot stays empty";
    for (std::uint64_t i = 0; i < number; ++i) t.erase(i);
    t.check_all();
    for (std::uint64_t i = 0; i < 3 * number; ++i) {
        t.insert(number + i);
        t.find(number - 1);
        t.erase(number + i);
        t.find(number + i);
    }
    t.check_all();
    memory::free(rest.value());
}

// Nothing may be as full as its user likes.
TEST_P(ExtendibleOpenTest, has_an_empty_slot_at_any_load) {
    configure({64 * MiB});
    for (double const load : {0.01, 0.99, 1.0, 1.5}) {
        GrowingTable t(kind(), {.slots = 16, .load = load});
        for (std::uint64_t number = 0; number < 6000; ++number) {
            ASSERT_EQ(t.insert(number), Insert::Inserted);
            if (number % 50 == 0) t.find(1'000'000 + number);
            t.table->work();
        }
        t.check_all();
    }
}

class ExtendibleCuckooTest : public ExtendibleTest {};
INSTANTIATE_TEST_SUITE_P(Tables, ExtendibleCuckooTest, testing::Values(cuckoo_table, cuckoo_table_of_bytes), name_of);

TEST_P(ExtendibleCuckooTest, is_nearly_full_before_it_grows) {
    configure({64 * MiB});
    // A single block, one of few groups, and several, of which the fullest grows first.
    for (auto const& [slots, min_load] : {std::pair{kind().block_slots, 0.93}, std::pair{std::size_t{400}, 0.92},
                                          std::pair{10 * kind().block_slots, 0.88}}) {
        GrowingTable t(kind(), {.slots = slots});
        std::size_t const first_slots = t.table->slot_count();
        for (std::uint64_t number = 0; t.table->slot_count() == first_slots; ++number) {
            ASSERT_EQ(t.insert(number), Insert::Inserted);
            t.table->work();
        }
        EXPECT_GE(static_cast<double>(t.model.size()) / static_cast<double>(first_slots), min_load) << slots;
    }
}

} // namespace
} // namespace mxk::test

// Tables that grow and shrink block by block, against the standard's map: every layout, with every kind of key, and in
// each of the ways in which a table may come to grow.
#include "hashtable/table/extendible.hpp"

#include <gtest/gtest.h>

#include "tests/unit/long_tests.hpp"
#include "tests/unit/sequential/optimised/extendible_fixture.hpp"

namespace mxk::test {
namespace {

std::size_t run_length() {
    return operations(200'000, 10'000'000);
}

INSTANTIATE_TEST_SUITE_P(Tables, ExtendibleTest, all_tables(), name_of);

TEST_P(ExtendibleTest, grows_and_shrinks_in_waves) {
    configure({512 * MiB});
    std::size_t const used = used_bytes();
    {
        GrowingTable t(kind(), {.slots = 16}, kind().few);
        std::size_t const first_slots = t.table->slot_count();
        auto const numbers = t.numbers(run_length() / 6);
        std::size_t const wave = run_length() / 3;
        for (int waves = 0; waves < 3; ++waves) {
            t.run(wave * 3 / 8, numbers, {.inserts = 80, .erases = 5});
            t.check_all();
            EXPECT_GT(t.table->slot_count(), first_slots) << "it has grown";
            t.run(wave / 8, numbers, {.inserts = 20, .erases = 20});
            t.run(wave / 2, numbers, {.inserts = 2, .erases = 90});
            t.check_all();
        }
        for (std::uint64_t const number : numbers) {
            t.erase(number);
            t.finish_work();
        }
        t.check_all();
        EXPECT_LE(t.table->slot_count(), std::max(first_slots, 2 * kind().block_slots)) << "it has shrunk";
    }
    EXPECT_EQ(used_bytes(), used);
}

// Nothing is done in between: all growth is in the middle of inserts, and nothing ever shrinks.
TEST_P(ExtendibleTest, grows_when_nobody_has_time_for_it) {
    configure({512 * MiB});
    GrowingTable t(kind(), {.slots = 16}, kind().few);
    auto const numbers = t.numbers(run_length() / 8);
    for (int waves = 0; waves < 2; ++waves) {
        t.run(run_length() / 4, numbers, {.inserts = 70, .erases = 10}, 1U << 31);
        t.check_all();
        t.run(run_length() / 4, numbers, {.inserts = 10, .erases = 70}, 1U << 31);
        t.check_all();
    }
    t.finish_work();
    t.check_all();
}

// As one of the partitions of a larger table, and with blocks that are no power of two.
TEST_P(ExtendibleTest, is_one_of_several_of_a_given_size_and_load) {
    configure({512 * MiB});
    std::size_t const keys = run_length() / 16;
    GrowingTable t(kind(), {.slots = 2 * keys, .load = 0.7}, {.bits = 3, .value = 5});
    std::size_t const first_slots = t.table->slot_count();
    EXPECT_GE(first_slots, 2 * keys);
    auto numbers = t.numbers(4 * keys);
    std::vector<std::uint64_t> const enough(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(keys));
    t.run(run_length() / 3, enough, {.inserts = 40, .erases = 20}, 16);
    t.check_all();
    EXPECT_EQ(t.table->slot_count(), first_slots) << "it was large enough";
    t.run(run_length() / 3, numbers, {.inserts = 60, .erases = 5}, 16);
    t.check_all();
    t.run(run_length() / 3, numbers, {.inserts = 5, .erases = 80}, 16);
    t.check_all();
}

// Every size that a small table may have on its way, each key looked at after each step.
TEST_P(ExtendibleTest, is_right_at_every_size) {
    configure({64 * MiB});
    for (std::size_t const slots : {1U, 5U, 17U, 33U, 100U, 3000U}) {
        GrowingTable t(kind(), {.slots = slots}, {.bits = 8, .value = slots % 256});
        auto const numbers = t.numbers(200);
        for (std::uint64_t const number : numbers) {
            ASSERT_EQ(t.insert(number), Insert::Inserted);
            ASSERT_EQ(t.insert(number), Insert::Present);
            t.check_all();
        }
        for (std::uint64_t const number : numbers) {
            t.erase(number);
            t.find(number);
            t.check_all();
        }
    }
}

TEST_P(ExtendibleTest, key_0_is_refused) {
    configure({16 * MiB});
    GrowingTable t(kind(), {.slots = 16}, kind().few);
    EXPECT_DEATH(t.table->insert_key_0(), "a table has no key 0");
    EXPECT_FALSE(t.table->has_key_0());
    EXPECT_FALSE(t.table->erase_key_0());
    for (std::uint64_t const number : t.numbers(100)) t.insert(number);
    t.check_all();
}

} // namespace
} // namespace mxk::test

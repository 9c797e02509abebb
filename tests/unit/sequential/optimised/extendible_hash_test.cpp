// Tables that grow block by block by hashes of the user's own, and how well the default one spreads keys that are no
// random numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/unit/sequential/optimised/extendible_fixture.hpp"

namespace mxk::test {
namespace {

class ExtendibleHashTest : public ExtendibleTest {};
INSTANTIATE_TEST_SUITE_P(Tables, ExtendibleHashTest,
                         testing::Values(open_table, cuckoo_table_of_bytes, chained_table_of_bytes), name_of);

// Right, though slow, and no larger than a few blocks and their directory.
TEST_P(ExtendibleHashTest, may_be_the_same_for_all_keys) {
    configure({64 * MiB});
    std::size_t const used = used_bytes();
    {
        GrowingTable t(kind(), {.slots = 16}, {},
                       {[](std::uint64_t, std::uint64_t) -> std::uint64_t { return 0x1234'5678'9abc'def0; }});
        for (std::uint64_t number = 0; number < 6000; ++number) {
            t.insert(number);
            if (number % 64 == 0) t.table->work();
        }
        t.check_all();
        t.finish_work();
        EXPECT_LE(t.table->slot_count(), 12 * kind().block_slots);
        EXPECT_LE(used_bytes() - used, 2 * MiB);
        for (std::uint64_t number = 0; number < 6000; ++number) {
            t.erase(number);
            if (number % 64 == 0) t.table->work();
        }
        t.check_all();
        EXPECT_EQ(t.model.size(), 0U);
        t.insert(1);
        t.check_all();
    }
    EXPECT_EQ(used_bytes(), used);
}

// A block that becomes two stays as full as it was for some times. Nobody does the work in between: blocks are full to
// the last slot when they become two.
TEST_P(ExtendibleHashTest, may_have_the_same_leading_bits_for_all_keys) {
    configure({64 * MiB});
    GrowingTable t(kind(), {.slots = 16}, {}, {[](std::uint64_t, std::uint64_t hash) { return hash >> 4; }});
    for (std::uint64_t number = 0; number < 30'000; ++number) ASSERT_EQ(t.insert(number), Insert::Inserted) << number;
    t.check_all();
}

// By which two tables place the same keys differently.
TEST_P(ExtendibleHashTest, may_have_state) {
    configure({64 * MiB});
    for (std::uint64_t const factor : {1UL, 0x9e37'79b9'7f4a'7c15UL}) {
        GrowingTable t(kind(), {.slots = 16}, {},
                       {[factor](std::uint64_t, std::uint64_t hash) { return hash * factor; }});
        auto const numbers = t.numbers(20'000);
        t.run(40'000, numbers, {.inserts = 70, .erases = 10});
        t.check_all();
        t.run(40'000, numbers, {.inserts = 10, .erases = 70});
        t.check_all();
    }
}

class ExtendibleModuloTest : public ExtendibleTest {};
INSTANTIATE_TEST_SUITE_P(Tables, ExtendibleModuloTest, testing::Values(open_table, cuckoo_table, chained_table),
                         name_of);

// Keys in sequence, and steps that share no divisor or a small one with the places, in tables of all numbers of places.
TEST_P(ExtendibleModuloTest, takes_sequences_and_steps) {
    for (std::uint64_t const places : {1U, 1009U, 4096U, 100'000U}) {
        for (std::uint64_t const step : {1U, 2U, 16U, 1000U, 65537U}) {
            if (std::gcd(places, step) > 16) continue; // a few places have all keys: one may run out of the directory
            configure({128 * MiB});
            ModuloHash const modulo(places);
            GrowingTable t(kind(), {.slots = 16}, {},
                           {[&modulo](std::uint64_t key, std::uint64_t) { return modulo(key); }});
            constexpr std::uint64_t keys = 20'000;
            for (std::uint64_t i = 0; i < keys; ++i) {
                ASSERT_EQ(t.insert(i * step), Insert::Inserted) << places << ' ' << step << ' ' << i;
                t.table->work();
            }
            t.check_all();
            for (std::uint64_t i = 0; i < keys; i += 2) {
                t.erase(i * step);
                t.table->work();
            }
            t.check_all();
        }
    }
}

// How uneven so many keys are in so many parts of equal size: the sum of squares over what random keys have, by their
// standard deviation. Random keys are seldom over 5.
double unevenness(std::vector<std::size_t> const& parts, std::size_t keys) {
    double const mean = static_cast<double>(keys) / static_cast<double>(parts.size());
    double sum = 0;
    for (std::size_t const part : parts) sum += (static_cast<double>(part) - mean) * (static_cast<double>(part) - mean);
    auto const freedom = static_cast<double>(parts.size() - 1);
    return (sum / mean - freedom) / std::sqrt(2 * freedom);
}

struct Pattern {
    char const* name;
    std::uint64_t first;
    std::uint64_t step;
};

std::vector<Pattern> patterns() {
    return {{"in sequence", 1, 1},
            {"2", 2, 2},
            {"2^10", 1 << 10, 1 << 10},
            {"2^16", 1 << 16, 1 << 16},
            {"2^20", 1 << 20, 1 << 20},
            {"2^32", 1UL << 32, 1UL << 32},
            {"2^40", 1UL << 40, 1UL << 40},
            {"2^44, behind a 1", 1, 1UL << 44},
            {"high bits only", 1UL << 46, 1UL << 46},
            {"1000", 1000, 1000},
            {"4096", 4096, 4096},
            {"65536", 65536, 65536},
            {"65537", 65537, 65537},
            {"10^9", 1'000'000'000, 1'000'000'000},
            {"2^64 / phi", 0x9e37'79b9'7f4a'7c15, 0x9e37'79b9'7f4a'7c15},
            {"addresses of cache lines", 0xffff'8000'1234'0000, 64},
            {"addresses of frames", 0x7f12'3456'7000, 4096}};
}

TEST(MixedHash, spreads_patterns_like_random_keys) {
    constexpr std::size_t keys = 1 << 18;
    for (Pattern const& pattern : patterns()) {
        std::vector<std::size_t> by_block(256);
        std::vector<std::size_t> by_small_block(1 << 14);
        std::vector<std::size_t> by_cell(1023);
        std::vector<std::size_t> by_second_cell(1023);
        std::vector<std::size_t> in_one_block(128);
        for (std::uint64_t i = 0; i < keys; ++i) {
            std::uint64_t const hash = MixedHash()(pattern.first + i * pattern.step);
            ++by_block[hash >> 56];
            ++by_small_block[hash >> 50];
            ++by_cell[high_product(hash << 32, by_cell.size())];
            ++by_second_cell[high_product((hash & 0xffff'ffff) * 0x9e37'79b9'7f4a'7c15, by_cell.size())];
            if (hash >> 61 == 3) ++in_one_block[hash << 32 >> 57];
        }
        SCOPED_TRACE(pattern.name);
        EXPECT_LT(unevenness(by_block, keys), 5);
        EXPECT_LT(unevenness(by_small_block, keys), 5);
        EXPECT_LT(unevenness(by_cell, keys), 5);
        EXPECT_LT(unevenness(by_second_cell, keys), 5);
        EXPECT_LT(unevenness(in_one_block, keys / 8), 6);
    }
}

template <std::size_t Size> void expect_even_bytes() {
    constexpr std::size_t keys = 1 << 16;
    // Each character that may differ alone, and all of them.
    for (std::size_t at = 0; at + 4 <= Size; at += 4) {
        std::vector<std::size_t> by_block(256);
        std::vector<std::size_t> by_cell(1023);
        for (std::uint64_t i = 0; i < keys; ++i) {
            std::string text(Size, 'x');
            for (std::size_t digit = 0; digit < 4; ++digit)
                text[at + digit] = static_cast<char>('a' + (i >> 4 * digit & 15));
            std::uint64_t const hash = MixedHash()(Bytes<Size>(text));
            ++by_block[hash >> 56];
            ++by_cell[high_product(hash << 32, by_cell.size())];
        }
        EXPECT_LT(unevenness(by_block, keys), 5) << at;
        EXPECT_LT(unevenness(by_cell, keys), 5) << at;
    }
}
TEST(MixedHash, spreads_strings_that_differ_in_four_characters) {
    expect_even_bytes<16>();
    expect_even_bytes<32>();
}

TEST(MixedHash, can_be_taken_back) {
    std::mt19937_64 random(1);
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        for (std::uint64_t const key : {i, ~i, i << 44, random()}) {
            ASSERT_EQ(MixedHash::inverse(MixedHash()(key)), key);
            ASSERT_EQ(MixedHash()(MixedHash::inverse(key)), key);
        }
    }
}

// The keys that a table gives back are computed from hashes, of buckets and blocks of any size, in any of the shares of
// all keys.
class PairBucketsTest : public MemoryTest {};
TEST_F(PairBucketsTest, give_keys_back_from_hashes) {
    configure({128 * MiB});
    for (unsigned bits = 0; bits <= 20; bits += 4) {
        std::uint64_t const value = 0x9'3c5a >> (20 - bits);
        auto const table = bucketed_table.create({.slots = 16}, {}, {bits, value});
        std::unordered_map<std::uint64_t, std::uint64_t> model; // by number, which is less than its key by one
        std::mt19937_64 random(bits);
        auto const check = [&] {
            std::size_t visited = 0;
            table->for_each([&](std::optional<std::uint64_t> number, std::uint64_t item) {
                ++visited;
                auto const expected = model.find(number.value());
                ASSERT_TRUE(expected != model.end() && expected->second == item) << *number;
            });
            ASSERT_EQ(visited, model.size());
        };
        for (std::size_t i = 0; i < 40'000; ++i) {
            std::uint64_t const hash = bits == 0 ? random() : random() >> bits | value << (64 - bits);
            std::uint64_t const number = MixedHash::inverse(hash) - 1;
            if (model.try_emplace(number, i).second) {
                ASSERT_EQ(table->insert(number, i), Insert::Inserted);
            }
            if (i % 20'000 == 10'000) check();
            table->work();
        }
        check();
        while (model.size() > 100) {
            ASSERT_TRUE(table->erase(model.begin()->first));
            model.erase(model.begin());
            table->work();
        }
        check();
    }
}

// A table of which a quarter is left becomes smaller, step by step, until half of it is taken.
TEST_F(PairBucketsTest, become_smaller_until_half_is_taken) {
    configure({128 * MiB});
    auto const table = bucketed_table.create({.slots = 16}, {}, {.bits = 5, .value = 0x15});
    std::mt19937_64 random(5);
    std::vector<std::uint64_t> numbers;
    while (numbers.size() < 40'000) {
        numbers.push_back(MixedHash::inverse(random() >> 5 | std::uint64_t{0x15} << 59) - 1);
        ASSERT_EQ(table->insert(numbers.back(), 1), Insert::Inserted);
    }
    while (table->has_work()) table->work();
    std::size_t const slots = table->slot_count();
    std::size_t left = numbers.size();
    for (; !table->has_work(); --left) ASSERT_TRUE(table->erase(numbers[left - 1]));
    EXPECT_NEAR(static_cast<double>(left), 10'000, 500);
    EXPECT_EQ(table->slot_count(), slots);
    while (table->has_work()) table->work();
    EXPECT_LE(table->slot_count(), 3 * left);
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(table->find(numbers[i]).has_value(), i < left);
}

} // namespace
} // namespace mxk::test

// Tables with a limit of keys: never more than that, what is used stays, and nothing is counted wrongly. Tables without
// one lose nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "hashtable/bulk/bulk_set.hpp"
#include "hashtable/bulk/bulk_table.hpp"
#include "main/library/runtime.hpp"
#include "tests/delays.hpp"
#include "tests/unit/bulk_table_model.hpp"

namespace mxk {
namespace {

using namespace test;

class BulkCacheTest : public testing::Test {
  protected:
    using Numbers = Table<std::uint64_t, std::uint64_t>;

    static std::vector<std::uint64_t> from_to(std::uint64_t from, std::uint64_t to) {
        std::vector<std::uint64_t> keys(to - from);
        std::iota(keys.begin(), keys.end(), from);
        return keys;
    }
    static std::size_t found(Numbers const& table, std::vector<std::uint64_t> const& keys) {
        std::vector<std::uint64_t> values(keys.size());
        return table.find(keys, values);
    }
    // What is there has the right value, and nothing is there twice.
    static void expect_whole(Numbers const& table) {
        std::vector<std::uint64_t> seen;
        table.for_each([&](std::uint64_t key, std::uint64_t value) {
            EXPECT_EQ(value, 3 * key);
            seen.push_back(key);
        });
        EXPECT_EQ(seen.size(), table.size());
        std::ranges::sort(seen);
        EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
    }
    static std::vector<std::uint64_t> thrice(std::vector<std::uint64_t> keys) {
        for (std::uint64_t& key : keys) key *= 3;
        return keys;
    }

    Result<Runtime> runtime = Runtime::start({.cores = 3, .nodes = 2, .memory_bytes = 256 * MiB, .own_threads = true});
};

TEST_F(BulkCacheTest, never_more_keys_than_the_limit) {
    for (std::size_t const max_keys : {2U, 3U, 64U, 129U, 5'000U, 100'000U}) {
        auto made = Numbers::create({.max_keys = max_keys});
        ASSERT_TRUE(made.ok()) << made.error().message();
        Numbers& table = made.value();
        std::size_t inserted = 0;
        std::size_t erased = 0;
        std::uint64_t next = 0;
        for (std::size_t const count : {1U, 31U, 32U, 1000U, 70'000U, 5U, 200'000U}) {
            auto const keys = from_to(next, next + count);
            next += count;
            BulkResult const result = table.insert(keys, thrice(keys));
            ASSERT_TRUE(result.ok());
            EXPECT_EQ(result.changed, count);
            inserted += result.changed;
            EXPECT_LE(table.size(), max_keys);
            if (count == 1000) erased += table.erase(keys).changed;
            if (count == 5) erased += table.clear();
            TableStatistics const its = table.statistics();
            EXPECT_EQ(its.keys + its.evicted, inserted - erased);
        }
        EXPECT_GE(table.size(), max_keys - max_keys / 8 - 1); // every region has its share, or one less
        for (std::uint64_t key = next; key < next + 500; ++key) {
            ASSERT_TRUE(table.insert(key, 3 * key).inserted());
            ASSERT_EQ(table.find(key), 3 * key); // one by one: it is there
            ASSERT_LE(table.size(), max_keys);
        }
        expect_whole(table);
    }
}

// A thousand keys are found again and again, while a hundred times as many pass by.
TEST_F(BulkCacheTest, what_is_used_stays) {
    auto made = Numbers::create({.max_keys = 8'000});
    ASSERT_TRUE(made.ok());
    Numbers& table = made.value();
    auto const used = from_to(0, 1'000);
    ASSERT_TRUE(table.insert(used, thrice(used)).ok());
    for (std::uint64_t round = 0; round < 100; ++round) {
        switch (round % 4) {
        case 0: ASSERT_EQ(found(table, used), used.size()); break;
        case 1: ASSERT_EQ(table.update(used, thrice(used)).changed, used.size()); break;
        case 2: ASSERT_EQ(table.upsert(used, thrice(used)).changed, 0U); break;
        default:
            for (std::uint64_t const key : used) ASSERT_TRUE(table.find(key).has_value());
        }
        auto const passing = from_to(10'000 + 1'000 * round, 11'000 + 1'000 * round);
        ASSERT_EQ(table.insert(passing, thrice(passing)).changed, passing.size());
    }
    EXPECT_EQ(found(table, used), used.size());
    // No longer used, they go.
    auto const passing = from_to(1'000'000, 1'100'000);
    ASSERT_TRUE(table.insert(passing, thrice(passing)).ok());
    EXPECT_LT(found(table, used), used.size() / 10);
    expect_whole(table);
}

// Hits of keys by a Zipf distribution, a tenth of which fit: less than what the best choice of keys finds by eight
// hundredths, or better.
TEST_F(BulkCacheTest, finds_what_comes_often) {
    constexpr std::size_t kinds = 100'000;
    constexpr std::size_t max_keys = 10'000;
    std::vector<double> sums;
    for (std::size_t i = 0; i < kinds; ++i)
        sums.push_back((sums.empty() ? 0 : sums.back()) + 1 / std::pow(static_cast<double>(i + 1), 0.99));
    double const ideal = sums[max_keys] / sums.back();
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> fraction(0, sums.back());
    auto made = Numbers::create({.max_keys = max_keys});
    ASSERT_TRUE(made.ok());
    std::size_t hits = 0;
    constexpr std::size_t wanted = 300'000;
    for (std::size_t i = 0; i < 2 * wanted; ++i) {
        auto const key = static_cast<std::uint64_t>(std::ranges::lower_bound(sums, fraction(random)) - sums.begin());
        if (made.value().find(key))
            hits += i >= wanted ? 1 : 0;
        else
            ASSERT_TRUE(made.value().insert(key, 3 * key).ok());
    }
    double const share = static_cast<double>(hits) / wanted;
    EXPECT_GT(share, ideal - 0.08);
    EXPECT_LT(share, ideal + 0.01);
}

TEST_F(BulkCacheTest, strings_and_sets) {
    auto made = Table<std::string, std::uint64_t>::create({.regions = 4, .max_keys = 2'000});
    auto set = Set<std::uint64_t>::create({.capacity = 1'000'000, .max_keys = 2'000});
    ASSERT_TRUE(made.ok());
    ASSERT_TRUE(set.ok());
    EXPECT_LE(set.value().bytes(), 64 * KiB + 64 * 4 * KiB); // no room for more than may be there
    std::size_t peak = 0;
    for (std::uint64_t round = 0; round < 30; ++round) {
        std::vector<std::string> words;
        for (std::uint64_t i = 0; i < 1'000; ++i)
            words.push_back(std::string(50, 'w') + std::to_string(round * 1'000 + i));
        ASSERT_EQ(made.value().add(words, 7).changed, words.size());
        EXPECT_LE(made.value().size(), 2'000U);
        if (round == 4) peak = made.value().bytes();
        auto const numbers = from_to(round * 1'000, round * 1'000 + 1'000);
        ASSERT_EQ(set.value().insert(numbers).changed, numbers.size());
        EXPECT_LE(set.value().size(), 2'000U);
    }
    EXPECT_LE(made.value().bytes(), peak + peak / 4); // what evicted strings leave is used again
    made.value().for_each([](std::string_view word, std::uint64_t value) {
        EXPECT_EQ(word.substr(0, 50), std::string(50, 'w'));
        EXPECT_EQ(value, 7U);
    });
    EXPECT_EQ(set.value().statistics().evicted, 30'000 - set.value().size());
}

TEST_F(BulkCacheTest, refuses_a_limit_below_a_key_for_each_region) {
    EXPECT_EQ(Numbers::create({.regions = 64, .max_keys = 63}).error().message(),
              "expected max_keys of 0, for no limit, or 64 and more, one for each region, got 63");
    EXPECT_EQ(Numbers::create({.max_keys = 1}).error().message(),
              "expected max_keys of 0, for no limit, or 2 and more, one for each region, got 1");
}

// All threads find, insert and erase; what is found has its value.
TEST_F(BulkCacheTest, threads_of_the_program_at_once) {
    InjectDelays const delays;
    auto made = Numbers::create({.regions = 4, .max_keys = 3'000});
    ASSERT_TRUE(made.ok());
    Numbers& table = made.value();
    std::vector<std::thread> threads;
    for (std::uint32_t seed = 1; seed <= 3; ++seed)
        threads.emplace_back([&table, seed] {
            std::mt19937 random(seed);
            std::vector<std::uint64_t> values(200);
            for (int round = 0; round < 60; ++round) {
                std::vector<std::uint64_t> keys(200);
                for (std::uint64_t& key : keys) key = random() % 10'000;
                std::vector<std::uint64_t> mask(Numbers::mask_words(keys.size()));
                table.find(keys, values, mask);
                for (std::size_t i = 0; i < keys.size(); ++i)
                    if ((mask[i / 64] >> i % 64 & 1) != 0) ASSERT_EQ(values[i], 3 * keys[i]);
                ASSERT_TRUE(table.insert(keys, thrice(keys)).ok());
                if (seed == 2) ASSERT_TRUE(table.erase(std::span<std::uint64_t const>(keys).first(50)).ok());
                for (int i = 0; i < 20; ++i) {
                    std::uint64_t const key = random() % 10'000;
                    std::optional<std::uint64_t> const value = table.find(key);
                    if (value) ASSERT_EQ(*value, 3 * key);
                    ASSERT_TRUE(table.insert(key, 3 * key).ok());
                }
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(table.size(), 3'000U);
    expect_whole(table);
}

// A key that stays is visited once, whatever others do meanwhile: grow, shrink, evict nothing, erase.
TEST_F(BulkCacheTest, a_key_that_stays_is_visited_once) {
    InjectDelays const delays;
    auto made = Numbers::create({.regions = 4});
    ASSERT_TRUE(made.ok());
    Numbers& table = made.value();
    auto const staying = from_to(0, 2'000);
    ASSERT_TRUE(table.insert(staying, thrice(staying)).ok());
    std::atomic<bool> is_over{false};
    std::thread other([&] {
        auto const passing = from_to(10'000, 40'000);
        while (!is_over.load()) {
            ASSERT_TRUE(table.insert(passing, thrice(passing)).ok());
            ASSERT_TRUE(table.erase(passing).ok());
            table.shrink();
        }
    });
    for (int round = 0; round < 30; ++round) {
        std::vector<int> visits(staying.size());
        table.for_each([&](std::uint64_t key, std::uint64_t) {
            if (key < visits.size()) ++visits[key];
        });
        EXPECT_EQ(std::ranges::count(visits, 1), static_cast<std::ptrdiff_t>(visits.size()));
    }
    is_over.store(true);
    other.join();
}

} // namespace
} // namespace mxk

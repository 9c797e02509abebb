#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "hashtable/layout/cuckoo_slots.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/shared/locked_regions.hpp"
#include "tests/kernel/contenders.hpp"
#include "tests/unit/in_thread.hpp"

namespace mxk::test {
namespace {

std::vector<Owner> owners(std::size_t count) {
    std::vector<Owner> result;
    result.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        result.push_back({core_id(i % small_machine.cores), node_id(i % small_machine.nodes)});
    return result;
}

template <typename Cells> class LockedRegionsTest : public ::testing::Test {};
using Layouts = ::testing::Types<OpenSlots<>, CuckooSlots<>>;
TYPED_TEST_SUITE(LockedRegionsTest, Layouts);

TYPED_TEST(LockedRegionsTest, grow_and_shrink_as_the_standards_map) {
    on_machine([] {
        in_one_thread([] {
            for (std::size_t const regions : {1U, 3U, 4U}) {
                auto created = LockedRegions<TypeParam>::create({.slots = 1}, owners(regions), SemaphoreKind::Fast);
                ASSERT_TRUE(created.ok());
                auto& table = created.value();
                std::unordered_map<std::uint64_t, std::uint64_t> expected;
                std::mt19937_64 random(regions);
                for (std::uint64_t i = 0; i < 300'000; ++i) {
                    std::uint64_t const key = 1 + random() % 40'000;
                    bool const there = expected.contains(key);
                    bool const grows = i / 100'000 != 1; // waves
                    unsigned const draw = random() % 4;
                    if (draw == 0 && i % 2 == 0) {
                        ASSERT_EQ(table.update(key, i), there);
                        if (there) expected[key] = i;
                    } else if (draw == 0 && i % 3 == 0) {
                        auto const before = table.modify(key, [](std::uint64_t value) { return ~value; });
                        ASSERT_EQ(before, there ? std::optional(expected[key]) : std::nullopt);
                        if (there) expected[key] = ~expected[key];
                    } else if (draw == 0) {
                        std::uint64_t const value = table.find(key, [](auto* found) { return found ? *found : 0; });
                        ASSERT_EQ(value, there ? expected[key] : 0);
                    } else if ((draw == 1) == grows) {
                        ASSERT_EQ(table.erase(key), there);
                        expected.erase(key);
                    } else if (i % 4 == 0) {
                        ASSERT_EQ(table.upsert(key, i), there ? Insert::Present : Insert::Inserted);
                        expected[key] = i;
                    } else {
                        ASSERT_EQ(table.insert(key, key + i), there ? Insert::Present : Insert::Inserted);
                        expected.try_emplace(key, key + i);
                    }
                }
                EXPECT_EQ(table.size(), expected.size());
                std::size_t visited = 0;
                table.for_each([&](std::uint64_t key, std::uint64_t value) {
                    EXPECT_EQ(expected.at(key), value);
                    ++visited;
                });
                EXPECT_EQ(visited, expected.size());
                EXPECT_GE(table.slot_count(), expected.size());
            }
        });
    });
}

TEST(LockedRegions, each_region_has_an_equal_share_of_keys_and_uses_all_of_its_places) {
    on_machine([] {
        in_one_thread([] {
            constexpr std::size_t regions = 12;
            constexpr std::size_t keys = 600'000;
            auto created = LockedRegions<OpenSlots<>>::create({.slots = 2 * keys, .load = 0.75}, owners(regions),
                                                              SemaphoreKind::Fast);
            ASSERT_TRUE(created.ok());
            auto& table = created.value();
            std::size_t const slots = table.slot_count();
            std::array<std::size_t, regions> share{};
            for (std::uint64_t key = 1; key <= keys; ++key) {
                ++share.at(table.region_of(key));
                ASSERT_EQ(table.insert(key, key), Insert::Inserted);
            }
            constexpr double equal = static_cast<double>(keys) / regions;
            for (std::size_t const each : share) EXPECT_NEAR(static_cast<double>(each), equal, equal / 50);
            EXPECT_EQ(table.slot_count(), slots); // no part of a region was crowded
        });
    });
}

TEST(LockedRegions, threads_of_all_cores_get_the_results_of_some_order) {
    on_machine([] {
        for (std::size_t const regions : {1U, 4U}) {
            auto created = LockedRegions<OpenSlots<>>::create({.slots = 1}, owners(regions), SemaphoreKind::Fast);
            ASSERT_TRUE(created.ok());
            auto& table = created.value();
            EXPECT_EQ(contend(
                          40'000, [&](std::size_t) { return PairsUser(table); },
                          [&](std::uint64_t key) { return table.lookup(key) != nullptr; }),
                      0U);
        }
    });
}

TEST(LockedRegions, say_what_they_need) {
    on_machine([] {
        EXPECT_FALSE(LockedRegions<OpenSlots<>>::create({.slots = 64}, {}, SemaphoreKind::Fast).ok());
        EXPECT_FALSE(LockedRegions<OpenSlots<>>::create({.slots = std::size_t{1} << 40}, owners(2), SemaphoreKind::Fast)
                         .ok()); // no memory
    });
}

// Each adds to the same few values: what two have read at once one of them would lose.
TEST(LockedRegions, modify_loses_nothing_that_another_thread_has_written) {
    on_machine([] {
        constexpr std::uint64_t each = 30'000;
        constexpr std::uint64_t keys = 3;
        auto created = LockedRegions<OpenSlots<>>::create({.slots = 64}, owners(2), SemaphoreKind::Fast);
        ASSERT_TRUE(created.ok());
        auto& table = created.value();
        struct Adder {
            LockedRegions<OpenSlots<>>& table;
            void operator()() {
                for (std::uint64_t i = 0; i < each; ++i)
                    if (!table.modify(1 + i % keys, [](std::uint64_t before) { return before + 1; }))
                        table.upsert(1 + i % keys, 0);
            }
        };
        in_one_thread([&] {
            for (std::uint64_t key = 1; key <= keys; ++key) table.upsert(key, 0);
        });
        std::array<Adder, 4> adders{Adder{table}, {table}, {table}, {table}};
        ThreadGroup group(adders.size());
        for (std::size_t i = 0; i < adders.size(); ++i) group.start({.core = core_id(i)}, adders[i]);
        group.join();
        for (std::uint64_t key = 1; key <= keys; ++key) EXPECT_EQ(*table.lookup(key), adders.size() * each / keys);
    });
}

// Threads fill a table together that begins with one slot: growth under the region's semaphore.
TEST(LockedRegions, grow_while_all_threads_insert) {
    on_machine([] {
        constexpr std::uint64_t each = 60'000;
        auto created = LockedRegions<OpenSlots<>>::create({.slots = 1}, owners(3), SemaphoreKind::Fast);
        ASSERT_TRUE(created.ok());
        auto& table = created.value();
        struct Filler {
            LockedRegions<OpenSlots<>>& table;
            std::uint64_t first;
            std::uint64_t inserted = 0;
            void operator()() {
                for (std::uint64_t key = first; key < first + each; ++key)
                    inserted += table.insert(key, ~key) == Insert::Inserted ? 1U : 0U;
            }
        };
        // Each key is inserted by two of them.
        std::array<Filler, 4> fillers{Filler{table, 1}, {table, 1 + each}, {table, 1}, {table, 1 + each}};
        ThreadGroup group(fillers.size());
        for (std::size_t i = 0; i < fillers.size(); ++i) group.start({.core = core_id(i)}, fillers[i]);
        group.join();
        std::uint64_t inserted = 0;
        for (Filler const& filler : fillers) inserted += filler.inserted;
        EXPECT_EQ(inserted, 2 * each);
        EXPECT_EQ(table.size(), 2 * each);
        EXPECT_LT(table.size(), table.slot_count() * 77 / 100); // crowded blocks were seen to at once
        for (std::uint64_t key = 1; key <= 2 * each; ++key) {
            ASSERT_NE(table.lookup(key), nullptr);
            ASSERT_EQ(*table.lookup(key), ~key);
        }
    });
}

} // namespace
} // namespace mxk::test

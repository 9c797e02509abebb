// The shared table of lines with one thread: the results of all operations, growing, shrinking, and the memory it
// takes.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "base/log.hpp"
#include "hashtable/shared/concurrent_lines.hpp"
#include "tests/unit/long_tests.hpp"
#include "tests/unit/memory_fixture.hpp"
#include "tests/unit/model_grace.hpp"

namespace mxk::test {
namespace {

// All keys in one bucket, as long as it has not split 2^60 times.
struct SameHash {
    std::uint64_t operator()(std::uint64_t key) const { return key; }
};

class ConcurrentLinesTest : public MemoryTest {
  protected:
    template <typename Hash = MixedHash> using Table = ConcurrentLines<Hash, GraceModel::Handle>;

    template <typename Hash = MixedHash> Result<Table<Hash>> make(std::size_t keys, std::size_t owners = 1) {
        std::vector<Owner> list;
        for (std::size_t i = 0; i < owners; ++i) list.push_back({core_id(i), node_id(i % memory::node_count())});
        return Table<Hash>::create({.keys = keys}, list, Hash(), grace.handle());
    }
    template <typename T> static void finish(T& table) {
        while (table.work()) {
        }
        ASSERT_FALSE(table.is_resizing());
    }

    void TearDown() override {
        grace.end(); // which gives memory back
        MemoryTest::TearDown();
    }

    GraceModel grace;
};

TEST_F(ConcurrentLinesTest, as_the_standards_map_while_it_grows_and_shrinks) {
    configure({256 * MiB, 64 * MiB});
    for (std::size_t const owners : {1U, 3U}) {
        auto created = make(16, owners);
        ASSERT_TRUE(created.ok());
        auto& table = created.value();
        std::unordered_map<std::uint64_t, std::uint64_t> expected;
        std::mt19937_64 random(owners);
        std::size_t max_buckets = 0;
        std::size_t const count = operations(400'000, 40'000'000);
        for (std::size_t i = 0; i < count; ++i) {
            GraceModel::Section const section(grace);
            std::uint64_t const key = 1 + random() % 10'000;
            bool const there = expected.contains(key);
            bool const grows = i / 50'000 % 2 == 0; // waves
            switch (random() % 8) {
            case 0:
                ASSERT_EQ(table.update(key, i), there);
                if (there) expected[key] = i;
                break;
            case 1: {
                auto const before = table.modify(key, [](std::uint64_t value) { return ~value; });
                ASSERT_EQ(before, there ? std::optional(expected[key]) : std::nullopt);
                if (there) expected[key] = ~expected[key];
                break;
            }
            case 2: ASSERT_EQ(table.find(key), there ? std::optional(expected[key]) : std::nullopt); break;
            case 3:
                ASSERT_EQ(table.upsert(key, i), there ? Insert::Present : Insert::Inserted);
                expected[key] = i;
                break;
            case 4:
                ASSERT_EQ(table.erase(key), there);
                expected.erase(key);
                break;
            default:
                if (grows) {
                    ASSERT_EQ(table.insert(key, i), there ? Insert::Present : Insert::Inserted);
                    expected.try_emplace(key, i);
                } else {
                    ASSERT_EQ(table.erase(key), there);
                    expected.erase(key);
                }
            }
            max_buckets = std::max(max_buckets, table.bucket_count());
        }
        GraceModel::Section const section(grace);
        finish(table);
        table.check();
        EXPECT_EQ(table.size(), expected.size());
        EXPECT_GT(max_buckets, 3'000U);               // it has grown
        EXPECT_LT(table.bucket_count(), max_buckets); // and shrunk
        std::size_t visited = 0;
        table.for_each([&](std::uint64_t key, std::uint64_t value) {
            EXPECT_EQ(expected.at(key), value);
            ++visited;
        });
        EXPECT_EQ(visited, expected.size());
    }
}

TEST_F(ConcurrentLinesTest, gives_all_memory_back) {
    configure({64 * MiB});
    {
        auto created = make(1);
        ASSERT_TRUE(created.ok());
        for (std::uint64_t key = 1; key <= 100'000; ++key) {
            GraceModel::Section const section(grace);
            ASSERT_EQ(created.value().insert(key, key), Insert::Inserted);
        }
        std::size_t const full = created.value().bytes();
        EXPECT_LT(full, std::size_t{100'000} * 130);
        EXPECT_LT(used_bytes(), full * 2); // arrays that were replaced are given back, too
        for (std::uint64_t key = 1; key <= 100'000; ++key) {
            GraceModel::Section const section(grace);
            ASSERT_TRUE(created.value().erase(key));
        }
        for (int time = 0; time < 4; ++time) GraceModel::Section const section(grace);
        EXPECT_EQ(created.value().size(), 0U);
    }
    EXPECT_EQ(used_bytes(), 0U);
}

// Lines come behind buckets where one core inserts, and are left where another one moves the buckets.
TEST_F(ConcurrentLinesTest, lines_behind_do_not_become_more_where_one_core_inserts_and_another_resizes) {
    configure({64 * MiB});
    auto created = make(4'000, 2);
    auto& table = created.value();
    ResizeListener quiet{[](ResizeListener&) {}};
    table.tell(&quiet); // so that who inserts moves nothing
    std::size_t const buckets = table.bucket_count();
    std::size_t early_bytes = 0;
    for (int round = 0; round < 60; ++round) {
        for (std::uint64_t key = 1; key <= 2 * buckets; ++key) {
            GraceModel::Section const section(grace);
            ASSERT_EQ(table.insert(key, key), Insert::Inserted);
        }
        ASSERT_EQ(table.bucket_count(), buckets);
        ASSERT_GT(table.lines_behind(), buckets / 20);
        GraceModel::place_of_thread = 1;
        {
            GraceModel::Section const section(grace);
            ASSERT_TRUE(table.begin_growing());
            finish(table);
        }
        for (std::uint64_t key = 1; key <= 2 * buckets; ++key) {
            GraceModel::Section const section(grace);
            ASSERT_TRUE(table.erase(key));
        }
        while (table.bucket_count() > buckets) {
            GraceModel::Section const section(grace);
            table.begin_shrinking();
            finish(table);
        }
        GraceModel::place_of_thread = 0;
        if (round == 5) early_bytes = table.bytes();
    }
    EXPECT_EQ(table.bytes(), early_bytes);
}

TEST_F(ConcurrentLinesTest, keys_that_are_none) {
    configure({16 * MiB});
    auto created = make(100);
    auto& table = created.value();
    GraceModel::Section const section(grace);
    constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    for (std::uint64_t const key : {std::uint64_t{0}, last}) {
        EXPECT_EQ(table.find(key), std::nullopt);
        EXPECT_FALSE(table.erase(key));
        EXPECT_FALSE(table.update(key, 1));
        EXPECT_EQ(table.modify(key, [](std::uint64_t value) { return value; }), std::nullopt);
        EXPECT_DEATH((void)table.insert(key, 1), "neither key 0 nor key 2\\^64 - 1");
        EXPECT_DEATH((void)table.upsert(key, 1), "neither key 0 nor key 2\\^64 - 1");
    }
    EXPECT_EQ(table.insert(last - 1, last), Insert::Inserted);
    EXPECT_EQ(table.find(last - 1), last);
    EXPECT_TRUE(table.erase(last - 1));
    EXPECT_EQ(table.find(last), std::nullopt); // though an erased place has it
}

// A place that was erased is used again, but not before the readers of that time are gone.
TEST_F(ConcurrentLinesTest, an_erased_place_waits_for_readers) {
    configure({16 * MiB});
    auto created = make(1);
    auto& table = created.value();
    std::size_t lines = 0;
    {
        GraceModel::Section const section(grace);
        for (std::uint64_t key = 1; key <= 8; ++key) ASSERT_EQ(table.insert(key, key), Insert::Inserted);
        lines = table.lines_behind();
        for (std::uint64_t key = 1; key <= 40; ++key) { // one place is enough, if it may be used at once
            ASSERT_EQ(table.insert(100, key), Insert::Inserted);
            ASSERT_TRUE(table.erase(100));
        }
        EXPECT_GT(table.lines_behind(), lines + 5);
        lines = table.lines_behind();
    }
    for (int time = 0; time < 4; ++time) GraceModel::Section const section(grace);
    for (std::uint64_t time = 1; time <= 20'000; ++time) {
        GraceModel::Section const section(grace);
        ASSERT_EQ(table.insert(100, time), Insert::Inserted);
        ASSERT_EQ(table.find(100), time);
        ASSERT_TRUE(table.erase(100));
        ASSERT_EQ(table.find(100), std::nullopt);
    }
    EXPECT_LE(table.lines_behind(), lines + 16);
}

TEST_F(ConcurrentLinesTest, many_keys_with_one_bucket) {
    configure({64 * MiB});
    auto created = make<SameHash>(1);
    auto& table = created.value();
    constexpr std::uint64_t keys = 300;
    for (std::uint64_t key = 1; key <= keys; ++key) {
        GraceModel::Section const section(grace);
        ASSERT_EQ(table.insert(key, ~key), Insert::Inserted);
        ASSERT_EQ(table.insert(key, 0), Insert::Present);
    }
    GraceModel::Section const section(grace);
    finish(table);
    table.check();
    for (std::uint64_t key = 1; key <= keys; ++key) ASSERT_EQ(table.find(key), ~key);
    ASSERT_EQ(table.find(keys + 1), std::nullopt);
    for (std::uint64_t key = 1; key <= keys; key += 2) ASSERT_TRUE(table.erase(key));
    for (std::uint64_t key = 1; key <= keys; ++key) ASSERT_EQ(table.find(key).has_value(), key % 2 == 0);
    EXPECT_EQ(table.size(), keys / 2);
}

TEST_F(ConcurrentLinesTest, without_memory_it_warns_once_goes_on_and_grows_later) {
    configure({2 * MiB});
    auto created = make(1000);
    auto& table = created.value();
    std::size_t const warnings = log::warning_count();
    std::uint64_t key = 0;
    auto const insert = [&] {
        GraceModel::Section const section(grace);
        ++key;
        return table.insert(key, key);
    };
    // Nothing is left for a larger array.
    auto hog = NodeArray<std::byte>::create(MiB + 512 * KiB, node_id(0));
    ASSERT_TRUE(hog.ok());
    while (key < 100'000 && insert() == Insert::Inserted) {
    }
    std::uint64_t const refused = key;
    EXPECT_LT(key, 100'000U);
    EXPECT_GT(key, 2'000U); // far beyond its load
    EXPECT_GE(log::warning_count(), warnings + 1);
    EXPECT_LE(log::warning_count(), warnings + 2); // one is memory's own
    std::size_t const buckets = table.bucket_count();
    hog.value() = {};
    for (std::uint64_t i = 0; i < refused; ++i) ASSERT_EQ(insert(), Insert::Inserted);
    EXPECT_GT(table.bucket_count(), buckets);
    for (std::uint64_t k = 1; k <= key; ++k) {
        GraceModel::Section const section(grace);
        ASSERT_EQ(table.find(k).has_value(), k != refused);
    }
}

TEST_F(ConcurrentLinesTest, having_given_up_to_grow_it_still_shrinks) {
    configure({8 * MiB});
    auto created = make(100);
    auto& table = created.value();
    std::uint64_t key = 0;
    auto const insert = [&] {
        GraceModel::Section const section(grace);
        ++key;
        return table.insert(key, key) == Insert::Inserted;
    };
    while (key < 5'000) ASSERT_TRUE(insert());
    std::size_t buckets = 0;
    {
        std::vector<NodeArray<std::byte>> hogs;
        while (auto hog = NodeArray<std::byte>::create(16 * KiB, node_id(0))) hogs.push_back(std::move(hog).value());
        while (insert()) {
        }
        buckets = table.bucket_count();
        ASSERT_GT(key, 3 * buckets); // it has wanted to grow
    }
    for (; key > 0; --key) {
        GraceModel::Section const section(grace);
        table.erase(key);
    }
    GraceModel::Section const section(grace);
    finish(table);
    EXPECT_LT(table.bucket_count(), buckets);
    EXPECT_EQ(table.size(), 0U);
}

// A halving that was refused is not asked for again at once: each time takes the allocator's lock.
TEST_F(ConcurrentLinesTest, a_smaller_array_that_was_refused_is_asked_for_again_with_an_eighth_fewer_keys) {
    configure({8 * MiB});
    auto created = make(100);
    auto& table = created.value();
    auto const in_section = [&](auto operate) {
        GraceModel::Section const section(grace);
        operate();
    };
    std::uint64_t keys = 0;
    while (keys < 8'000) {
        ++keys;
        in_section([&] { ASSERT_EQ(table.insert(keys, 1), Insert::Inserted); });
    }
    in_section([&] { finish(table); });
    std::size_t const buckets = table.bucket_count();
    {
        std::vector<NodeArray<std::byte>> hogs;
        while (auto hog = NodeArray<std::byte>::create(16 * KiB, node_id(0))) hogs.push_back(std::move(hog).value());
        std::size_t const warned = log::warning_count();
        for (; keys > buckets / 4 && log::warning_count() == warned; --keys)
            in_section([&] { ASSERT_TRUE(table.erase(keys)); });
        ASSERT_GT(log::warning_count(), warned) << "it was refused, for the first time";
    }
    for (int time = 0; time < 2'000; ++time) // each 256th of them is considered
        in_section([&] { table.erase(keys), table.insert(keys, 1); });
    EXPECT_EQ(table.bucket_count(), buckets);
    EXPECT_FALSE(table.is_resizing());
    for (std::uint64_t const end = keys - keys / 8 - 600; keys > end; --keys) in_section([&] { table.erase(keys); });
    in_section([&] { finish(table); });
    EXPECT_LT(table.bucket_count(), buckets);
}

TEST_F(ConcurrentLinesTest, a_resize_without_memory_for_further_lines_says_so_and_is_tried_again) {
    configure({8 * MiB});
    auto created = make(100);
    auto& table = created.value();
    std::uint64_t keys = 0;
    while (keys < 5'000 || table.is_resizing() || keys < 2 * table.bucket_count()) { // as full as it can be
        GraceModel::Section const section(grace);
        ++keys;
        ASSERT_EQ(table.insert(keys, keys), Insert::Inserted);
    }
    GraceModel::Section const section(grace);
    EXPECT_FALSE(table.try_again()) << "nothing is under way";
    {
        ASSERT_TRUE(table.begin_shrinking()); // two buckets become one, which needs further lines
        std::vector<NodeArray<std::byte>> hogs;
        for (std::size_t const size : {16 * KiB, 64 * std::size_t{1}})
            while (auto hog = NodeArray<std::byte>::create(size, node_id(0))) hogs.push_back(std::move(hog).value());
        while (table.work()) {
        }
        EXPECT_TRUE(table.is_resizing());
        EXPECT_TRUE(table.try_again());
        EXPECT_FALSE(table.try_again()) << "said once";
    }
    finish(table);
    EXPECT_FALSE(table.try_again());
    for (std::uint64_t key = 1; key <= keys; ++key) ASSERT_EQ(table.find(key), key);
    table.check();
}

TEST_F(ConcurrentLinesTest, no_memory_at_all_is_an_error) {
    configure({2 * MiB});
    EXPECT_FALSE(make(10'000'000).ok());
    EXPECT_FALSE((Table<>::create({.keys = 1}, {}, MixedHash(), grace.handle()).ok()));
    EXPECT_EQ(used_bytes(), 0U);
}

TEST_F(ConcurrentLinesTest, reserve_makes_room_for_all) {
    configure({256 * MiB});
    auto created = make(100);
    auto& table = created.value();
    for (std::uint64_t key = 1; key <= 500; ++key) {
        GraceModel::Section const section(grace);
        ASSERT_EQ(table.insert(key, key), Insert::Inserted);
    }
    {
        GraceModel::Section const section(grace);
        ASSERT_TRUE(table.reserve(1'000'000));
        EXPECT_FALSE(table.reserve(std::size_t{1} << 40));
    }
    std::size_t const buckets = table.bucket_count();
    EXPECT_GE(buckets, 666'666U);
    for (std::uint64_t key = 501; key <= 1'000'000; ++key) {
        GraceModel::Section const section(grace);
        ASSERT_EQ(table.insert(key, key), Insert::Inserted);
    }
    EXPECT_EQ(table.bucket_count(), buckets);
    GraceModel::Section const section(grace);
    table.check();
}

TEST_F(ConcurrentLinesTest, what_cannot_be_reserved_changes_nothing) {
    configure({16 * MiB});
    auto created = make(100);
    auto& table = created.value();
    std::size_t const first = table.bucket_count();
    auto const for_keys = [&](std::uint64_t from, std::uint64_t to, auto operate) {
        for (std::uint64_t key = from; key < to; ++key) {
            GraceModel::Section const section(grace);
            operate(key);
        }
    };
    for_keys(1, 4'000, [&](std::uint64_t key) { ASSERT_EQ(table.insert(key, key), Insert::Inserted); });
    {
        GraceModel::Section const section(grace);
        finish(table);
        ASSERT_TRUE(table.reserve(2'000));
        std::size_t const buckets = table.bucket_count();
        for (unsigned const order : {20U, 40U, 63U}) EXPECT_FALSE(table.reserve(std::size_t{1} << order)) << order;
        EXPECT_FALSE(table.reserve(~std::size_t{0}));
        EXPECT_EQ(table.bucket_count(), buckets);
    }
    for_keys(1, 4'000, [&](std::uint64_t key) { ASSERT_TRUE(table.erase(key)); });
    for_keys(1, 2'000, [&](std::uint64_t key) { table.insert(key, key), table.erase(key); });
    {
        GraceModel::Section const section(grace);
        finish(table);
        EXPECT_GE(table.bucket_count(), 2'000U / 1.5) << "what was reserved before, still is";
        EXPECT_LT(table.bucket_count(), 2 * 2'000U / 1.5);
        ASSERT_TRUE(table.reserve(0));
    }
    for_keys(1, 2'000, [&](std::uint64_t key) { table.insert(key, key), table.erase(key); });
    GraceModel::Section const section(grace);
    finish(table);
    EXPECT_EQ(table.bucket_count(), first);
}

TEST_F(ConcurrentLinesTest, batched_look_ups_find_what_single_ones_find) {
    configure({64 * MiB});
    auto created = make(5000, 2);
    auto& table = created.value();
    GraceModel::Section const section(grace);
    for (std::uint64_t key = 1; key <= 5000; ++key) table.insert(2 * key, key);
    auto const compare = [&](std::vector<std::uint64_t> const& keys) {
        std::vector<std::size_t> answers(keys.size());
        table.find_each(keys, [&](std::size_t at, std::optional<std::uint64_t> const& value) {
            ++answers[at];
            ASSERT_EQ(value, table.find(keys[at])) << keys[at];
        });
        ASSERT_EQ(answers, std::vector<std::size_t>(keys.size(), 1));
    };
    for (std::size_t const count : {0U, 1U, 31U, 32U, 33U, 1000U, 10'000U}) {
        std::vector<std::uint64_t> keys(count);
        std::iota(keys.begin(), keys.end(), 0); // 0 is no key
        keys.push_back(~std::uint64_t{0});      // nor is that
        compare(keys);
    }
    // Many whose answers are in lines behind, and, while it is resized, in buckets that are moved.
    table.tell(nullptr);
    for (std::uint64_t key = 5001; key <= 8000; ++key) table.insert(2 * key, key);
    ASSERT_TRUE(table.is_resizing() || table.begin_growing());
    std::vector<std::uint64_t> keys(16'002);
    std::iota(keys.begin(), keys.end(), 0);
    do compare(keys);
    while (table.work());
    compare(keys);
}

// What is in the table all the time, a walk visits once, however the table is resized in its middle.
TEST_F(ConcurrentLinesTest, a_walk_visits_each_key_once_whatever_happens_between_its_parts) {
    configure({128 * MiB});
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        std::mt19937_64 random(seed);
        auto created = make(64, 1 + seed % 3);
        auto& table = created.value();
        constexpr std::uint64_t lasting = 2'000;
        for (std::uint64_t key = 1; key <= lasting; ++key) {
            GraceModel::Section const section(grace);
            table.insert(key, key);
        }
        std::map<std::uint64_t, std::size_t> visits;
        LineWalk walk;
        std::uint64_t others = 0;
        bool goes_on = true;
        while (goes_on) {
            for (std::uint64_t i = random() % 3'000; i > 0; --i) {
                GraceModel::Section const section(grace);
                if (random() % 4'000 < 2'000 + (random() % 2) * 1'000)
                    table.insert(lasting + ++others, 1);
                else if (others > 0)
                    table.erase(lasting + others--);
            }
            if (random() % 3 == 0) {
                for (; others > 0; --others) {
                    GraceModel::Section const section(grace);
                    table.erase(lasting + others);
                }
            }
            GraceModel::Section const section(grace);
            goes_on = table.visit_some(walk, 1 + random() % 400, [&](std::uint64_t key, std::uint64_t) {
                if (key <= lasting) ++visits[key];
            });
        }
        ASSERT_EQ(visits.size(), lasting);
        for (auto const& [key, times] : visits) ASSERT_EQ(times, 1U) << key;
    }
}

} // namespace
} // namespace mxk::test

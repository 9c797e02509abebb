// A bulk table as a program uses it: all kinds of keys and values beside a std::map, threads of the program at once,
// growth, and memory that ends.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "hashtable/bulk/bulk_table.hpp"
#include "main/library/runtime.hpp"
#include "tests/delays.hpp"
#include "tests/unit/bulk_table_model.hpp"

namespace mxk {
namespace {

using namespace test;

Result<Runtime> start() {
    return Runtime::start({.cores = 3, .nodes = 2, .memory_bytes = 512 * MiB, .own_threads = true});
}
Result<Runtime> start_small() {
    return Runtime::start({.cores = 2, .nodes = 1, .memory_bytes = 16 * MiB, .own_threads = true});
}
using Numbers = Table<std::uint64_t, std::uint64_t>;

template <typename Key, typename Value> void compare_with_model(TableOptions const& options, std::uint64_t kinds) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    auto table = Table<Key, Value>::create(options);
    ASSERT_TRUE(table.ok()) << table.error().message();
    TableModel<Key, Value> model(table.value(), kinds, 7);
    for (std::size_t const count : {0U, 1U, 31U, 32U, 63U, 64U, 65U, 1000U, 4096U, 4097U, 9000U}) {
        for (int i = 0; i < 4; ++i) ASSERT_NO_FATAL_FAILURE(model.play(count));
        for (int i = 0; i < 50; ++i) ASSERT_NO_FATAL_FAILURE(model.play_one());
        if (count % 2 == 1) model.shrink();
        if (count == 64) ASSERT_NO_FATAL_FAILURE(model.clear());
        ASSERT_NO_FATAL_FAILURE(model.compare());
    }
}

TEST(BulkTableTest, words_and_words) {
    compare_with_model<std::uint64_t, std::uint64_t>({}, 3000);
}
TEST(BulkTableTest, few_keys_that_come_often) {
    compare_with_model<std::uint64_t, std::uint64_t>({}, 5);
}
TEST(BulkTableTest, two_regions_that_grow) {
    compare_with_model<std::uint64_t, std::uint64_t>({.regions = 2}, 20'000);
}
TEST(BulkTableTest, more_regions_than_keys) {
    compare_with_model<std::uint64_t, std::uint64_t>({.capacity = 100'000, .regions = 1024}, 500);
}
TEST(BulkTableTest, small_keys_and_values) {
    compare_with_model<std::uint16_t, std::uint8_t>({.regions = 4}, 2000);
}
TEST(BulkTableTest, long_values) {
    compare_with_model<std::int64_t, WideValue>({.regions = 8}, 2000);
}
TEST(BulkTableTest, long_keys) {
    compare_with_model<WideKey, std::uint32_t>({.regions = 8}, 2000);
}
TEST(BulkTableTest, strings) {
    compare_with_model<std::string, std::uint64_t>({.regions = 8}, 1500);
}
TEST(BulkTableTest, strings_and_long_values) {
    compare_with_model<std::string, WideValue>({.regions = 8}, 1500);
}

// More than a round, and as many as cores help with.
TEST(BulkTableTest, large_spans) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto table = Numbers::create();
    ASSERT_TRUE(table.ok());
    TableModel<std::uint64_t, std::uint64_t> model(table.value(), 40'000, 3);
    for (int i = 0; i < 6; ++i) ASSERT_NO_FATAL_FAILURE(model.play(100'000));
    ASSERT_NO_FATAL_FAILURE(model.compare());
}

// Keys of one home bucket, more than stand in many: what an erase leaves has to be filled from behind.
TEST(BulkTableTest, keys_with_hashes_that_begin_alike) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto made = Numbers::create({.regions = 2});
    ASSERT_TRUE(made.ok());
    Numbers& table = made.value();
    std::vector<std::uint64_t> keys;
    for (std::uint64_t key = 1; keys.size() < 60; ++key)
        if (hash_of_word(key) >> 54 == 0x3ff) keys.push_back(key); // the last home: they go on at the beginning
    std::vector<std::uint64_t> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_TRUE(table.insert(keys[i], i).inserted());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_TRUE(table.erase(keys[i * 37 % keys.size()]));
        ASSERT_EQ(table.find(keys, values), keys.size() - 1 - i);
        for (std::size_t k = 0; k < keys.size(); ++k) {
            bool const is_erased = [&] {
                for (std::size_t j = 0; j <= i; ++j)
                    if (j * 37 % keys.size() == k) return true;
                return false;
            }();
            ASSERT_EQ(table.find(keys[k]).has_value(), !is_erased);
        }
    }
}

TEST(BulkTableTest, string_views_and_strings_are_the_same_keys) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto made = Table<std::string_view, int>::create();
    ASSERT_TRUE(made.ok());
    std::vector<std::string> strings;
    for (int i = 0; i < 100; ++i) strings.push_back("the number " + std::to_string(i % 50));
    std::vector<int> const ones(strings.size(), 1);
    EXPECT_EQ(made.value().add(strings, 1).changed, 50U);
    std::vector<std::string_view> const views(strings.begin(), strings.end());
    EXPECT_EQ(made.value().add(views, ones).changed, 0U);
    strings.clear(); // the table has copies
    EXPECT_EQ(made.value().find("the number 7"), 4);
    EXPECT_EQ(made.value().find("the number 50"), std::nullopt);
}

TEST(BulkTableTest, refuses_what_it_cannot_be) {
    EXPECT_FALSE(Numbers::create().ok()); // no Runtime
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    EXPECT_FALSE(Numbers::create({.regions = 1}).ok());
    EXPECT_FALSE(Numbers::create({.regions = 48}).ok());
    EXPECT_FALSE(Numbers::create({.regions = 2048}).ok());
    EXPECT_FALSE(Numbers::create({.capacity = std::size_t{1} << 40}).ok());
    EXPECT_TRUE(Numbers::create().ok()); // and has given back what it had
}

// Threads

// Each thread has keys of its own, beside a map, and all count the same ones.
TEST(BulkTableTest, threads_of_the_program_at_once) {
    InjectDelays const delays;
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto own = Table<std::uint64_t, std::uint64_t>::create({.regions = 4});
    auto common = Table<std::string, std::uint64_t>::create({.regions = 4});
    ASSERT_TRUE(own.ok() && common.ok());
    constexpr std::uint64_t threads = 4;
    constexpr std::uint64_t rounds = 3;
    constexpr std::uint64_t keys_each = 20'000;
    std::vector<std::string> words;
    for (int i = 0; i < 500; ++i) words.push_back(made_of<std::string>(static_cast<std::uint64_t>(i % 100)));

    auto const work = [&](std::uint64_t number) {
        std::vector<std::uint64_t> keys(keys_each);
        for (std::uint64_t i = 0; i < keys_each; ++i) keys[i] = i * threads + number;
        std::vector<std::uint64_t> values(keys_each, number);
        std::vector<std::uint64_t> found(keys_each);
        for (std::uint64_t round = 0; round < rounds; ++round) {
            EXPECT_EQ(own.value().insert(keys, values).changed, keys_each);
            EXPECT_TRUE(common.value().add(words, 1).ok());
            EXPECT_EQ(own.value().find(keys, found), keys_each);
            EXPECT_EQ(found, values);
            for (std::uint64_t i = 0; i < 100; ++i) {
                EXPECT_EQ(own.value().find(keys[i]), number);
                EXPECT_TRUE(own.value().erase(keys[i]));
                EXPECT_FALSE(own.value().upsert(keys[i + 100], number).inserted());
                EXPECT_TRUE(
                    common.value()
                        .upsert(words[i], 1, [](std::uint64_t& stored, std::uint64_t given) { stored += given; })
                        .ok());
            }
            EXPECT_EQ(own.value().erase(keys).changed, keys_each - 100);
        }
    };
    std::vector<std::thread> all;
    for (std::uint64_t i = 0; i < threads; ++i) all.emplace_back(work, i);
    for (std::thread& thread : all) thread.join();

    EXPECT_TRUE(own.value().empty());
    std::uint64_t sum = 0;
    common.value().for_each([&](std::string_view, std::uint64_t count) { sum += count; });
    EXPECT_EQ(sum, threads * rounds * (words.size() + 100));
    EXPECT_EQ(common.value().size(), 100U);
}

// Without threads of its own core 0 is the calling thread, which helps itself.
TEST(BulkTableTest, the_thread_that_is_core_0) {
    auto runtime = Runtime::start({.cores = 2, .memory_bytes = 256 * MiB});
    ASSERT_TRUE(runtime.ok());
    auto table = Numbers::create();
    ASSERT_TRUE(table.ok());
    std::vector<std::uint64_t> keys(100'000);
    std::iota(keys.begin(), keys.end(), 0);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(table.value().add(keys, 1).changed, i == 0 ? keys.size() : 0);
    std::vector<std::uint64_t> values(keys.size());
    EXPECT_EQ(table.value().find(keys, values), keys.size());
    EXPECT_EQ(values, std::vector<std::uint64_t>(keys.size(), 10));
}

// Memory that ends

TEST(BulkTableTest, what_does_not_fit_has_no_effect) {
    auto runtime = start_small();
    ASSERT_TRUE(runtime.ok());
    auto made = Numbers::create();
    ASSERT_TRUE(made.ok());
    Numbers& table = made.value();
    std::vector<std::uint64_t> keys(100'000);
    std::vector<std::uint64_t> mask(table.mask_words(keys.size()));
    std::uint64_t next = 0;
    BulkResult result;
    std::size_t before = 0;
    do {
        std::iota(keys.begin(), keys.end(), next);
        next += keys.size();
        before = table.size();
        result = table.insert(keys, keys, mask);
        ASSERT_LT(next, 100'000'000U) << "memory does not end";
    } while (result.ok());
    EXPECT_GT(before, 0U);
    EXPECT_LT(result.done, keys.size());
    EXPECT_EQ(result.changed, result.done);
    EXPECT_EQ(table.size(), before + result.done);
    EXPECT_NE(result.error().message().find("operations on a table have been done"), std::string_view::npos);
    std::vector<std::uint64_t> values(keys.size());
    std::vector<std::uint64_t> found(mask.size());
    EXPECT_EQ(table.find(keys, values, found), result.done);
    EXPECT_EQ(found, mask);
    for (std::size_t i = 0; i < keys.size(); ++i)
        ASSERT_EQ((mask[i / 64] >> i % 64 & 1) != 0, i < result.done) << "not the first ones";

    // What is there can be changed, and what is erased leaves room.
    std::vector<std::uint64_t> const present(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(result.done));
    EXPECT_TRUE(table.add(present, 1).ok());
    EXPECT_EQ(table.erase(present).changed, present.size());
    EXPECT_EQ(table.insert(present, present).changed, present.size());
    std::iota(keys.begin(), keys.end(), 0); // the first ones, from long ago
    EXPECT_EQ(table.find(keys, values), keys.size());
    EXPECT_EQ(values, keys);
}

TEST(BulkTableTest, strings_that_do_not_fit) {
    auto runtime = start_small();
    ASSERT_TRUE(runtime.ok());
    auto made = Table<std::string, int>::create();
    ASSERT_TRUE(made.ok());
    std::vector<std::string> keys;
    for (int i = 0; i < 40'000; ++i) keys.push_back(std::string(2000, 'x') + std::to_string(i));
    std::vector<int> const values(keys.size(), 5);
    BulkResult const result = made.value().upsert(keys, values);
    EXPECT_FALSE(result.ok());
    EXPECT_GT(result.done, 0U);
    EXPECT_EQ(made.value().size(), result.done);
    for (std::size_t i = 0; i < keys.size(); i += 99) {
        ASSERT_EQ(made.value().find(keys[i]).has_value(), i < result.done);
    }
    EXPECT_FALSE(made.value().insert(std::string(20 * MiB, 'y'), 1).ok());
    EXPECT_TRUE(made.value().insert("short", 1).inserted());
    EXPECT_EQ(made.value().erase(keys).changed, result.done);
    EXPECT_EQ(made.value().upsert(keys, values).done, result.done); // in the same memory
}

// All memory goes back with the table.
TEST(BulkTableTest, gives_its_memory_back) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto const used = [] { return memory::use(node_id(0)).used + memory::use(node_id(1)).used; };
    std::size_t const before = used();
    {
        auto table = Table<std::string, WideValue>::create();
        ASSERT_TRUE(table.ok());
        TableModel<std::string, WideValue> model(table.value(), 1000, 5);
        for (int i = 0; i < 3; ++i) ASSERT_NO_FATAL_FAILURE(model.play(20'000));
        EXPECT_GT(used(), before);
    }
    EXPECT_EQ(used(), before);
}

// What is not needed any more goes back while the table lives: by erases, by shrink(), by clear().
TEST(BulkTableTest, gives_memory_back_while_it_lives) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto made = Numbers::create();
    ASSERT_TRUE(made.ok());
    Numbers& table = made.value();
    std::size_t const at_first = table.bytes();
    auto const used = [] { return memory::use(node_id(0)).used + memory::use(node_id(1)).used; };
    std::size_t const used_at_first = used();
    std::vector<std::uint64_t> keys(200'000);
    std::iota(keys.begin(), keys.end(), 0);
    ASSERT_TRUE(table.insert(keys, keys).ok());
    std::size_t const full = table.bytes();
    EXPECT_GT(full, keys.size() * 16);
    EXPECT_GE(used(), used_at_first + full - at_first);

    std::span const rest = std::span(keys).subspan(10'000);
    EXPECT_EQ(table.erase(rest).changed, rest.size());
    EXPECT_LE(table.bytes(), full / 4);
    table.shrink();
    EXPECT_LE(table.bytes(), full / 8);
    std::vector<std::uint64_t> values(10'000);
    EXPECT_EQ(table.find(std::span(keys).first(10'000), values), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], i);
    for (std::size_t i = 0; i < 10'000; ++i) ASSERT_TRUE(table.erase(keys[i])); // one by one
    EXPECT_LE(table.bytes(), at_first * 2);

    ASSERT_TRUE(table.insert(keys, keys).ok());
    EXPECT_EQ(table.bytes(), full);
    EXPECT_EQ(table.clear(), keys.size());
    EXPECT_EQ(table.bytes(), at_first);
    EXPECT_TRUE(table.empty());
    EXPECT_EQ(table.find(keys, keys), 0U);
}

TEST(BulkTableTest, strings_give_their_memory_back_when_all_go) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto made = Table<std::string, int>::create({.capacity = 1000});
    ASSERT_TRUE(made.ok());
    std::size_t const at_first = made.value().bytes();
    std::vector<std::string> keys;
    for (int i = 0; i < 20'000; ++i) keys.push_back(std::string(100, 'x') + std::to_string(i));
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(made.value().add(keys, 1).changed, keys.size());
        EXPECT_GT(made.value().bytes(), keys.size() * 100);
        EXPECT_EQ(made.value().clear(), keys.size());
        EXPECT_EQ(made.value().bytes(), at_first);
    }
}

// Some insert, also what was promised room before, while another one clears and shrinks.
TEST(BulkTableTest, is_cleared_while_others_insert) {
    InjectDelays const delays;
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto made = Table<std::string, std::uint64_t>::create({.regions = 4});
    ASSERT_TRUE(made.ok());
    std::atomic<bool> is_over{false};
    std::size_t cleared = 0;
    std::thread other([&] {
        while (!is_over.load()) {
            cleared += made.value().clear();
            made.value().shrink();
        }
    });
    std::vector<std::string> words;
    for (int i = 0; i < 3'000; ++i) words.push_back(std::string(40, 'w') + std::to_string(i));
    std::size_t inserted = 0;
    for (int round = 0; round < 20; ++round) {
        BulkResult const result = made.value().add(words, 1);
        EXPECT_TRUE(result.ok());
        inserted += result.changed;
    }
    is_over.store(true);
    other.join();
    EXPECT_EQ(inserted, cleared + made.value().size());
    made.value().for_each(
        [&](std::string_view word, std::uint64_t) { EXPECT_EQ(word.substr(0, 40), std::string(40, 'w')); });
}

TEST(BulkTableTest, an_insert_is_true_for_a_key_that_is_new) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto made = Numbers::create();
    Numbers& table = made.value();
    EXPECT_TRUE(static_cast<bool>(table.insert(1, 10)));
    InsertResult const again = table.insert(1, 11);
    EXPECT_FALSE(again);
    EXPECT_TRUE(again.ok());
    EXPECT_EQ(table.find(1), 10U);
    EXPECT_FALSE(table.upsert(1, 12).inserted());
    EXPECT_EQ(table.find(1), 12U);
    EXPECT_TRUE(table.upsert(2, 20).inserted());
}

} // namespace
} // namespace mxk

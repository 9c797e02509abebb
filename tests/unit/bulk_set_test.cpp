// A set as a program uses it: all kinds of keys beside a std::set, threads at once, and what it takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "hashtable/bulk/bulk_set.hpp"
#include "main/library/runtime.hpp"
#include "tests/delays.hpp"
#include "tests/unit/bulk_table_model.hpp"

namespace mxk {
namespace {

using namespace test;

Result<Runtime> start_for_sets() {
    return Runtime::start({.cores = 3, .nodes = 2, .memory_bytes = 256 * MiB, .own_threads = true});
}
bool bit(std::span<std::uint64_t const> mask, std::size_t at) {
    return (mask[at / 64] >> at % 64 & 1) != 0;
}

template <typename Key> class SetModel {
  public:
    SetModel(Set<Key>& set, std::uint64_t kinds)
        : set_(set)
        , kinds_(kinds) {}

    void play(std::size_t count) {
        std::vector<Key> keys;
        for (std::size_t i = 0; i < count; ++i) keys.push_back(made_of<Key>(random_() % kinds_));
        std::vector<std::uint64_t> mask(Set<Key>::mask_words(count), random_());
        bool const has_mask = random_() % 4 != 0;
        std::span<std::uint64_t> const given = has_mask ? std::span(mask) : std::span<std::uint64_t>();
        std::vector<bool> expected;
        std::size_t changed = 0;
        switch (random_() % 3) {
        case 0:
            changed = set_.insert(keys, given).changed;
            for (Key const& key : keys) expected.push_back(model_.insert(key).second);
            break;
        case 1:
            changed = set_.erase(keys, given).changed;
            for (Key const& key : keys) expected.push_back(model_.erase(key) == 1);
            break;
        default:
            changed = set_.contains(keys, given);
            for (Key const& key : keys) expected.push_back(model_.contains(key));
            break;
        }
        ASSERT_EQ(changed, static_cast<std::size_t>(std::count(expected.begin(), expected.end(), true)));
        for (std::size_t i = 0; has_mask && i < count; ++i) ASSERT_EQ(bit(mask, i), expected[i]) << i;
    }
    void play_one() {
        Key const key = made_of<Key>(random_() % kinds_);
        ASSERT_EQ(set_.contains(key), model_.contains(key));
        if (random_() % 2 == 0)
            ASSERT_EQ(set_.insert(key).inserted(), model_.insert(key).second);
        else
            ASSERT_EQ(set_.erase(key), model_.erase(key) == 1);
        ASSERT_EQ(set_.contains(key), model_.contains(key));
    }
    void compare() const {
        ASSERT_EQ(set_.size(), model_.size());
        std::set<Key> visited;
        set_.for_each([&](auto const& key) { ASSERT_TRUE(visited.insert(Key(key)).second); });
        ASSERT_TRUE(visited == model_);
    }
    void clear() {
        ASSERT_EQ(set_.clear(), model_.size());
        model_.clear();
    }

  private:
    Set<Key>& set_;
    std::set<Key> model_;
    std::uint64_t kinds_;
    std::mt19937_64 random_{7};
};

template <typename Key> void compare_set(std::uint64_t kinds) {
    auto runtime = start_for_sets();
    ASSERT_TRUE(runtime.ok());
    auto set = Set<Key>::create({.regions = 4});
    ASSERT_TRUE(set.ok());
    SetModel<Key> model(set.value(), kinds);
    for (std::size_t const count : {0U, 1U, 31U, 32U, 65U, 1000U, 4097U, 9000U}) {
        for (int i = 0; i < 6; ++i) ASSERT_NO_FATAL_FAILURE(model.play(count));
        for (int i = 0; i < 50; ++i) ASSERT_NO_FATAL_FAILURE(model.play_one());
        if (count == 65) ASSERT_NO_FATAL_FAILURE(model.clear());
        ASSERT_NO_FATAL_FAILURE(model.compare());
    }
}

TEST(BulkSetTest, words) {
    compare_set<std::uint64_t>(20'000);
}
TEST(BulkSetTest, few_words_that_come_often) {
    compare_set<std::uint64_t>(5);
}
TEST(BulkSetTest, small_words) {
    compare_set<std::uint16_t>(2000);
}
TEST(BulkSetTest, long_keys) {
    compare_set<WideKey>(2000);
}
TEST(BulkSetTest, strings) {
    compare_set<std::string>(1500);
}

// Eight keys in a line of 64 bytes, of which three to six eighths are taken; half of what a table of pairs takes.
TEST(BulkSetTest, takes_half_of_a_table) {
    auto runtime = start_for_sets();
    ASSERT_TRUE(runtime.ok());
    auto set = Set<std::uint64_t>::create();
    ASSERT_TRUE(set.ok());
    std::vector<std::uint64_t> keys(500'000);
    std::iota(keys.begin(), keys.end(), 0);
    EXPECT_EQ(set.value().insert(keys).changed, keys.size());
    EXPECT_GE(set.value().bytes(), keys.size() * 64 / 6);
    EXPECT_LE(set.value().bytes(), keys.size() * 64 / 3);
    EXPECT_EQ(set.value().contains(keys), keys.size());
    EXPECT_EQ(set.value().erase(std::span<std::uint64_t const>(keys).subspan(100)).changed, keys.size() - 100);
    set.value().shrink();
    EXPECT_LE(set.value().bytes(), 1 * MiB);
    EXPECT_EQ(set.value().contains(keys), 100U);
}

// All insert the same keys; each is new once.
TEST(BulkSetTest, threads_of_the_program_at_once) {
    InjectDelays const delays;
    auto runtime = start_for_sets();
    ASSERT_TRUE(runtime.ok());
    auto set = Set<std::uint64_t>::create({.regions = 4});
    ASSERT_TRUE(set.ok());
    std::vector<std::uint64_t> keys(40'000);
    std::iota(keys.begin(), keys.end(), 0);
    std::vector<std::size_t> inserted(3);
    std::vector<std::thread> threads;
    for (std::size_t& own : inserted) threads.emplace_back([&] { own = set.value().insert(keys).changed; });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::accumulate(inserted.begin(), inserted.end(), std::size_t{0}), keys.size());
    EXPECT_EQ(set.value().size(), keys.size());
}

TEST(BulkSetTest, what_does_not_fit_has_no_effect) {
    auto runtime = Runtime::start({.cores = 2, .nodes = 1, .memory_bytes = 16 * MiB, .own_threads = true});
    ASSERT_TRUE(runtime.ok());
    auto set = Set<std::uint64_t>::create();
    ASSERT_TRUE(set.ok());
    std::vector<std::uint64_t> keys(4'000'000);
    std::iota(keys.begin(), keys.end(), 0);
    BulkResult const result = set.value().insert(keys);
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(set.value().size(), result.done);
    EXPECT_EQ(set.value().contains(keys), result.done);
}

} // namespace
} // namespace mxk

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hashtable/layout/chained.hpp"
#include "hashtable/modulo.hpp"

namespace mxk {
namespace {

using Table = Chained<Modulo>;

struct StandaloneTable {
    explicit StandaloneTable(std::size_t count)
        : buckets(count)
        , table(buckets, Modulo(count)) {}

    [[nodiscard]] std::set<std::uint64_t> keys() const {
        std::set<std::uint64_t> found;
        table.for_each([&](std::size_t bucket, ChainNode const& node) {
            EXPECT_EQ(bucket, node.key % buckets.size());
            EXPECT_TRUE(found.insert(node.key).second) << "twice: " << node.key;
        });
        EXPECT_EQ(found.size(), table.size());
        return found;
    }

    std::vector<ChainNode*> buckets;
    Table table;
};

ChainNode node(std::uint64_t key) {
    return {key, nullptr};
}

TEST(Chained, an_empty_table_has_nothing) {
    StandaloneTable t(7);
    EXPECT_EQ(t.table.size(), 0U);
    EXPECT_EQ(t.table.bucket_count(), 7U);
    EXPECT_FALSE(t.table.find(1));
    EXPECT_FALSE(t.table.find(0));
    EXPECT_FALSE(t.table.erase(0));
    EXPECT_FALSE(t.table.erase(14));
    t.table.prefetch(5);
    EXPECT_TRUE(t.keys().empty());
}

TEST(Chained, a_key_is_inserted_once) {
    StandaloneTable t(3);
    ChainNode first = node(4);
    ChainNode second = node(4);
    EXPECT_TRUE(t.table.insert(first));
    EXPECT_FALSE(t.table.insert(second));
    EXPECT_EQ(second.next, nullptr); // still the caller's
    EXPECT_EQ(t.table.size(), 1U);
    EXPECT_TRUE(t.table.find(4));
    EXPECT_FALSE(t.table.find(1)); // same bucket
}

TEST(Chained, erases_head_middle_and_tail_of_a_chain) {
    for (std::uint64_t const victim : {3U, 2U, 1U}) { // 3 was pushed last and is the head
        StandaloneTable t(1);
        std::vector<ChainNode> nodes{node(1), node(2), node(3)};
        for (ChainNode& each : nodes) ASSERT_TRUE(t.table.insert(each));
        EXPECT_EQ(t.buckets[0]->key, 3U);
        EXPECT_TRUE(t.table.erase(victim));
        EXPECT_FALSE(t.table.erase(victim));
        EXPECT_FALSE(t.table.find(victim));
        std::set<std::uint64_t> expected{1, 2, 3};
        expected.erase(victim);
        EXPECT_EQ(t.keys(), expected);
        EXPECT_TRUE(t.table.insert(nodes[victim - 1])); // the unlinked node is the caller's: in again
        EXPECT_EQ(t.keys(), (std::set<std::uint64_t>{1, 2, 3}));
    }
}

TEST(Chained, lookup_gives_the_node_or_null) {
    StandaloneTable t(2);
    std::vector<ChainNode> nodes{node(1), node(3), node(5), node(4)}; // three in one chain
    for (ChainNode& each : nodes) ASSERT_TRUE(t.table.insert(each));
    for (ChainNode& each : nodes) EXPECT_EQ(t.table.lookup(each.key), &each);
    EXPECT_EQ(t.table.lookup(7), nullptr); // same bucket as three others
    EXPECT_EQ(t.table.lookup(0), nullptr); // the end of a chain is no node
    ASSERT_TRUE(t.table.erase(3));
    EXPECT_EQ(t.table.lookup(3), nullptr);
    EXPECT_EQ(t.table.lookup(1), nodes.data());
}

// A map: the nodes carry values, and lie anywhere in what they are part of.
struct Tag {
    std::uint32_t number;
};
struct Pair : Tag, ChainNode { // the node does not stand first
    std::uint64_t value;
};

TEST(Chained, nodes_may_carry_values) {
    constexpr std::uint64_t count = 1000;
    std::vector<ChainNode*> buckets(97);
    Chained<Modulo, Pair> table(buckets, Modulo(buckets.size()));
    std::vector<Pair> pairs;
    for (std::uint32_t i = 1; i <= count; ++i) pairs.push_back({{i}, {i, nullptr}, i * i});
    for (Pair& pair : pairs) ASSERT_TRUE(table.insert(pair));
    for (std::uint64_t key = 1; key <= count; ++key) {
        Pair* const pair = table.lookup(key);
        ASSERT_EQ(pair, &pairs[key - 1]);
        EXPECT_EQ(pair->value, key * key);
        EXPECT_EQ(pair->number, key);
        pair->value = key + 1;
    }
    std::uint64_t sum = 0;
    table.for_each([&](std::size_t, Pair const& pair) { sum += pair.value; });
    EXPECT_EQ(sum, count * (count + 3) / 2);
    Chained<Modulo, Pair> const& read_only = table;
    static_assert(std::is_same_v<decltype(read_only.lookup(5)), Pair const*>);
    EXPECT_EQ(read_only.lookup(5)->value, 6U);
    EXPECT_EQ(read_only.lookup(count + 1), nullptr);
}

TEST(Chained, the_largest_keys_are_keys) {
    StandaloneTable t(10);
    ChainNode a = node(UINT64_MAX);
    ChainNode b = node(UINT64_MAX - 10);
    EXPECT_TRUE(t.table.insert(a) && t.table.insert(b));
    EXPECT_TRUE(t.table.find(UINT64_MAX) && t.table.find(UINT64_MAX - 10));
    EXPECT_EQ(t.keys(), (std::set<std::uint64_t>{UINT64_MAX, UINT64_MAX - 10}));
}

TEST(ChainedDeathTest, key_zero_is_refused) {
    StandaloneTable t(2);
    ChainNode zero = node(0);
    EXPECT_DEATH(t.table.insert(zero), "key 0");
}

// A million operations against the standard's set. The node of a key is looked up by key, so that what erase unlinked
// is inserted again later.
void compare_with_standard_set(std::size_t buckets, std::uint64_t key_range, std::uint64_t seed) {
    StandaloneTable t(buckets);
    std::unordered_map<std::uint64_t, ChainNode> nodes; // stable addresses
    std::unordered_set<std::uint64_t> expected;
    std::mt19937_64 random(seed);
    for (int i = 0; i < 1000000; ++i) {
        std::uint64_t const key = 1 + random() % key_range;
        bool const there = expected.contains(key);
        switch (random() % 3) {
        case 0:
            if (there) {
                ChainNode duplicate = node(key);
                ASSERT_FALSE(t.table.insert(duplicate));
            } else {
                ASSERT_TRUE(t.table.insert(nodes.try_emplace(key, node(key)).first->second));
                expected.insert(key);
            }
            break;
        case 1:
            ASSERT_EQ(t.table.erase(key), there);
            expected.erase(key);
            break;
        default: ASSERT_EQ(t.table.find(key), there); ASSERT_EQ(t.table.lookup(key), there ? &nodes.at(key) : nullptr);
        }
        ASSERT_EQ(t.table.size(), expected.size());
    }
    EXPECT_EQ(t.keys(), std::set<std::uint64_t>(expected.begin(), expected.end()));
}

TEST(Chained, random_operations_in_one_bucket) {
    compare_with_standard_set(1, 30, 1);
}
TEST(Chained, random_operations_in_long_chains) {
    compare_with_standard_set(7, 200, 2);
}
TEST(Chained, random_operations_in_a_prime_number_of_buckets) {
    compare_with_standard_set(1009, 5000, 3);
}
TEST(Chained, random_operations_in_a_power_of_two_of_buckets) {
    compare_with_standard_set(1024, 100000, 4);
}
TEST(Chained, random_operations_in_more_buckets_than_keys) {
    compare_with_standard_set(100003, 2000, 5);
}

} // namespace
} // namespace mxk

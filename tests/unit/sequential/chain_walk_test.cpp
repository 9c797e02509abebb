// Walks in the situations that their rules are made for; chain_walk_random_test.cpp has all others.
#include "tests/unit/chain_walk_fixture.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

namespace mxk::test {
namespace {

using enum Operation;

// Keys n ... 1 in one chain: the last one pushed is the head.
struct OneChain : StandaloneTable {
    explicit OneChain(std::uint64_t length)
        : StandaloneTable(1)
        , nodes(length + 1) {
        for (std::uint64_t key = 1; key <= length; ++key) {
            nodes[key].key = key;
            EXPECT_TRUE(table.insert(nodes[key]));
        }
    }
    [[nodiscard]] std::vector<std::uint64_t> chain_without(std::uint64_t missing) const {
        std::vector<std::uint64_t> keys;
        for (std::uint64_t key = nodes.size() - 1; key > 0; --key)
            if (key != missing) keys.push_back(key);
        return keys;
    }
    std::vector<ChainNode> nodes; // by key
};

TEST(ChainWalk, one_step_is_one_node_in_the_order_of_the_chain) {
    for (std::uint64_t length = 1; length <= 20; ++length) {
        OneChain t(length);
        for (std::uint64_t key = 0; key <= length; ++key) { // 0 is nowhere: the whole chain
            AnyWalk walk(Find, key);
            EXPECT_TRUE(walk.enter_any(t.table));
            std::vector<void const*> expected;
            for (std::uint64_t passed = length; passed > 0 && passed >= key; --passed)
                expected.push_back(&t.nodes[passed]);
            EXPECT_EQ(walk.to_the_end(), expected);
            auto const finished = walk.finish_any(t.table);
            EXPECT_EQ(finished.node, key != 0 ? &t.nodes[key] : nullptr);
            EXPECT_EQ(finished.successor, nullptr);
            EXPECT_EQ(t.chain(), t.chain_without(0)); // as it was
        }
    }
}

TEST(ChainWalk, key_zero_is_found_nowhere) {
    OneChain t(3);
    EXPECT_EQ(AnyWalk(Find, 0).alone(t.table), nullptr);
    EXPECT_EQ(AnyWalk(Erase, 0).alone(t.table), nullptr);
    EXPECT_EQ(t.table.size(), 3U);
}

// From a walk that holds the bucket to one that waits behind it: the bucket is handed over, and each sees what the one
// before it did.
TEST(ChainWalk, any_operation_hands_the_bucket_to_any_other) {
    constexpr std::array all{Insert, Find, Erase, Update, Upsert, Modify};
    auto const is_there_after = [](Operation operation, bool before) {
        return brings_node(operation) || (before && operation != Erase);
    };
    for (auto const first : all) {
        for (auto const second : all) {
            for (std::uint64_t length = 0; length <= 4; ++length) {
                for (std::uint64_t key = 1; key <= 5; ++key) { // head, middle, tail, not there
                    OneChain t(length);
                    bool is_there = key <= length;
                    std::vector<ChainNode> fresh{{key, nullptr}, {key, nullptr}};
                    AnyWalk holder(first, key, brings_node(first) ? &fresh[0] : nullptr);
                    AnyWalk waiter(second, key, brings_node(second) ? &fresh[1] : nullptr);
                    ASSERT_TRUE(holder.enter_any(t.table));
                    ASSERT_FALSE(waiter.enter_any(t.table));
                    holder.to_the_end();
                    auto const done = holder.finish_any(t.table);
                    EXPECT_EQ(done.node != nullptr, is_there);
                    ASSERT_EQ(done.successor, &waiter);
                    is_there = is_there_after(first, is_there);

                    AnyWalk third(Find, key); // comes between handing over and resuming
                    ASSERT_FALSE(third.enter_any(t.table));
                    waiter.resume_any();
                    waiter.to_the_end();
                    auto const done_too = waiter.finish_any(t.table);
                    EXPECT_EQ(done_too.node != nullptr, is_there);
                    ASSERT_EQ(done_too.successor, &third);
                    is_there = is_there_after(second, is_there);

                    third.resume_any();
                    third.to_the_end();
                    auto const last = third.finish_any(t.table);
                    EXPECT_EQ(last.node != nullptr, is_there);
                    EXPECT_EQ(last.successor, nullptr);
                    EXPECT_EQ(t.table.find(key), is_there);
                    EXPECT_EQ(t.chain().size(), t.table.size());
                }
            }
        }
    }
}

// Without the bucket held, the finds would stand on the node that is unlinked, or the second insert would have passed
// the place where the first one puts the equal key.
TEST(ChainWalk, nobody_stands_on_a_node_that_is_erased) {
    for (std::uint64_t const victim : {10U, 5U, 1U}) { // head, middle, tail
        OneChain t(10);
        std::vector<std::unique_ptr<AnyWalk>> walkers;
        AnyWalk erase(Erase, victim);
        ASSERT_TRUE(erase.enter_any(t.table));
        for (std::uint64_t key = 1; key <= 10; ++key) {
            walkers.push_back(std::make_unique<AnyWalk>(Find, key));
            ASSERT_FALSE(walkers.back()->enter_any(t.table));
        }
        erase.to_the_end();
        auto done = erase.finish_any(t.table);
        ASSERT_EQ(done.node, &t.nodes[victim]);
        *done.node = {77, nullptr}; // it is the caller's
        for (std::uint64_t key = 1; key <= 10; ++key) {
            ASSERT_EQ(done.successor, walkers[key - 1].get());
            walkers[key - 1]->resume_any();
            for (void const* const touched : walkers[key - 1]->to_the_end()) EXPECT_NE(touched, &t.nodes[victim]);
            done = walkers[key - 1]->finish_any(t.table);
            EXPECT_EQ(done.node, key != victim ? &t.nodes[key] : nullptr);
        }
        EXPECT_EQ(done.successor, nullptr);
        EXPECT_EQ(t.chain(), t.chain_without(victim));
    }
}

// A map: nodes that carry values, and do not stand first in what they are part of.
TEST(ChainWalk, nodes_may_carry_values) {
    struct Tag {
        std::uint64_t number;
    };
    struct Pair : Tag, ChainNode {};
    using Map = Chained<Modulo, Pair>;
    std::vector<ChainNode*> buckets(1);
    Map table(buckets, Modulo(1));
    std::vector<Pair> pairs;
    for (std::uint64_t key = 1; key <= 3; ++key) pairs.push_back({{key * key}, {key, nullptr}});
    ChainWalk<Map> walk;
    auto const run = [&]<Operation operation>(std::uint64_t key, Pair* pair) {
        walk.seek(key, pair);
        EXPECT_TRUE(walk.enter<operation>(table));
        while (!walk.is_at_end() && !walk.step()) {
        }
        return walk.finish<operation>(table).node;
    };
    for (Pair& pair : pairs) EXPECT_EQ(run.operator()<Insert>(pair.key, &pair), nullptr);
    for (Pair& pair : pairs) EXPECT_EQ(run.operator()<Find>(pair.key, nullptr)->number, pair.key * pair.key);
    // What overwrites gets the node that it is to write to; the one that an upsert brings is left as it is.
    EXPECT_EQ(run.operator()<Update>(3, nullptr), &pairs[2]);
    EXPECT_EQ(run.operator()<Modify>(4, nullptr), nullptr);
    Pair fourth{{16}, {3, nullptr}};
    EXPECT_EQ(run.operator()<Upsert>(3, &fourth), &pairs[2]);
    EXPECT_EQ(run.operator()<Upsert>(4, &fourth), nullptr);
    EXPECT_EQ(run.operator()<Find>(4, nullptr), &fourth);
    EXPECT_EQ(fourth.number, 16U);
    EXPECT_EQ(table.size(), 4U);
    EXPECT_EQ(run.operator()<Erase>(2, nullptr), &pairs[1]);
    EXPECT_EQ(run.operator()<Find>(2, nullptr), nullptr);
}

TEST(ChainWalkDeathTest, what_is_wrong_is_named) {
    OneChain t(3);
    ChainNode zero{0, nullptr};
    AnyWalk insert_zero(Insert, 0, &zero);
    EXPECT_DEATH((void)insert_zero.enter_any(t.table), "key 0");
    AnyWalk without_node(Insert, 5);
    EXPECT_DEATH((void)without_node.enter_any(t.table), "has a node");

    AnyWalk walk(Find, 1);
    ASSERT_TRUE(walk.enter_any(t.table));
    ChainNode node{9, nullptr};
    EXPECT_DEATH(t.table.insert(node), "a walk is under way in this bucket");
    EXPECT_DEATH((void)t.table.find(2), "a walk is under way in this bucket");
    EXPECT_DEATH(t.table.erase(2), "a walk is under way in this bucket");
    EXPECT_DEATH((void)t.table.lookup(2), "a walk is under way in this bucket");
    EXPECT_DEATH((void)t.chain(), "a walk is under way in this bucket");
    EXPECT_EQ(walk.finish_any(t.table).successor, nullptr);
    EXPECT_TRUE(t.table.find(2)); // as if nothing had been
}

} // namespace
} // namespace mxk::test

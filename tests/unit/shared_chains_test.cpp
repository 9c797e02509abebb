#include <gtest/gtest.h>

#include <random>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "hashtable/modulo.hpp"
#include "hashtable/shared/shared_chains.hpp"
#include "hashtable/table/partitioned.hpp"
#include "tests/kernel/contenders.hpp"
#include "tests/unit/in_thread.hpp"

namespace mxk::test {
namespace {

template <typename Locking> struct Standalone {
    using Table = SharedChains<Modulo, Locking>;

    explicit Standalone(std::size_t count)
        : memory(NodeArray<typename Table::Bucket>::create(count, node_id(0)))
        , table(memory.value().span(), Modulo(count), SemaphoreKind::Fast) {}

    [[nodiscard]] std::unordered_set<std::uint64_t> keys() const {
        std::unordered_set<std::uint64_t> found;
        table.for_each([&](std::size_t bucket, ChainNode const& node) {
            EXPECT_EQ(bucket, node.key % table.bucket_count());
            EXPECT_TRUE(found.insert(node.key).second) << "twice: " << node.key;
        });
        EXPECT_EQ(found.size(), table.size());
        return found;
    }

    Result<NodeArray<typename Table::Bucket>> memory;
    Table table;
};

template <typename Locking> class SharedChainsTest : public ::testing::Test {};
using Lockings = ::testing::Types<SemaphoreLock, NoLock>;
TYPED_TEST_SUITE(SharedChainsTest, Lockings);

TYPED_TEST(SharedChainsTest, of_one_thread_is_as_the_standards_set) {
    on_machine([] {
        in_one_thread([] {
            for (std::size_t const buckets : {1U, 13U, 64U}) {
                Standalone<TypeParam> t(buckets);
                std::unordered_map<std::uint64_t, ChainNode> nodes; // stable addresses
                std::unordered_set<std::uint64_t> expected;
                std::mt19937_64 random(buckets);
                for (int i = 0; i < 100'000; ++i) {
                    std::uint64_t const key = 1 + random() % 100;
                    bool const there = expected.contains(key);
                    switch (random() % 3) {
                    case 0: {
                        if (there) {
                            ChainNode other{key, nullptr};
                            ASSERT_FALSE(t.table.insert(other));
                            ASSERT_EQ(other.next, nullptr); // still the caller's
                            break;
                        }
                        nodes[key] = {key, nullptr};
                        ASSERT_TRUE(t.table.insert(nodes[key]));
                        expected.insert(key);
                        break;
                    }
                    case 1:
                        t.table.prefetch(key);
                        ASSERT_EQ(t.table.find(key), there);
                        ASSERT_EQ(t.table.lookup(key), there ? &nodes[key] : nullptr);
                        break;
                    default: ASSERT_EQ(t.table.erase(key), there ? &nodes[key] : nullptr); expected.erase(key);
                    }
                }
                EXPECT_EQ(t.keys(), expected);
                EXPECT_FALSE(t.table.find(0));
                EXPECT_EQ(t.table.erase(0), nullptr);
            }
        });
    });
}

TYPED_TEST(SharedChainsTest, is_cut_over_nodes_as_the_tables_of_tasks_are) {
    on_machine([] {
        using Table = Partitioned<SharedChains<RegionModulo, TypeParam>>;
        std::array const owners{Owner{core_id(0), node_id(0)}, Owner{core_id(3), node_id(1)}};
        auto created = Table::create(1001, owners, SemaphoreKind::Fast);
        ASSERT_TRUE(created.ok());
        Table& table = created.value();
        in_one_thread([&] {
            std::vector<ChainNode> nodes;
            for (std::uint64_t key = 1; key <= 5000; ++key) nodes.push_back({key, nullptr});
            for (ChainNode& node : nodes) ASSERT_TRUE(table.region(table.owner(node.key)).insert(node));
            EXPECT_EQ(table.size(), nodes.size());
            for (ChainNode& node : nodes) {
                EXPECT_TRUE(table.region(table.owner(node.key)).find(node.key));
                EXPECT_EQ(table.owner(node.key), node.key % 1001 >= 501 ? 1U : 0U);
            }
        });
    });
}

TEST(SharedChains, a_bucket_without_semaphore_is_a_link) {
    EXPECT_EQ(sizeof(SharedChains<Modulo, NoLock>::Bucket), sizeof(ChainNode*));
    EXPECT_EQ(sizeof(SharedChains<Modulo, SemaphoreLock>::Bucket), sizeof(ChainNode*) + sizeof(Semaphore));
}

struct Pair : ChainNode {
    std::uint64_t value = 0;
};

TEST(SharedChains, nodes_may_carry_values) {
    on_machine([] {
        using Table = SharedChains<Modulo, SemaphoreLock, Pair>;
        auto memory = NodeArray<Table::Bucket>::create(3, node_id(0));
        ASSERT_TRUE(memory.ok());
        Table table(memory.value().span(), Modulo(3), SemaphoreKind::Fast);
        in_one_thread([&] {
            Pair pair{{7, nullptr}, 70};
            ASSERT_TRUE(table.insert(pair));
            EXPECT_EQ(table.lookup(7)->value, 70U);
            EXPECT_EQ(table.lookup(4), nullptr);
            EXPECT_TRUE(table.update(7, [](Pair& its) { its.value += 1; }));
            EXPECT_FALSE(table.update(4, [](Pair&) { FAIL() << "nobody has key 4"; }));
            EXPECT_EQ(pair.value, 71U);
            Pair other{{7, nullptr}, 90};
            EXPECT_FALSE(table.upsert(other, [&](Pair& its) { its.value = other.value; }));
            EXPECT_EQ(table.lookup(7), &pair);
            EXPECT_EQ(pair.value, 90U);
            other.key = 4;
            EXPECT_TRUE(table.upsert(other, [](Pair&) { FAIL() << "nobody had key 4"; }));
            EXPECT_EQ(table.lookup(4), &other);
            EXPECT_EQ(table.size(), 2U);
            EXPECT_EQ(table.erase(7), &pair);
        });
    });
}

TEST(SharedChains, threads_of_all_cores_get_the_results_of_some_order) {
    on_machine([] {
        constexpr std::uint32_t operations = 40'000;
        for (std::size_t const buckets : {1U, 5U, 40U}) {
            Standalone<SemaphoreLock> t(buckets);
            std::vector<ChainNode> nodes(2 * workers::count() * operations);
            EXPECT_EQ(contend(
                          operations,
                          [&](std::size_t i) {
                              return ChainsUser(t.table, std::span(nodes).subspan(i * operations, operations));
                          },
                          [&](std::uint64_t key) { return t.table.lookup(key) != nullptr; }),
                      0U);
            (void)t.keys(); // none twice
        }
    });
}

TEST(SharedChainsDeathTest, key_zero_is_refused) {
    EXPECT_DEATH(on_machine([] {
                     in_one_thread([] {
                         Standalone<NoLock> t(2);
                         ChainNode zero{0, nullptr};
                         t.table.insert(zero);
                     });
                 }),
                 "key 0");
}

} // namespace
} // namespace mxk::test

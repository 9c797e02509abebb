// Tables that all cores use, of some cores only, and on nodes that are no power of two.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

#include "hashtable/hash.hpp"
#include "hashtable/shared/concurrent/head_block.hpp"
#include "hashtable/shared/key_counters.hpp"
#include "hashtable/shared/line_resize.hpp"
#include "tests/unit/memory_fixture.hpp"
#include "tests/unit/model_grace.hpp"

namespace mxk::test {
namespace {

class SharedOwnersTest : public MemoryTest {
  protected:
    static std::array<Owner, 2> cores_1_and_3() {
        return {Owner{core_id(1), node_id(0)}, Owner{core_id(3), node_id(1)}};
    }
};

TEST_F(SharedOwnersTest, each_owner_counts_by_itself) {
    configure({16 * MiB, 16 * MiB});
    auto created = KeyCounters::create(cores_1_and_3());
    ASSERT_TRUE(created.ok());
    KeyCounters& counters = created.value();
    EXPECT_EQ(counters.count_insert(1), 1U);
    EXPECT_EQ(counters.count_insert(3), 1U);
    EXPECT_EQ(counters.count_insert(3), 2U);
    for (std::size_t const other : {0U, 2U, 4U, 63U}) counters.count_insert(other); // with one of them
    EXPECT_EQ(counters.sum(), 7U);
}

TEST_F(SharedOwnersTest, each_owner_first_moves_its_own_buckets) {
    configure({16 * MiB, 16 * MiB});
    for (std::size_t const place : {0U, 1U}) {
        GraceModel grace;
        auto const owners = cores_1_and_3();
        auto created = LineResize<MixedHash, GraceModel::Handle>::create(owners, 512, MixedHash(), grace.handle());
        ASSERT_TRUE(created.ok());
        auto& resize = created.value();
        ASSERT_EQ(resize.start(512, 1024), (LineResize<MixedHash, GraceModel::Handle>::Start::Started));
        ASSERT_TRUE(resize.work(index(owners.at(place).core)));
        EXPECT_GT(resize.root()->segment(place).claimed.load(), 0U);
        EXPECT_EQ(resize.root()->segment(1 - place).claimed.load(), 0U);
        grace.end();
    }
}

// Heads lie on all nodes, in shares that are alike.
TEST_F(SharedOwnersTest, heads_lie_on_all_nodes) {
    constexpr std::size_t max_nodes = 12;
    configure(std::vector<std::size_t>(max_nodes, 16 * MiB));
    for (std::size_t nodes = 1; nodes <= max_nodes; ++nodes) {
        std::vector<NodeId> ids;
        for (std::size_t i = 0; i < nodes; ++i) ids.push_back(node_id(i));
        for (unsigned const order : {3U, 6U, 12U}) {
            auto const created = concurrent::HeadBlock::create(order, ids);
            ASSERT_TRUE(created.ok());
            auto const& block = created.value();
            block.fill(0, block.size(), 0);
            for (std::size_t i = 0; i < nodes; ++i) {
                std::size_t here = 0;
                for (std::size_t at = 0; at < block.size(); ++at) here += host[i]->contains(&block[at]) ? 1U : 0U;
                if (order >= 6)
                    EXPECT_NEAR(static_cast<double>(here) * static_cast<double>(nodes),
                                static_cast<double>(block.size()), static_cast<double>(block.size()) / 4)
                        << order << ", node " << i << " of " << nodes;
                else
                    EXPECT_LE(here, (block.size() + nodes - 1) / nodes);
            }
        }
    }
}

} // namespace
} // namespace mxk::test

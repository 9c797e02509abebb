// Builds that check walk a concurrent table's chains before it goes: what that walk accepts, and what it finds.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "hashtable/shared/concurrent/chains.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::concurrent {
namespace {

struct KeepRemoved {
    void operator()(Node&) const {}
};

class ChainsCheckTest : public test::MemoryTest {
  protected:
    static constexpr unsigned shift = 64 - HeadBlock::min_order;

    void SetUp() override { configure({64 * MiB}); }

    // In bucket 3, in this order, and one in bucket 4.
    template <typename Change> static void check_after(Change change) {
        NodeId const node = node_id(0);
        auto block = HeadBlock::create(HeadBlock::min_order, {&node, 1});
        ASSERT_TRUE(block.ok());
        HeadBlock& heads = block.value();
        heads.fill(0, heads.size(), 0);
        Chains<KeepRemoved> chains(heads, KeepRemoved());
        std::array<Node, 4> nodes;
        for (std::uint64_t i = 0; i < 3; ++i) nodes[i].hash = (std::uint64_t{3} << shift) + 2 * i;
        nodes[3].hash = std::uint64_t{4} << shift;
        for (Node& one : nodes) chains.insert(one);
        change(chains, heads, nodes);
        EXPECT_EQ(chains.check(), 4U);
    }
    static void mark(AtomicLink& link, std::uintptr_t marks) { link.store(link.load().with(marks)); }
};

TEST_F(ChainsCheckTest, counts_what_is_there) {
    check_after([](auto& chains, HeadBlock&, auto& nodes) {
        Node more;
        more.hash = nodes[1].hash;
        chains.insert(more);
        EXPECT_EQ(chains.check(), 5U);
        EXPECT_TRUE(chains.remove(more));
    });
}

TEST_F(ChainsCheckTest, finds_what_is_wrong) {
    EXPECT_DEATH(check_after([](auto&, HeadBlock& heads, auto&) { mark(heads[7], MarkedLink::invalid); }),
                 "a head has no mark");
    EXPECT_DEATH(check_after([](auto&, HeadBlock& heads, auto&) { mark(heads[3], MarkedLink::frozen); }),
                 "a head has no mark");
    EXPECT_DEATH(check_after([](auto&, HeadBlock&, auto& nodes) { mark(nodes[1].link, MarkedLink::joint); }),
                 "no node is joint");
    EXPECT_DEATH(check_after([](auto&, HeadBlock&, auto& nodes) { nodes[0].hash = nodes[2].hash + 2; }),
                 "in the order of its hashes");
    EXPECT_DEATH(check_after([](auto&, HeadBlock&, auto& nodes) { nodes[2].hash = nodes[3].hash; }),
                 "in its bucket's chain");
    EXPECT_DEATH(check_after([](auto& chains, HeadBlock&, auto&) {
                     NodeId const node = node_id(0);
                     auto larger = HeadBlock::create(HeadBlock::min_order + 1, {&node, 1});
                     larger.value().fill(0, larger.value().size(), MarkedLink::invalid);
                     chains.begin(larger.value());
                     static_cast<void>(chains.check());
                 }),
                 "while no resize is under way");
}

} // namespace
} // namespace mxk::concurrent

#include <gtest/gtest.h>

#include <algorithm>

#include "base/log.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::test {
namespace {

NodeId where(std::size_t bytes, std::size_t wanted) {
    auto const block = memory::allocate(bytes, 64, node_id(wanted));
    EXPECT_TRUE(block.ok()) << (block.ok() ? "" : block.error().message());
    return block.value().node;
}

TEST_F(MemoryTest, gives_from_the_node_that_was_asked) {
    configure({1 * MiB, 2 * MiB});
    EXPECT_EQ(memory::node_count(), 2U);
    auto const block = memory::allocate(5000, 64, node_id(1));
    ASSERT_TRUE(block.ok());
    EXPECT_EQ(block.value().node, node_id(1));
    EXPECT_EQ(block.value().bytes, 5000U);
    EXPECT_TRUE(host[1]->contains(block.value().address));
    EXPECT_EQ(memory::use(node_id(1)).total, 2 * MiB);
    EXPECT_EQ(memory::use(node_id(1)).used, 8192U);
    EXPECT_EQ(memory::use(node_id(0)).used, 0U);
    memory::free(block.value());
    EXPECT_EQ(used_bytes(), 0U);
    EXPECT_EQ(memory::use(node_id(1)).spilled, 0U);
}

TEST_F(MemoryTest, spills_to_the_nearest_node_first) {
    configure({1 * MiB, 1 * MiB, 1 * MiB, 1 * MiB}, {10, 40, 20, 30, //
                                                     40, 10, 21, 21, //
                                                     20, 21, 10, 50, //
                                                     30, 21, 50, 10});
    for (std::size_t const node : {0U, 2U, 3U, 1U}) EXPECT_EQ(where(1 * MiB, 0), node_id(node));
    EXPECT_EQ(memory::use(node_id(0)).spilled, 3 * MiB);
    EXPECT_EQ(memory::use(node_id(2)).spilled, 0U);
}

TEST_F(MemoryTest, equal_distances_go_by_id) {
    configure({0, 1 * MiB, 1 * MiB}, {10, 20, 20, 20, 10, 20, 20, 20, 10});
    EXPECT_EQ(where(1 * MiB, 0), node_id(1));
    EXPECT_EQ(where(1 * MiB, 0), node_id(2));
}

TEST_F(MemoryTest, the_node_itself_is_nearest_whatever_the_firmware_says) {
    configure({1 * MiB, 1 * MiB}, {255, 0, 0, 255});
    EXPECT_EQ(where(4096, 0), node_id(0));
    EXPECT_EQ(where(4096, 1), node_id(1));
}

TEST_F(MemoryTest, a_memoryless_node_is_helped_and_warned_about_once) {
    configure({1 * MiB, 0});
    std::size_t const warnings = log::warning_count();
    EXPECT_EQ(where(4096, 1), node_id(0));
    EXPECT_EQ(where(4096, 1), node_id(0));
    EXPECT_EQ(log::warning_count(), warnings + 1);
    EXPECT_EQ(memory::use(node_id(1)).total, 0U);
    EXPECT_EQ(memory::use(node_id(1)).spilled, 8192U);
}

TEST_F(MemoryTest, says_what_was_wanted_and_what_there_is) {
    configure({200 * MiB, 120 * MiB});
    EXPECT_EQ(memory::allocate(384 * MiB, 64, node_id(1)).error().message(),
              "out of memory: 384 MiB wanted on node 1; largest free extent there 120 MiB, on any node 200 MiB");
    EXPECT_EQ(memory::allocate(3 * GiB / 2, 64, node_id(0)).error().message(),
              "out of memory: 1.5 GiB wanted on node 0; largest free extent there 200 MiB, on any node 200 MiB");
    EXPECT_EQ(memory::allocate(4096, 64, node_id(2)).error().message(), "no node 2: there are 2");
}

TEST_F(MemoryTest, names_the_alignment_where_it_is_the_reason) {
    configure({64 * KiB}); // up to one of its frames lies at a multiple of 1 GiB
    (void)memory::allocate(100, 1 * GiB, node_id(0));
    auto const second = memory::allocate(100, 1 * GiB, node_id(0));
    ASSERT_FALSE(second.ok());
    EXPECT_TRUE(second.error().message().starts_with("out of memory: 100 bytes aligned to 1 GiB wanted on node 0;"))
        << second.error().message();
}

TEST_F(MemoryTest, there_are_no_nodes_before_configure) {
    EXPECT_EQ(memory::node_count(), 0U);
    EXPECT_EQ(memory::allocate(1, 1, node_id(0)).error().message(), "no node 0: there are 0");
}

TEST_F(MemoryTest, arrays_are_aligned_by_size_and_give_their_memory_back) {
    configure({16 * MiB});
    {
        auto small = NodeArray<std::uint32_t>::create(100, node_id(0));
        auto large = NodeArray<std::uint64_t>::create(2 * MiB / 8, node_id(0));
        ASSERT_TRUE(small.ok() && large.ok());
        EXPECT_EQ(small.value().size(), 100U);
        EXPECT_EQ(small.value().span().size_bytes(), 400U);
        EXPECT_TRUE(is_aligned(reinterpret_cast<std::uintptr_t>(small.value().data()), 64));
        EXPECT_TRUE(is_aligned(reinterpret_cast<std::uintptr_t>(large.value().data()), 2 * MiB));
        EXPECT_EQ(used_bytes(), 2 * MiB + 4 * KiB);
    }
    EXPECT_EQ(used_bytes(), 0U);
}

TEST_F(MemoryTest, arrays_do_not_touch_their_memory_unless_asked) {
    configure({64 * MiB});
    auto const untouched = NodeArray<std::byte>::create(32 * MiB, node_id(0));
    ASSERT_TRUE(untouched.ok());
    EXPECT_LE(host[0]->resident_pages(), 4U);
    auto* const before = static_cast<std::byte*>(memory::allocate(4096, 64, node_id(0)).value().address);
    std::fill_n(before, 4096, std::byte{0xff});
    memory::free({before, 4096, node_id(0)});
    auto const zeroed = NodeArray<std::uint64_t>::create_zeroed(512, node_id(0));
    ASSERT_TRUE(zeroed.ok());
    EXPECT_EQ(static_cast<void*>(zeroed.value().data()), before);
    for (std::uint64_t const value : zeroed.value().span()) EXPECT_EQ(value, 0U);
}

TEST_F(MemoryTest, arrays_move) {
    configure({1 * MiB});
    auto first = NodeArray<int>::create(10, node_id(0)).value();
    first[9] = 7;
    NodeArray<int> second = std::move(first);
    EXPECT_EQ(first.size(), 0U); // NOLINT: moved-from is empty by contract
    EXPECT_EQ(second[9], 7);
    second = NodeArray<int>::create(2000, node_id(0)).value();
    EXPECT_EQ(second.size(), 2000U);
    EXPECT_EQ(used_bytes(), 8 * KiB);
    second = {};
    EXPECT_EQ(used_bytes(), 0U);
}

TEST_F(MemoryTest, arrays_of_nothing_and_of_too_much) {
    configure({1 * MiB});
    EXPECT_EQ(NodeArray<int>::create(0, node_id(0)).value().size(), 0U);
    EXPECT_FALSE(NodeArray<int>::create(SIZE_MAX / 2, node_id(0)).ok());
    EXPECT_FALSE(NodeArray<int>::create(1 * MiB, node_id(0)).ok());
    EXPECT_EQ(used_bytes(), 0U);
}

} // namespace
} // namespace mxk::test

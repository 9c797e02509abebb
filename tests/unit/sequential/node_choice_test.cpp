// Which node a request goes to, as a table; in which order cores are woken and stolen from.
#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "tasks/dataflow/core_orders.hpp"
#include "tasks/dataflow/node_choice.hpp"

namespace mxk::dataflow {
namespace {

NodeLoad node(std::uint32_t cores, std::uint32_t unfinished) {
    return {.waiting = 0,
            .unfinished = unfinished,
            .cores = cores,
            .awake = 0,
            .memory_total = 1000,
            .memory_available = 1000,
            .speed = 1};
}

// With a measured load of no more than n / threads, a node has room for a request as long as n < threads - 2.
TEST(DataflowNodeChoice, HasRoomForFewerRequestsThanCoresButTwo) {
    for (std::uint32_t const cores : {4U, 6U, 12U, 24U})
        for (std::uint32_t unfinished = 1; unfinished < cores + 3; ++unfinished)
            EXPECT_EQ(has_room(node(cores, unfinished), 0), unfinished < cores - 2) << cores << " " << unfinished;
}

TEST(DataflowNodeChoice, HasRoomBelowAShareOfTheLoadByTheNumberOfRequests) {
    EXPECT_TRUE(has_room(node(1000, 1), 0.33)); // u < n / (n + 2)
    EXPECT_FALSE(has_room(node(1000, 1), 0.34));
    EXPECT_TRUE(has_room(node(1000, 2), 0.49));
    EXPECT_FALSE(has_room(node(1000, 2), 0.51));
    EXPECT_TRUE(has_room(node(1000, 4), 0.66));
    EXPECT_FALSE(has_room(node(1000, 4), 0.67));
}

TEST(DataflowNodeChoice, WithoutRequestsAnythingBelowFullIsRoom) {
    EXPECT_TRUE(has_room(node(2, 0), 0.99));
    EXPECT_FALSE(has_room(node(2, 0), 1));
}

TEST(DataflowNodeChoice, TakesTheShortestQueueFirst) {
    std::array nodes{node(12, 5), node(12, 1)};
    nodes[1].waiting = 1;
    EXPECT_EQ(choose_node(nodes, 7), 0U);
}

TEST(DataflowNodeChoice, TakesTheFastestThatHasRoomAndDrawsBetweenEqualOnes) {
    std::array nodes{node(12, 1), node(12, 1), node(12, 1)};
    nodes[0].speed = 10.0 / 13;
    EXPECT_EQ(choose_node(nodes, 0), 1U);
    EXPECT_EQ(choose_node(nodes, 1), 2U);
    nodes[1].memory_available = 10;
    nodes[2].awake = 12;
    EXPECT_EQ(choose_node(nodes, 1), 0U);
}

TEST(DataflowNodeChoice, WithoutRoomAnywhereTakesTheNodeWithMoreFreeMemory) {
    std::array nodes{node(3, 2), node(3, 2), node(3, 2)};
    nodes[0].memory_available = 300;
    nodes[1].memory_available = 500;
    nodes[2].memory_available = 400;
    EXPECT_EQ(choose_node(nodes, 5), 1U);
    nodes[1].waiting = 1; // no candidate any more
    EXPECT_EQ(choose_node(nodes, 5), 2U);
}

TEST(DataflowNodeChoice, NeverTakesANodeWithoutCores) {
    std::array nodes{node(0, 0), node(2, 9)};
    EXPECT_EQ(choose_node(nodes, 3), 1U);
}

// Two packages of two physical cores of two threads; the second-level cache is a physical core's, the third a
// package's.
std::vector<topology::Core> eight_cores() {
    std::vector<topology::Core> cores;
    for (std::uint32_t i = 0; i < 8; ++i) {
        topology::Core core{.id = core_id(i), .apic_id = {}, .node = {}, .acpi_uid = 0};
        core.levels.physical_core = i % 4;
        core.levels.package = i % 4 / 2;
        core.levels.caches[0] = {.domain = i % 4, .bytes = 32 * KiB};
        core.levels.caches[1] = {.domain = i % 4, .bytes = 512 * KiB};
        core.levels.caches[2] = {.domain = i % 4 / 2, .bytes = 32 * MiB};
        cores.push_back(core);
    }
    return cores;
}

TEST(DataflowCoreOrders, WakesOneThreadOfEachPhysicalCoreFirst) {
    auto const all = eight_cores();
    std::array<CoreId, 6> cores{core_id(7), core_id(0), core_id(4), core_id(3), core_id(1), core_id(5)};
    sort_for_waking(cores, all);
    EXPECT_TRUE(
        std::ranges::equal(cores, std::array{core_id(0), core_id(1), core_id(3), core_id(4), core_id(5), core_id(7)}));
}

TEST(DataflowCoreOrders, StealsWhereACacheIsSharedFirst) {
    auto const all = eight_cores();
    std::array<unsigned, 8> first_of_package{};
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        std::array<CoreId, 7> victims{core_id(1), core_id(2), core_id(3), core_id(4),
                                      core_id(5), core_id(6), core_id(7)};
        sort_for_stealing(core_id(0), victims, all, seed);
        EXPECT_EQ(index(victims[0]), 4U); // the other thread
        EXPECT_TRUE(std::ranges::is_permutation(std::span(victims).subspan(1, 2), std::array{core_id(1), core_id(5)}));
        ++first_of_package[index(victims[3])];
    }
    for (std::size_t const other : {2U, 3U, 6U, 7U}) EXPECT_NEAR(first_of_package[other], 100, 40) << other;
    std::array<CoreId, 7> victims{core_id(1), core_id(2), core_id(3), core_id(4), core_id(5), core_id(6), core_id(7)};
    sort_for_stealing(core_id(0), victims, all, 1, VictimOrder::FarthestFirst);
    EXPECT_TRUE(std::ranges::is_permutation(std::span(victims).first(4),
                                            std::array{core_id(2), core_id(3), core_id(6), core_id(7)}));
    EXPECT_TRUE(std::ranges::is_permutation(std::span(victims).subspan(4, 2), std::array{core_id(1), core_id(5)}));
    EXPECT_EQ(index(victims[6]), 4U);
    EXPECT_EQ(shared_level(all[0], all[4]), 1U);
    EXPECT_EQ(shared_level(all[0], all[1]), 3U);
    EXPECT_EQ(shared_level(all[0], all[2]), 5U);
}

} // namespace
} // namespace mxk::dataflow

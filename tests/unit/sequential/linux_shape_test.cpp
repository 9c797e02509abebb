// Which cores and nodes a program gets on which host.
#include <gtest/gtest.h>

#include "main/library/shape.hpp"

namespace mxk::arch {
namespace {

Host two_sockets() { // 2 x 2 cores with 2 siblings each, in the order in which read_host() gives them
    Host host;
    host.nodes = {{0, 6 * GiB}, {1, 2 * GiB}};
    host.distances = {10, 21, 21, 10};
    for (unsigned sibling = 0; sibling < 2; ++sibling)
        for (unsigned core = 0; core < 4; ++core)
            host.cpus.push_back({static_cast<int>(sibling * 4 + core), ApicId{core * 2 + sibling}, core / 2, sibling});
    return host;
}

std::vector<unsigned> nodes_of(Shape const& shape) {
    std::vector<unsigned> result;
    for (ShapeCore const& core : shape.cores) result.push_back(static_cast<unsigned>(core.node));
    return result;
}

Shape shape_of(RuntimeOptions const& options) {
    auto shape = make_shape(options, two_sockets(), 8 * GiB);
    EXPECT_TRUE(shape.ok());
    return std::move(shape).value();
}

std::string refusal(RuntimeOptions const& options) {
    auto const shape = make_shape(options, two_sockets(), 8 * GiB);
    return shape.ok() ? "" : std::string(shape.error().message());
}

TEST(Shape, is_the_hosts_if_nothing_is_asked) {
    Shape const shape = shape_of({});
    EXPECT_EQ(nodes_of(shape), (std::vector<unsigned>{0, 0, 1, 1, 0, 0, 1, 1}));
    EXPECT_EQ(shape.cores[1].apic_id, ApicId{2});
    EXPECT_EQ(shape.cores[4].cpu, 4);
    EXPECT_EQ(shape.nodes[1].system_node, 1);
    EXPECT_EQ(shape.distances, (std::vector<std::uint8_t>{10, 21, 21, 10}));
    EXPECT_FALSE(shape.distances_assumed);
    EXPECT_FALSE(shape.shares_cpus);
}

TEST(Shape, shares_memory_as_the_host_does_and_leaves_a_tenth) {
    Shape const shape = shape_of({});
    EXPECT_NEAR(static_cast<double>(shape.nodes[0].memory_bytes), 0.9 * 6 * GiB, 4 * MiB);
    EXPECT_NEAR(static_cast<double>(shape.nodes[1].memory_bytes), 0.9 * 2 * GiB, 4 * MiB);
    EXPECT_EQ(shape_of({.memory_bytes = 4 * GiB}).nodes[0].memory_bytes, 3 * GiB);
}

TEST(Shape, a_node_is_no_larger_than_its_table_of_frames_can_be) {
    EXPECT_EQ(refusal({.memory_bytes = 17 * 1024 * GiB}),
              "expected less than 8 TiB of memory for each node, got 13056 GiB for node 0");
    EXPECT_EQ(refusal({.cores = 3, .nodes = 3, .memory_bytes = 23 * 1024 * GiB}), "");
    EXPECT_EQ(refusal({.cores = 3, .nodes = 3, .memory_bytes = 24 * 1024 * GiB}),
              "expected less than 8 TiB of memory for each node, got 8192 GiB for node 0");
}

TEST(Shape, fewer_cores_are_whole_ones_first) {
    Shape const shape = shape_of({.cores = 3});
    EXPECT_EQ(nodes_of(shape), (std::vector<unsigned>{0, 0, 1}));
    EXPECT_EQ(shape.nodes.size(), 2U);
}

TEST(Shape, pretends_nodes_of_equal_size) {
    Shape const shape = shape_of({.cores = 8, .nodes = 4, .memory_bytes = 4 * GiB});
    EXPECT_EQ(nodes_of(shape), (std::vector<unsigned>{0, 0, 1, 1, 2, 2, 3, 3}));
    for (ShapeNode const& node : shape.nodes) {
        EXPECT_EQ(node.memory_bytes, 1 * GiB);
        EXPECT_EQ(node.system_node, -1); // bound to none
    }
    EXPECT_EQ(shape.distances.size(), 16U);
    EXPECT_EQ(shape.distances[0], 10);
    EXPECT_EQ(shape.distances[1], 20);
    EXPECT_TRUE(shape.distances_assumed);
    EXPECT_EQ(nodes_of(shape_of({.cores = 3, .nodes = 2})), (std::vector<unsigned>{0, 0, 1}));
}

TEST(Shape, more_cores_than_processors_share_them_under_ids_of_their_own) {
    Shape const shape = shape_of({.cores = 20, .nodes = 2});
    EXPECT_TRUE(shape.shares_cpus);
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(shape.cores[i].apic_id, ApicId(i));
        EXPECT_EQ(shape.cores[i].cpu, static_cast<int>(i % 8));
    }
}

TEST(Shape, refuses_what_cannot_be) {
    EXPECT_EQ(refusal({.cores = 2, .nodes = 3}), "expected up to as many nodes as cores, got 3 nodes for 2 cores");
    EXPECT_EQ(refusal({.memory_bytes = 31 * MiB}), "expected no less than 32 MiB of memory for 2 nodes, got 31 MiB");
}

TEST(Shape, a_host_node_without_memory_stays_without) {
    Host host = two_sockets();
    host.nodes[1].memory_bytes = 0;
    auto const shape = make_shape({}, host, 8 * GiB);
    ASSERT_TRUE(shape.ok());
    EXPECT_EQ(shape.value().nodes[1].memory_bytes, 0U);
}

TEST(Shape, distances_that_the_host_does_not_say_are_assumed_where_there_are_several_nodes) {
    Host host = two_sockets();
    host.distances.clear();
    EXPECT_TRUE(make_shape({}, host, 8 * GiB).value().distances_assumed);
    EXPECT_FALSE(make_shape({.nodes = 1}, host, 8 * GiB).value().distances_assumed);
}

// A sandbox without /sys: unknown is not none.
TEST(Shape, a_host_that_does_not_say_where_its_memory_is_is_one_node_with_all_of_it) {
    Host host = two_sockets();
    for (HostNode& node : host.nodes) node.memory_bytes = 0;
    auto const made = make_shape({}, host, 8 * GiB);
    ASSERT_TRUE(made.ok());
    Shape const& shape = made.value();
    ASSERT_EQ(shape.nodes.size(), 1U);
    EXPECT_EQ(shape.nodes[0].system_node, -1);
    EXPECT_NEAR(static_cast<double>(shape.nodes[0].memory_bytes), 0.9 * 8 * GiB, 4 * MiB);
    EXPECT_EQ(nodes_of(shape), std::vector<unsigned>(8, 0));
    EXPECT_EQ(shape.distances, std::vector<std::uint8_t>{10});
    EXPECT_TRUE(shape.nodes_unknown);
    EXPECT_FALSE(shape.memory_guessed);
    EXPECT_TRUE(make_shape({}, host, std::nullopt).value().memory_guessed);
    EXPECT_FALSE(make_shape({.nodes = 2}, host, 8 * GiB).value().nodes_unknown);
}

// Whatever this machine is.
TEST(Host, says_something_consistent) {
    Host const host = read_host();
    ASSERT_FALSE(host.cpus.empty());
    ASSERT_FALSE(host.nodes.empty());
    for (HostCpu const& cpu : host.cpus) EXPECT_LT(cpu.node, host.nodes.size());
    EXPECT_EQ(host.cpus[0].sibling, 0U);
    if (!host.distances.empty()) {
        EXPECT_EQ(host.distances.size(), host.nodes.size() * host.nodes.size());
    }
    EXPECT_GT(available_memory_bytes().value_or(0), 16 * MiB);
}

} // namespace
} // namespace mxk::arch

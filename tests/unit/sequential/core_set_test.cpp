// What --cores may name, and which cores it means on made-up machines.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernel/topology/core_set.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::topology {
namespace {

using Ids = std::vector<std::uint32_t>;

// Cores in the order in which firmware lists them: the first thread of each physical core, node by node, then the
// second threads. A package's physical cores share an L3, each has an L2.
struct Machine {
    Machine(std::size_t node_count, std::size_t packages_per_node, std::size_t cores_per_package, std::size_t threads,
            bool knows_levels = true) {
        std::size_t const physical = node_count * packages_per_node * cores_per_package;
        for (std::size_t thread = 0; thread < threads; ++thread) {
            for (std::size_t i = 0; i < physical; ++i) {
                auto const package = static_cast<std::uint32_t>(i / cores_per_package);
                auto const number = static_cast<std::uint32_t>(i);
                Core core{core_id(list.size()), ApicId{number * 2 + static_cast<std::uint32_t>(thread)},
                          node_id(package / packages_per_node), 0};
                if (knows_levels) {
                    core.levels = {.physical_core = number, .package = package};
                    core.levels.caches[1] = {number, MiB};
                    core.levels.caches[2] = {package, 32 * MiB};
                }
                list.push_back(core);
            }
        }
        ids.resize(node_count + 1);
        for (Core const& core : list) ids[index(core.node)].push_back(core.id);
        for (std::size_t i = 0; i < ids.size(); ++i) nodes.push_back({node_id(i), 0, {}, ids[i]});
        topology.cores = list; // one node more, without a core
        topology.nodes = nodes;
    }

    std::vector<Core> list;
    std::vector<std::vector<CoreId>> ids;
    std::vector<Node> nodes;
    Topology topology;
};

struct CoreSetTest : test::MemoryTest {
    void SetUp() override { configure({64 * MiB}); }
    static std::string error_of(std::string_view text) {
        CoreSets sets;
        auto const parsed = parse_value(text, sets);
        return parsed ? "" : std::string(parsed.error().message());
    }
    // The labels and ids of all sets: "2:0,1 4:0,1,2,3", or what is wrong.
    static std::string resolved(std::string_view text, Machine const& machine) {
        CoreSets sets;
        if (!text.empty()) {
            auto const parsed = parse_value(text, sets);
            if (!parsed) return std::string(parsed.error().message());
        }
        auto const found = resolve(sets, machine.topology, node_id(0));
        if (!found) return std::string(found.error().message());
        std::string result;
        for (CoreSet const& set : found.value()) {
            result += (result.empty() ? "" : " ") + std::string(set.label.view()) + "=";
            for (CoreId const core : set.cores)
                result += (result.ends_with('=') ? "" : ",") + std::to_string(index(core));
        }
        return result;
    }

    Machine const plain{1, 1, 4, 1};
    Machine const large{2, 2, 2, 2}; // 8 physical cores, 16 threads: node 0 has 0-3 and 8-11
};

TEST_F(CoreSetTest, counts_are_the_first_cores_as_ever) {
    EXPECT_EQ(resolved("1,2,4", plain), "1=0 2=0,1 4=0,1,2,3");
    EXPECT_EQ(resolved("1-3", plain), "1=0 2=0,1 3=0,1,2");
    EXPECT_EQ(resolved("", plain), "1=0 2=0,1 4=0,1,2,3");
    EXPECT_EQ(resolved("", Machine(1, 1, 3, 1)), "1=0 2=0,1 3=0,1,2");
    EXPECT_EQ(resolved("", Machine(1, 1, 1, 1)), "1=0");
    EXPECT_EQ(resolved("2,2", plain), "2=0,1 2=0,1");
    EXPECT_EQ(resolved("5", plain), "expected up to 4, the cores of this machine, got 5");
}

TEST_F(CoreSetTest, a_list_with_core_0_in_it_and_one_with_a_prefix_are_ids) {
    EXPECT_EQ(resolved("0-3", plain), "0-3=0,1,2,3");
    EXPECT_EQ(resolved("0,2-3", plain), "0,2-3=0,2,3");
    EXPECT_EQ(resolved("2,0", plain), "2,0=2,0");
    EXPECT_EQ(resolved("0", plain), "0=0");
    EXPECT_EQ(resolved("cores:3,1", plain), "cores:3,1=3,1");
    EXPECT_EQ(resolved("cores:2-3/0-1/2", plain), "cores:2-3=2,3 0-1=0,1 2=0,1");
    EXPECT_EQ(resolved("0-4", plain), "expected cores 0 to 3, those of this machine, got 4");
    EXPECT_EQ(resolved("cores:65535", plain), "expected cores 0 to 3, those of this machine, got 65535");
    EXPECT_EQ(resolved("0-2,1", plain), "expected different cores, got 1 twice");
    // More cores than a list of counts holds.
    EXPECT_EQ(resolved("0-99", Machine(1, 1, 100, 1)).substr(0, 10), "0-99=0,1,2");
}

TEST_F(CoreSetTest, a_node) {
    EXPECT_EQ(resolved("node:1", large), "node:1=4,5,6,7,12,13,14,15");
    EXPECT_EQ(resolved("node:0-1", Machine(2, 1, 2, 1)), "node:0=0,1 node:1=2,3");
    EXPECT_EQ(resolved("node:2", large), "expected a node with cores, got 2, which has none");
    EXPECT_EQ(resolved("node:3", large), "expected nodes 0 to 2, those of this machine, got 3");
}

TEST_F(CoreSetTest, spread_goes_to_other_nodes_then_packages_and_to_siblings_last) {
    EXPECT_EQ(resolved("spread:8", large), "spread:8=0,4,2,6,1,5,3,7");
    EXPECT_EQ(resolved("spread:1,2,4", large), "spread:1=0 spread:2=0,4 spread:4=0,4,2,6");
    EXPECT_EQ(resolved("spread", large), "spread:16=0,4,2,6,1,5,3,7,8,12,10,14,9,13,11,15");
    EXPECT_EQ(resolved("spread:3", Machine(1, 1, 4, 1, false)), "spread:3=0,1,2");
    EXPECT_EQ(resolved("up-to:4", large), "spread:4=0,4,2,6");
    EXPECT_EQ(resolved("up-to:4,17", Machine(1, 1, 2, 1, false)), "spread:2=0,1 spread:2=0,1");
    EXPECT_EQ(resolved("spread:17", large),
              "spread: expected up to 16, the cores of this machine that it can take, got 17");
}

// Physical cores that are free come before siblings, even on a node that already has more.
TEST_F(CoreSetTest, spread_takes_no_sibling_while_a_physical_core_is_free) {
    Machine lopsided(2, 1, 2, 2); // node 0: 0,1 and their siblings 4,5; node 1: 2,3 and 6,7
    lopsided.list[1].levels.physical_core = 0;
    lopsided.list[1].levels.caches[1].domain = 0;
    lopsided.list[5].levels = lopsided.list[1].levels; // node 0 is one physical core with four threads
    EXPECT_EQ(resolved("spread:4", lopsided), "spread:4=0,2,3,1");
}

TEST_F(CoreSetTest, pack_fills_a_node_and_there_a_package_and_a_physical_core) {
    EXPECT_EQ(resolved("pack:8", large), "pack:8=0,8,1,9,2,10,3,11");
    EXPECT_EQ(resolved("pack:9", large), "pack:9=0,8,1,9,2,10,3,11,4");
}

TEST_F(CoreSetTest, physical_cores_and_siblings) {
    EXPECT_EQ(resolved("physical", large), "physical:8=0,1,2,3,4,5,6,7");
    EXPECT_EQ(resolved("physical:2", large), "physical:2=0,1");
    EXPECT_EQ(resolved("siblings:4", large), "siblings:4=0,8,1,9");
    EXPECT_EQ(resolved("siblings", Machine(1, 1, 2, 2)), "siblings:4=0,2,1,3");
    EXPECT_EQ(resolved("siblings", plain), "no physical core of this machine has more than one thread");
    EXPECT_EQ(resolved("physical:9", large),
              "physical: expected up to 8, the cores of this machine that it can take, got 9");
    EXPECT_EQ(resolved("physical", Machine(1, 1, 4, 1, false)),
              "this machine does not say which cores are threads of one physical core");
}

TEST_F(CoreSetTest, what_is_no_set_is_refused_with_what_was_expected) {
    for (std::string_view const wrong : {"", "x", "1,", "0,", "3-1", "0--1", "-1", "spred:8", "1/", "/1", "70000"})
        EXPECT_TRUE(error_of(wrong).starts_with("expected counts such as 1,2,4, or a set such as 0-7")) << wrong;
    EXPECT_EQ(error_of("node"), "expected a number behind 'node:'");
    EXPECT_EQ(error_of("cores:"), "expected ids of cores such as cores:0,2,4-7, got 'cores:'");
    EXPECT_EQ(error_of("spread:0"), "expected up to 64 counts such as 1,2,4 or 1-4 (each 1 to 65536), got '0'");
    EXPECT_EQ(error_of("1/1/1/1/1/1/1/1/1"), "expected up to 8 sets with '/' between, got '1/1/1/1/1/1/1/1/1'");
}

TEST_F(CoreSetTest, prints_what_was_typed) {
    CoreSets sets;
    ASSERT_TRUE(parse_value("1,2/spread:4/0-3", sets).ok());
    FixedText<64> text;
    print_value(text, sets);
    EXPECT_EQ(text.view(), "1,2/spread:4/0-3");
}

} // namespace
} // namespace mxk::topology

// What `bench task` decides before it runs: which cores, and which measures.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/task_cores.hpp"
#include "bench/task_measure.hpp"

namespace mxk::bench {
namespace {

// Node 0: cores 0, 2, 4. Node 1: memory only. Node 2: core 3. Node 3: core 1, which is farther from node 0 than node 2.
class TaskCoresTest : public testing::Test {
  protected:
    std::vector<topology::Core> cores{{core_id(0), ApicId{0}, node_id(0), 0},
                                      {core_id(1), ApicId{1}, node_id(3), 1},
                                      {core_id(2), ApicId{2}, node_id(0), 2},
                                      {core_id(3), ApicId{3}, node_id(2), 3},
                                      {core_id(4), ApicId{4}, node_id(0), 4}};
    std::vector<CoreId> of_0{core_id(0), core_id(2), core_id(4)};
    std::vector<CoreId> of_2{core_id(3)};
    std::vector<CoreId> of_3{core_id(1)};
    std::vector<topology::Node> nodes = {
        {node_id(0), 0, {}, of_0}, {node_id(1), 1, {}, {}}, {node_id(2), 2, {}, of_2}, {node_id(3), 3, {}, of_3}};
    std::vector<std::uint8_t> distances{10, 11, 20, 30, 11, 10, 20, 20, 20, 20, 10, 15, 30, 20, 15, 10};
    topology::Topology machine{.cores = cores, .nodes = nodes, .distances = distances};

    // "first,second", or the error.
    std::string pair(std::vector<std::uint32_t> const& chosen, Measure measure) {
        auto const choice = TaskCores::choose(machine, chosen);
        if (!choice) return std::string(choice.error().message());
        auto const cores_of = choice.value().cores_for(measure);
        if (!cores_of) return std::string(cores_of.error().message());
        return std::to_string(index(cores_of.value().first)) + "," + std::to_string(index(cores_of.value().second));
    }
};

TEST_F(TaskCoresTest, nothing_chosen_is_core_0_and_its_neighbours) {
    EXPECT_EQ(pair({}, Measure::Local), "0,0");
    EXPECT_EQ(pair({}, Measure::Hop), "0,2");
    EXPECT_EQ(pair({}, Measure::RoundTrip), "0,2");
    EXPECT_EQ(pair({}, Measure::RemoteRoundTrip), "0,3"); // node 1 is nearer, but has no core
    EXPECT_EQ(pair({}, Measure::Wake), "0,2");
}

TEST_F(TaskCoresTest, one_chosen_is_the_one_measured) {
    EXPECT_EQ(pair({2}, Measure::Hop), "2,4");
    EXPECT_EQ(pair({4}, Measure::Hop), "4,0"); // behind the last comes the first
    EXPECT_EQ(pair({1}, Measure::Local), "1,1");
    EXPECT_EQ(pair({1}, Measure::Hop), "needs another core of core 1's node");
    EXPECT_EQ(pair({1}, Measure::RemoteRoundTrip), "1,3");
    EXPECT_EQ(pair({1}, Measure::Wake), "1,3"); // asleep is asleep, wherever
}

TEST_F(TaskCoresTest, two_chosen_serve_what_their_nodes_allow) {
    EXPECT_EQ(pair({0, 4}, Measure::Hop), "0,4");
    EXPECT_EQ(pair({0, 4}, Measure::RemoteRoundTrip), "0,3");
    EXPECT_EQ(pair({0, 4}, Measure::Wake), "0,4");
    EXPECT_EQ(pair({0, 1}, Measure::RemoteRoundTrip), "0,1");
    EXPECT_EQ(pair({0, 1}, Measure::Hop), "needs another core of core 0's node");
    EXPECT_EQ(pair({0, 1}, Measure::Wake), "0,1");
}

TEST_F(TaskCoresTest, wrong_choices_say_what_was_expected) {
    EXPECT_EQ(pair({5}, Measure::Local), "--cores: expected cores 0 to 4, those of this machine, got 5");
    EXPECT_EQ(pair({2, 2}, Measure::Local), "--cores: expected two different cores, got 2 twice");
    EXPECT_EQ(pair({0, 1, 2}, Measure::Local), "--cores: expected one core or two, got 3");
}

TEST_F(TaskCoresTest, a_single_core_has_only_local_tasks) {
    cores.resize(1);
    of_0.resize(1);
    nodes = {{node_id(0), 0, {}, of_0}};
    machine = {.cores = cores, .nodes = nodes, .distances = std::span(distances).first(1)};
    EXPECT_EQ(pair({}, Measure::Local), "0,0");
    EXPECT_EQ(pair({}, Measure::Hop), "needs another core of core 0's node");
    EXPECT_EQ(pair({}, Measure::RemoteRoundTrip), "needs a core of another node than core 0's");
    EXPECT_EQ(pair({}, Measure::Wake), "needs two cores");
}

std::string printed(MeasureSet const& measures) {
    FixedText<64> text;
    print_value(text, measures);
    return std::string(text.view());
}

TEST(MeasureSet, names_with_commas_in_any_order) {
    MeasureSet measures;
    EXPECT_TRUE(measures.empty());
    ASSERT_TRUE(parse_value("wake,local,wake", measures).ok());
    EXPECT_EQ(printed(measures), "local,wake");
    ASSERT_TRUE(parse_value("hop", measures).ok()); // the last one counts
    EXPECT_EQ(printed(measures), "hop");
    for (Measure const measure : all_measures) {
        ASSERT_TRUE(parse_value(name_of(measure), measures).ok());
        EXPECT_TRUE(measures.has(measure));
        EXPECT_EQ(printed(measures), name_of(measure));
    }
}

TEST(MeasureSet, what_is_no_name_is_refused) {
    MeasureSet measures;
    for (std::string_view const wrong : {"", "hops", "hop,", ",hop", "hop;wake", "hop, wake"}) {
        auto const parsed = parse_value(wrong, measures);
        ASSERT_FALSE(parsed.ok()) << wrong;
        EXPECT_NE(parsed.error().message().find("remote-round-trip"), std::string_view::npos) << wrong;
    }
}

} // namespace
} // namespace mxk::bench

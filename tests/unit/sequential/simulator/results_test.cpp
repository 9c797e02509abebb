// The file of results: what tools/mxk reads of a simulation.
#include <nlohmann/json.hpp>

#include "tests/unit/sequential/simulator/made_up_machine.hpp"
#include "tools/simulator/model/results.hpp"

namespace mxk::simulator {
namespace {

TEST(Results, say_what_happened_in_a_region) {
    Simulation simulation;
    for (auto const& core : simulation.cores) core->begin_block(0x1000);
    for (unsigned count = 0; count != 1000; ++count) {
        simulation.locked(count % 2 * 4, 4096 + count % 2 * 8); // of two nodes
        simulation.load(1, 1 << 20, false);
    }
    std::vector<Core const*> cores;
    for (auto const& core : simulation.cores) cores.push_back(core.get());
    Results results(simulation.machine);
    results.add_region(cycles(0), cycles(1'000'000), simulation.memory, cores);
    results.add_region(cycles(1'000'000), cycles(1'000'001), simulation.memory, cores);
    std::ostringstream text;
    results.write(text, 3000, 1.5);

    nlohmann::json const json = nlohmann::json::parse(text.str());
    EXPECT_EQ(json["machine"], "made-up");
    EXPECT_EQ(json["hertz"], 2'000'000'000);
    EXPECT_EQ(json["instructions"], 3000);
    EXPECT_EQ(json["host_seconds"], 1.5);
    ASSERT_EQ(json["regions"].size(), 2U);
    nlohmann::json const& region = json["regions"][0];
    EXPECT_EQ(region["begin"], 0);
    EXPECT_EQ(region["end"], 1'000'000);

    ASSERT_EQ(region["cores"].size(), 8U);
    nlohmann::json const& core = region["cores"][4];
    EXPECT_EQ(core["core"], 4);
    EXPECT_EQ(core["node"], 1);
    EXPECT_EQ(core["instructions"], 500);
    double of_causes = 0;
    for (auto const& cause : core["stack"]) of_causes += cause.get<double>();
    EXPECT_EQ(core["cycles"], of_causes);
    EXPECT_EQ(core["stack"].size(), cause_count);
    EXPECT_GT(core["stack"]["other_core"], 0);

    EXPECT_EQ(region["traffic"].size(), 2U);
    EXPECT_EQ(region["traffic"][1].size(), 2U);
    EXPECT_EQ(region["channels"].size(), 4U);
    EXPECT_EQ(region["channels"][0]["node"], 0);
    EXPECT_GE(region["channels"][0]["busy"], 0);

    ASSERT_EQ(region["functions"].size(), 1U); // of all cores together
    EXPECT_EQ(region["functions"][0]["address"], "0x1000");
    EXPECT_EQ(region["functions"][0]["instructions"], 2000);

    ASSERT_EQ(region["lines"].size(), 1U);
    nlohmann::json const& line = region["lines"][0];
    EXPECT_EQ(line["physical"], "0x1000");
    EXPECT_EQ(line["virtual"], "0x1000");
    EXPECT_EQ(line["transfers"], 999);
    ASSERT_EQ(line["places"].size(), 2U);
    EXPECT_EQ(line["places"][0]["code"], "0x3000");
    EXPECT_EQ(line["places"][1]["bytes"], 8);
}

} // namespace
} // namespace mxk::simulator

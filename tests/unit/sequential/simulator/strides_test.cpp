// The prefetchers that know an instruction's distances, and the other line of a pair.
#include "tools/simulator/model/strides.hpp"

#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

TEST(Strides, are_followed_from_the_fourth_access_on_within_a_page) {
    Strides strides(16);
    EXPECT_EQ(strides.missed(0x1000, 640), 0U);
    EXPECT_EQ(strides.missed(0x1000, 645), 0U);
    EXPECT_EQ(strides.missed(0x2007, 9), 0U); // another instruction
    EXPECT_EQ(strides.missed(0x1000, 650), 0U);
    EXPECT_EQ(strides.missed(0x1000, 655), 665U);
    EXPECT_EQ(strides.missed(0x1000, 660), 670U);
    EXPECT_EQ(strides.missed(0x1000, 700), 0U); // another distance
    Strides down(16);
    for (LineNumber number : {700U, 697U, 694U}) EXPECT_EQ(down.missed(0x1000, number), 0U);
    EXPECT_EQ(down.missed(0x1000, 691), 685U);
    EXPECT_EQ(down.missed(0x1000, 643), 0U);
    Strides none(0);
    for (LineNumber number = 640; number != 650; ++number) EXPECT_EQ(none.missed(0x1000, number), 0U);
}

/// Cycles per load of a walk in which each load waits for the one before.
double walk(Keys const& changes, std::uint64_t distance) {
    Simulation simulation(changes);
    constexpr unsigned loads = 4000;
    for (std::uint64_t load = 0; load != loads; ++load) simulation.load(0, load * distance, true);
    return simulation.cycles_of(0) / loads;
}

TEST(Strides, hide_what_lies_equally_far_apart) {
    constexpr std::uint64_t distance = 192;
    double const latency = in_cycles(made_up_machine().memory_latency[0]);
    expect_about(walk({}, distance), latency, "without a prefetcher");
    double const hidden = walk({{"core.prefetch_strides", "16"}}, distance);
    // The load that asks, and two more, take a latency together, but at the begin of a page.
    EXPECT_LT(hidden, latency * 0.45);
    EXPECT_GT(hidden, latency / 3);
}

TEST(Neighbours, are_there_when_the_other_line_of_the_pair_was_asked_for) {
    double const latency = in_cycles(made_up_machine().memory_latency[0]);
    expect_about(walk({}, 64), latency, "without a prefetcher");
    // The second of each pair finds the first one's neighbour in the second level.
    expect_about(walk({{"core.prefetch_neighbours", "1"}}, 64), (latency + 12) / 2, "of each pair the second is there");
}

TEST(Neighbours, are_not_taken_from_others_for_what_is_there_already) {
    Simulation simulation(Keys{{"core.prefetch_neighbours", "1"}});
    for (unsigned round = 0; round != 100; ++round) // each its line of a pair
        for (unsigned core = 0; core != 2; ++core) simulation.store(core, (1 << 20) + core * 64);
    EXPECT_LT(in_cycles(simulation.cores[0]->retired()), 1000);
    EXPECT_LT(in_cycles(simulation.cores[1]->retired()), 1000);
}

TEST(Neighbours, cost_what_they_move) {
    Simulation simulation(Keys{{"core.prefetch_neighbours", "1"}});
    for (std::uint64_t pair = 0; pair != 1000; ++pair) simulation.load(0, pair * 128, true);
    expect_about(static_cast<double>(simulation.memory.fabric().traffic(0, 0)), 2000 * 64, "both of each pair");
}

} // namespace
} // namespace mxk::simulator

// Third-level caches of which each belongs to some of a node's cores.
#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

Keys const two_in_a_node = {
    {"l3.cores", "2"}, {"coherence.transfer_other_l3_cycles", "130"}, {"coherence.invalidate_other_l3_cycles", "110"}};
constexpr std::uint64_t grouped = 1 << 20;

Time takes(Simulation& simulation, unsigned core, Kind kind, Time begin) {
    return simulation.memory.access(core, Simulation::access_to(grouped, kind), begin, 0).done - begin;
}

TEST(L3Groups, hand_lines_over_slower_to_each_other_than_within) {
    Simulation simulation(two_in_a_node);
    Time now = cycles(1000);
    for (unsigned core = 0; core != 8; ++core) // translations
        simulation.memory.access(core, Simulation::access_to(grouped + 4096 + 64 * core, Kind::Load), 0, 0);
    auto const in_cycles_of = [&](unsigned core, Kind kind) {
        now += cycles(1000);
        return in_cycles(takes(simulation, core, kind, now));
    };
    in_cycles_of(0, Kind::Store);
    EXPECT_EQ(in_cycles_of(1, Kind::Load), 80);  // at the same L3
    EXPECT_EQ(in_cycles_of(2, Kind::Load), 130); // at the other one of the node
    EXPECT_EQ(in_cycles_of(3, Kind::Load), 40);  // which has it since then
    EXPECT_EQ(in_cycles_of(4, Kind::Load), 220); // of the other node
    EXPECT_EQ(in_cycles_of(0, Kind::Store), 180);
    EXPECT_EQ(in_cycles_of(2, Kind::Load), 130);
    EXPECT_EQ(in_cycles_of(2, Kind::Store), 110); // the copies of the other L3
}

/// Bytes from memory for two walks of one core through 1.5 MiB.
std::uint64_t from_memory(Keys const& changes) {
    Simulation simulation(changes);
    constexpr std::uint64_t bytes = 3 << 19;
    for (int walk = 0; walk != 2; ++walk)
        for (std::uint64_t at = 0; at != bytes; at += Machine::line_bytes) simulation.load(0, at, false);
    return simulation.memory.fabric().traffic(0, 0);
}

TEST(L3Groups, have_only_their_own_part_for_a_core) {
    Keys const one_of_both_sizes = {{"l3.bytes", "2097152"}};
    expect_about(static_cast<double>(from_memory(one_of_both_sizes)), 3 << 19, "the second walk finds it there");
    expect_about(static_cast<double>(from_memory(two_in_a_node)), 2 * (3 << 19), "no walk finds anything");
}

} // namespace
} // namespace mxk::simulator

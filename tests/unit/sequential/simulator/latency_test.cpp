// The simulated memory's latencies are the machine's parameters: a chase through each level takes what the level does.
#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

/// Cycles of a load of core 0, of which each needs the one before, of so much memory of a node.
double chase(Simulation& simulation, unsigned node, std::uint64_t bytes) {
    std::vector<std::uint64_t> const addresses = scattered_lines(Simulation::on_node(node, 0), bytes);
    double begin = 0;
    for (int round = 0; round != 3; ++round) {
        if (round == 1) begin = simulation.cycles_of(0); // the first one fills the caches
        for (std::uint64_t const address : addresses) simulation.load(0, address, true);
    }
    return (simulation.cycles_of(0) - begin) / (2.0 * static_cast<double>(addresses.size()));
}

double chase(unsigned node, std::uint64_t bytes) {
    Simulation simulation;
    return chase(simulation, node, bytes);
}

TEST(SimulatedLatency, is_that_of_the_level_that_has_the_data) {
    Machine const machine = made_up_machine();
    expect_about(chase(0, machine.l1.bytes / 2), in_cycles(machine.l1.latency), "L1");
    expect_about(chase(0, machine.l2.bytes / 2), in_cycles(machine.l2.latency), "L2");
    expect_about(chase(0, machine.l3.bytes / 4 * 3), in_cycles(machine.l3.latency), "L3");
    expect_about(chase(0, machine.l3.bytes * 4), in_cycles(machine.memory_latency[0]), "local memory");
    expect_about(chase(1, machine.l3.bytes * 4), in_cycles(machine.memory_latency[1]), "remote memory");
}

TEST(SimulatedLatency, of_memory_is_in_nanoseconds) {
    Machine const machine = made_up_machine({{"machine.hertz", "3000000000"}});
    EXPECT_EQ(machine.memory_latency[0], cycles(300));
    EXPECT_EQ(machine.memory_latency[1], cycles(480));
}

TEST(SimulatedLatency, is_what_the_stack_blames) {
    struct Level {
        unsigned node;
        std::uint64_t bytes;
        Cause cause;
    };
    Machine const machine = made_up_machine();
    for (Level const& level :
         {Level{0, machine.l1.bytes / 2, Cause::L1}, Level{0, machine.l2.bytes / 2, Cause::L2},
          Level{0, machine.l3.bytes / 4 * 3, Cause::L3}, Level{0, machine.l3.bytes * 4, Cause::LocalMemory},
          Level{1, machine.l3.bytes * 4, Cause::RemoteMemory}}) {
        Simulation simulation;
        chase(simulation, level.node, level.bytes);
        simulation.cores[0]->reset_statistics();
        double const begin = simulation.cycles_of(0);
        chase(simulation, level.node, level.bytes);
        CpiStack const& stack = simulation.cores[0]->stack();
        EXPECT_EQ(in_cycles(stack.total()), simulation.cycles_of(0) - begin);
        // Base is the time in which each load retires; now and then a line is still in a level above.
        expect_about(in_cycles(stack[level.cause] + stack[Cause::Base]), in_cycles(stack.total()), "blamed level");
        EXPECT_LE(stack[Cause::Base], cycles(simulation.cores[0]->instructions()) / 4);
    }
}

TEST(SimulatedLatency, of_what_an_earlier_access_has_asked_for_is_what_is_left_of_it) {
    Simulation simulation;
    Access const access = Simulation::access_to(4096, Kind::Load);
    Time const latency = simulation.machine.memory_latency[0];
    Answer const first = simulation.memory.access(0, access, 0, 0);
    Time const translation = first.translation; // the first walk through the page tables
    EXPECT_EQ(first.done, translation + latency);
    EXPECT_FALSE(first.hit_under_way);
    Answer const second = simulation.memory.access(0, access, first.done - cycles(50), 0);
    EXPECT_EQ(second.done, first.done);
    EXPECT_TRUE(second.hit_under_way);
    EXPECT_EQ(second.source, Source::LocalMemory);
    Answer const third = simulation.memory.access(0, access, first.done, 0);
    EXPECT_EQ(third.done, first.done + simulation.machine.l1.latency);
    EXPECT_EQ(third.source, Source::L1);
}

} // namespace
} // namespace mxk::simulator

// How many misses of a simulated core overlap: as many as there are chains of loads, line-fill buffers, and loads in
// the window; and what prefetches hide.
#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

constexpr std::uint64_t much_memory = std::uint64_t{8} << 20;

/// Cycles per load of so many independent chains.
double chains(unsigned count, Keys const& changes) {
    Simulation simulation(changes);
    std::vector<std::uint64_t> const addresses = scattered_lines(0, much_memory);
    for (std::size_t at = 0; at != addresses.size(); ++at)
        simulation.load(0, addresses[at], true, static_cast<unsigned>(at % count));
    return simulation.cycles_of(0) / static_cast<double>(addresses.size());
}

TEST(ParallelMisses, overlap_as_line_fill_buffers_let_them) {
    Keys const fast_memory = {{"memory.channel_bytes_per_second", "1e12"}, {"core.l2_buffers", "64"}};
    double const latency = in_cycles(made_up_machine().memory_latency[0]);
    expect_about(chains(1, fast_memory), latency, "one chain");
    expect_about(chains(5, fast_memory), latency / 5, "five chains");
    expect_about(chains(16, fast_memory), latency / 10, "16 chains, 10 buffers");
    Keys more_buffers = fast_memory;
    more_buffers["core.line_fill_buffers"] = "16";
    expect_about(chains(16, more_buffers), latency / 16, "16 chains, 16 buffers");
    more_buffers["core.l2_buffers"] = "8";
    expect_about(chains(16, more_buffers), latency / 8, "16 chains, 8 buffers of the L2");
}

TEST(ParallelMisses, overlap_as_the_window_lets_them) {
    Keys const narrow = {{"core.window", "40"}, {"memory.channel_bytes_per_second", "1e12"}};
    Simulation simulation(narrow);
    std::vector<std::uint64_t> const addresses = scattered_lines(0, much_memory / 8);
    for (std::uint64_t const address : addresses) { // every 10th instruction is a miss
        simulation.load(0, address, false);
        for (int other = 0; other != 9; ++other) simulation.compute(0, 1, false);
    }
    double const per_load = simulation.cycles_of(0) / static_cast<double>(addresses.size());
    expect_about(per_load, in_cycles(simulation.machine.memory_latency[0]) / 4,
                 "4 of 10 instructions each in a window of 40");
}

/// Cycles per iteration of: prefetch what is used `distance` iterations later, load, compute; each after the other.
double prefetched_loop(unsigned distance, unsigned compute_cycles, Kind kind) {
    Simulation simulation(Keys{{"memory.channel_bytes_per_second", "1e12"}});
    std::vector<std::uint64_t> const addresses = scattered_lines(0, much_memory / 4);
    for (std::size_t at = 0; at + distance != addresses.size(); ++at) {
        simulation.prefetch(0, addresses[at + distance], kind, true);
        simulation.load(0, addresses[at], true);
        simulation.compute(0, compute_cycles, true);
    }
    return simulation.cycles_of(0) / static_cast<double>(addresses.size() - distance);
}

TEST(ParallelMisses, are_hidden_by_prefetches_that_are_early_enough) {
    Machine const machine = made_up_machine();
    double const latency = in_cycles(machine.memory_latency[0]);
    constexpr unsigned compute_cycles = 36;
    // Too late, the load waits for the rest: an iteration is what the latency and a computation are for all of a
    // distance.
    double const hidden = in_cycles(machine.l1.latency) + compute_cycles;
    for (unsigned const distance : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 8U}) {
        double const late = (latency + compute_cycles) / (distance + 1);
        expect_about(prefetched_loop(distance, compute_cycles, Kind::PrefetchL1), std::max(hidden, late), "L1");
    }
    double const in_l2 = in_cycles(machine.l2.latency) + compute_cycles;
    expect_about(prefetched_loop(8, compute_cycles, Kind::PrefetchL2), in_l2, "L2");
}

TEST(ParallelMisses, of_prefetches_hold_up_what_is_younger_when_there_is_no_buffer) {
    Simulation simulation(Keys{{"memory.channel_bytes_per_second", "1e12"}});
    std::vector<std::uint64_t> const addresses = scattered_lines(0, much_memory / 8);
    for (std::uint64_t const address : addresses) simulation.prefetch(0, address, Kind::PrefetchL1, false);
    double const per_prefetch = simulation.cycles_of(0) / static_cast<double>(addresses.size());
    expect_about(per_prefetch, in_cycles(simulation.machine.memory_latency[0]) / 10, "10 buffers");
}

} // namespace
} // namespace mxk::simulator

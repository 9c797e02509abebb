// Cores that read, or read and write, lines of a node all at once: what its channels carry then.
#pragma once

#include <algorithm>

#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {

enum class Order : std::uint8_t { Sequential, Random };
enum class What : std::uint8_t { Reads, ReadsAndWrites };

/// Bytes per cycle of all channels of a node while the first `cores` cores each go through other lines of it, in the
/// second half of their ways: caches that are small are full then.
inline double channel_bytes_per_cycle(Keys const& keys, unsigned cores, unsigned node, Order order, What what) {
    Simulation simulation(keys);
    std::vector<std::uint64_t> lines = scattered_lines(Simulation::on_node(node, 0), Simulation::node_bytes / 2);
    if (order == Order::Sequential) std::ranges::sort(lines);
    std::size_t const of_a_core = lines.size() / cores;
    std::vector<std::size_t> at(cores);
    unsigned behind = 0;
    Time begin = 0;
    while (at[behind] != of_a_core) {
        if (at[behind] == of_a_core / 2 && begin == 0) {
            begin = simulation.cores[behind]->now();
            simulation.memory.reset_statistics();
        }
        for (unsigned step = 0; step != 8; ++step) {
            std::uint64_t const address = lines[behind * of_a_core + at[behind]++];
            simulation.load(behind, address, false);
            if (what == What::ReadsAndWrites) simulation.store(behind, address);
        }
        for (unsigned core = 0; core != cores; ++core) // it continues, as in the simulator
            if (simulation.cores[core]->now() < simulation.cores[behind]->now()) behind = core;
    }
    std::uint64_t bytes = 0;
    for (unsigned channel = 0; channel != simulation.machine.channels; ++channel)
        bytes += simulation.memory.fabric().channel(node, channel).bytes();
    return static_cast<double>(bytes) / in_cycles(simulation.cores[behind]->now() - begin);
}

} // namespace mxk::simulator

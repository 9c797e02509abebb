// Cores that read, or read and write, lines of a node all at once: what its channels carry then.
#pragma once

#include <algorithm>

#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {

enum class Order : std::uint8_t { Sequential, Random };
enum class What : std::uint8_t { Reads, ReadsAndWrites };

/// Bytes per cycle that the first `cores` cores, all of node 0, get from a node and write back to it, while each goes
/// through other lines of it. Of the second time: caches that are small are full then, and a directory knows the lines.
inline double stream_bytes_per_cycle(Keys const& keys, unsigned cores, unsigned node, Order order, What what) {
    Simulation simulation(keys);
    std::vector<std::uint64_t> lines = scattered_lines(Simulation::on_node(node, 0), Simulation::node_bytes / 8);
    if (order == Order::Sequential) std::ranges::sort(lines);
    std::size_t const of_a_core = lines.size() / cores;
    std::vector<std::size_t> at(cores);
    unsigned behind = 0;
    Time begin = 0;
    while (at[behind] != of_a_core * 3 / 2) {
        if (at[behind] == of_a_core && begin == 0) {
            begin = simulation.cores[behind]->now();
            simulation.memory.reset_statistics();
        }
        for (unsigned step = 0; step != 8; ++step) {
            std::uint64_t const address = lines[behind * of_a_core + at[behind]++ % of_a_core];
            simulation.load(behind, address, false);
            if (what == What::ReadsAndWrites) simulation.store(behind, address);
        }
        for (unsigned core = 0; core != cores; ++core) // it continues, as in the simulator
            if (simulation.cores[core]->now() < simulation.cores[behind]->now()) behind = core;
    }
    Fabric const& fabric = simulation.memory.fabric();
    std::uint64_t const bytes = fabric.traffic(node, 0) + (node != 0 ? fabric.traffic(0, node) : 0);
    return static_cast<double>(bytes) / in_cycles(simulation.cores[behind]->now() - begin);
}

} // namespace mxk::simulator

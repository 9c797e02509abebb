// What the command line tells the plugin: -plugin FILE,machine=FLATFILE,result=FILE,...
//
//     machine       the machine's description, as model/machine.hpp reads it
//     result        where the JSON goes
//     roi-begin     addresses of the functions that each measuring core calls; 0x...
//     roi-end
//     whole=on      everything is measured, instead
//     memory-nodes  which physical memory belongs to which node: 0x0-0x80000000@0;0x100000000-0x180000000@1
//     lookahead     how far a core's clock may be beyond the others' where the model runs, in cycles (30)
//     seed          of the order in which cores run
//     sample        100000/1000000: in a measured part intervals of so many cycles are modelled, of so many in the mean
//     samples       where a line goes behind each measured part that was sampled
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/simulator/model/line_directory.hpp"

namespace mxk::simulator {

struct Options {
    std::string machine;
    std::string result;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool whole = false;
    std::vector<MemoryRange> memory;
    std::uint64_t lookahead_cycles = 30;
    std::uint64_t seed = 0;
    std::uint64_t sample_cycles = 1;
    std::uint64_t sample_period_cycles = 1; // the same: all is modelled
    std::string samples;

    /// Throws std::runtime_error, which names what is wrong.
    static Options parse(std::span<char* const> arguments);
};

} // namespace mxk::simulator

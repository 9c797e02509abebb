// What is known of a simulated machine: sizes, latencies and bandwidths, of cores, caches, coherence and memory.
// Read from the flat file that tools/mxk writes of a machine's TOML; that one has the defaults and the sources.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "tools/simulator/model/time.hpp"

namespace mxk::simulator {

enum class BranchPredictor : std::uint8_t { TwoBit, Rate };

struct CoreParameters {
    unsigned threads;           // that are on: logical processors of a core
    unsigned width;             // instructions dispatched and retired per cycle
    unsigned window;            // reorder window, instructions
    unsigned line_fill_buffers; // lines that the L1 waits for
    unsigned l2_buffers;        // lines that the L2 waits for
    unsigned prefetch_streams;  // that the L2's prefetcher follows; 0: there is none
    unsigned prefetch_distance; // lines that it is ahead
    bool prefetch_neighbours;   // a miss of the L2 asks for the other line of its pair, too
    unsigned prefetch_strides;  // loads of which the distance from one access to the next is known; 0: there are none
    unsigned store_buffer;      // stores that are not yet written
    BranchPredictor branch_predictor;
    double branch_miss_rate; // of conditional branches, with BranchPredictor::Rate
    Time branch_miss;
    Time pause;
    Time halt_wake; // from the wake-up of a halted core to its first instruction
    Time interrupt; // from the write of the sender's ICR to the first instruction of the handler
    Time atomic;    // a locked instruction on a line that is in the L1 in a writable state
};

struct CacheParameters {
    std::uint64_t bytes;
    unsigned ways;
    Time latency; // load to use
};

struct TlbParameters {
    unsigned l1_entries;
    unsigned l2_entries;
    Time l2_latency;
    std::vector<std::uint64_t> page_bytes;
    unsigned walk_levels; // of 4 KiB pages
};

/// Of each memory channel.
struct DramParameters {
    unsigned banks; // of all its ranks; 0: the rest does not count, a channel is only a bandwidth
    std::uint64_t row_bytes;
    Time row_open;         // a row is closed so long after its last access; 0: behind each
    Time activate;         // to open a row, and as much to close another one before that: tRCD, tRP
    Time bank_cycle;       // from one activation of a bank to the next: tRC; 0: no limit
    Time refresh_interval; // tREFI
    Time refresh;          // for so long nothing is read or written: tRFC; 0: no refresh
    Time turn_round;       // the bus is empty when it changes from reads to writes and back
    unsigned write_batch;  // writes that wait for such a change
    Time burst_gap;        // mean time between two lines in which the bus is empty
};

/// Lists of nodes x nodes are row by row.
struct Machine {
    static constexpr unsigned max_nodes = 32;
    static constexpr unsigned max_cores = 4096;
    static constexpr unsigned max_l3s = 32; // bits of DirectoryLine::l3s
    static constexpr std::uint64_t line_bytes = 64;

    std::string name;
    unsigned nodes;
    unsigned cores; // numbered node by node
    std::uint64_t hertz;
    CoreParameters core;
    CacheParameters l1;
    CacheParameters l2;
    CacheParameters l3; // one of them: all slices together
    unsigned l3_slices;
    unsigned l3_cores; // that share one
    TlbParameters tlb;
    Time transfer_same_l3;                 // a line from the private cache of another core at the same L3
    Time transfer_other_l3;                // between L3s of a node
    std::vector<Time> transfer_cross_node; // its diagonal does not count
    std::vector<Time> invalidate;          // until the last of those that share a line has answered; diagonal: same L3
    Time invalidate_other_l3;
    bool migratory;           // who reads a line that is read to be written gets it to write, as far as it is noticed
    bool directory_in_memory; // of what other nodes have of a node's memory
    unsigned channels;        // per node
    double channel_bytes_per_second;
    DramParameters dram;
    std::vector<Time> memory_latency;          // [core's node][memory's node]: load to use, idle machine
    std::vector<double> link_bytes_per_second; // [from][to]
    std::vector<unsigned> distance;            // the SLIT

    /// Throws std::runtime_error, which names the key that is unknown, missing, given twice or has no such value.
    static Machine read(std::istream& text);

    /// Logical processors: threads of cores, numbered core by core.
    unsigned processors() const { return cores * core.threads; }
    unsigned core_of(unsigned processor) const { return processor / core.threads; }
    unsigned cores_per_node() const { return cores / nodes; }
    unsigned node_of(unsigned core_number) const { return core_number / cores_per_node(); }
    unsigned l3_of(unsigned core_number) const { return core_number / l3_cores; }
    unsigned l3_count() const { return cores / l3_cores; }
    unsigned node_of_l3(unsigned number) const { return node_of(number * l3_cores); }
    std::size_t pair(unsigned from, unsigned to) const { return std::size_t{from} * nodes + to; }

    /// Between the caches of two L3s.
    Time transfer(unsigned to_l3, unsigned from_l3) const {
        if (to_l3 == from_l3) return transfer_same_l3;
        unsigned const to = node_of_l3(to_l3);
        unsigned const from = node_of_l3(from_l3);
        return to == from ? transfer_other_l3 : transfer_cross_node[pair(to, from)];
    }
    /// Until those at another L3 have answered that they do not have it any more.
    Time invalidation(unsigned asking_l3, unsigned other_l3) const {
        unsigned const asking = node_of_l3(asking_l3);
        unsigned const other = node_of_l3(other_l3);
        return asking == other && asking_l3 != other_l3 ? invalidate_other_l3 : invalidate[pair(asking, other)];
    }
    Time of_nanoseconds(double nanoseconds) const;
};

} // namespace mxk::simulator

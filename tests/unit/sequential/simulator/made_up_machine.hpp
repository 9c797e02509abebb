// A small made-up machine of round numbers for tests of the simulator: two nodes of four cores at 2 GHz. A test changes
// what it is about, and computes what it expects from the machine's parameters.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tools/simulator/model/core.hpp"
#include "tools/simulator/model/machine_model.hpp"
#include "tools/simulator/model/memory_model.hpp"

namespace mxk::simulator {

using Keys = std::map<std::string, std::string>;

/// As a flat file; a changed key without a value is left out.
inline std::string flat_text(Keys const& changes = {}) {
    Keys keys = {
        {"machine.name", "made-up"},
        {"machine.nodes", "2"},
        {"machine.cores", "8"},
        {"machine.hertz", "2000000000"},
        {"core.threads", "1"},
        {"core.width", "4"},
        {"core.window", "160"},
        {"core.line_fill_buffers", "10"},
        {"core.l2_buffers", "16"},
        {"core.prefetch_streams", "0"},
        {"core.prefetch_distance", "0"},
        {"core.prefetch_neighbours", "0"},
        {"core.prefetch_strides", "0"},
        {"core.store_buffer", "32"},
        {"core.branch_predictor", "two_bit"},
        {"core.branch_miss_rate", "0"},
        {"core.branch_miss_cycles", "15"},
        {"core.pause_cycles", "40"},
        {"core.halt_wake_cycles", "1500"},
        {"core.interrupt_cycles", "800"},
        {"core.atomic_cycles", "20"},
        {"l1.bytes", "32768"},
        {"l1.ways", "8"},
        {"l1.latency_cycles", "4"},
        {"l2.bytes", "262144"},
        {"l2.ways", "8"},
        {"l2.latency_cycles", "12"},
        {"l3.bytes", "1048576"},
        {"l3.ways", "16"},
        {"l3.latency_cycles", "40"},
        {"l3.slices", "4"},
        {"l3.cores", "4"},
        {"tlb.l1_entries", "64"},
        {"tlb.l2_entries", "512"},
        {"tlb.l2_latency_cycles", "7"},
        {"tlb.page_bytes", "4096 2097152 1073741824"},
        {"tlb.walk_levels", "4"},
        {"coherence.transfer_same_l3_cycles", "80"},
        {"coherence.transfer_other_l3_cycles", "80"},
        {"coherence.transfer_cross_node_cycles", "80 220 220 80"},
        {"coherence.invalidate_cycles", "60 180 180 60"},
        {"coherence.invalidate_other_l3_cycles", "60"},
        {"coherence.migratory", "0"},
        {"coherence.directory_in_memory", "0"},
        {"memory.channels", "2"},
        {"memory.channel_bytes_per_second", "8e9"}, // 4 bytes a cycle
        {"memory.latency_ns", "100 160 160 100"},
        {"memory.banks", "0"}, // a channel is only a bandwidth
        {"memory.row_bytes", "8192"},
        {"memory.row_open_ns", "0"},
        {"memory.activate_ns", "0"},
        {"memory.bank_cycle_ns", "0"},
        {"memory.refresh_interval_ns", "4000"},
        {"memory.refresh_ns", "0"},
        {"memory.turn_round_ns", "0"},
        {"memory.write_batch", "1"},
        {"memory.burst_gap_ns", "0"},
        {"interconnect.bytes_per_second", "0 32e9 32e9 0"},
        {"acpi.distance", "10 21 21 10"},
    };
    for (auto const& [key, value] : changes) keys[key] = value;
    std::string text;
    for (auto const& [key, value] : keys)
        if (!value.empty()) text += key + " = " + value + "\n";
    return text;
}

inline Machine made_up_machine(Keys const& changes = {}) {
    std::istringstream text(flat_text(changes));
    return Machine::read(text);
}

/// 64 MiB of memory on each node, and the cores.
class Simulation {
  public:
    static constexpr std::uint64_t node_bytes = std::uint64_t{64} << 20;
    static constexpr unsigned chain_register = 1;

    explicit Simulation(Keys const& changes = {})
        : machine(made_up_machine(changes))
        , memory(machine) {
        std::vector<MemoryRange> ranges;
        for (unsigned node = 0; node != machine.nodes; ++node)
            ranges.push_back({node * node_bytes, (node + 1) * node_bytes, node});
        memory.map(ranges);
        for (unsigned core = 0; core != machine.cores; ++core) threads.emplace_back(machine.core);
        for (unsigned number = 0; number != machine.processors(); ++number) {
            cores.push_back(std::make_unique<Core>(machine, memory, threads[machine.core_of(number)], number));
            cores.back()->set_awake(true);
        }
    }

    static std::uint64_t on_node(unsigned node, std::uint64_t offset) { return node * node_bytes + offset; }

    /// In a page of 1 GiB, so that the TLB has it.
    static Access access_to(std::uint64_t address, Kind kind, std::uint32_t bytes = 8) {
        return {.virtual_address = address, .physical_address = address, .bytes = bytes, .kind = kind, .page_bits = 30};
    }

    /// Loads into the register that the address depends on, too, or into one that nothing depends on.
    void load(unsigned core, std::uint64_t address, bool dependent, unsigned chain = chain_register) {
        Instruction instruction{.address = 0x1000, .latency_cycles = 0, .type = Class::Load, .loads = true};
        instruction.destinations = register_bit(dependent ? chain : 63);
        if (dependent) instruction.address_registers = register_bit(chain);
        execute(core, instruction, access_to(address, Kind::Load));
    }

    void store(unsigned core, std::uint64_t address) {
        Instruction const instruction{.address = 0x2000, .latency_cycles = 0, .type = Class::Store, .stores = true};
        execute(core, instruction, access_to(address, Kind::Store));
    }

    void locked(unsigned core, std::uint64_t address) {
        Instruction const instruction{.address = 0x3000,
                                      .destinations = register_bit(chain_register),
                                      .type = Class::Locked,
                                      .loads = true,
                                      .stores = true};
        std::vector<Access> const accesses = {access_to(address, Kind::Load), access_to(address, Kind::Store)};
        cores[core]->execute(instruction, accesses, false);
    }

    void prefetch(unsigned core, std::uint64_t address, Kind kind, bool dependent) {
        Instruction instruction{.address = 0x4000, .latency_cycles = 0, .type = Class::Prefetch};
        if (dependent) instruction.address_registers = register_bit(chain_register);
        execute(core, instruction, access_to(address, kind));
    }

    /// A computation; dependent: each on the one before.
    void compute(unsigned core, unsigned latency_cycles, bool dependent) {
        Instruction instruction{.address = 0x5000, .latency_cycles = static_cast<std::uint16_t>(latency_cycles)};
        if (dependent) instruction.sources = instruction.destinations = register_bit(chain_register);
        cores[core]->execute(instruction, {}, false);
    }

    double cycles_of(unsigned core) const { return in_cycles(cores[core]->retired()); }

    Machine machine;
    Memory memory;
    std::deque<CoreThreads> threads;          // by core
    std::vector<std::unique_ptr<Core>> cores; // by processor

  private:
    void execute(unsigned core, Instruction const& instruction, Access const& access) {
        cores[core]->execute(instruction, std::span(&access, 1), false);
    }
};

/// A walk through all lines of some memory that visits each once, in an order without equal strides.
inline std::vector<std::uint64_t> scattered_lines(std::uint64_t begin, std::uint64_t bytes) {
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t at = 0; at != bytes; at += Machine::line_bytes) addresses.push_back(begin + at);
    std::uint64_t random = 88172645463325252;
    for (std::size_t left = addresses.size(); left > 1; --left) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::swap(addresses[left - 1], addresses[random % left]);
    }
    return addresses;
}

/// Within 3 %.
inline void expect_about(double measured, double expected, char const* what) {
    EXPECT_NEAR(measured, expected, expected * 0.03) << what;
}

} // namespace mxk::simulator

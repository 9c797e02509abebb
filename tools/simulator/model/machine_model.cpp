#include "tools/simulator/model/machine_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "tools/simulator/model/flat_file.hpp"

namespace mxk::simulator {
namespace {

constexpr double max_cycles = 1e9;

Time rounded(double time) {
    return static_cast<Time>(std::llround(time));
}

Time cycles_of(FlatFile& file, std::string const& key, double min = 0) {
    return rounded(file.number(key, min, max_cycles) * static_cast<double>(per_cycle));
}

/// A value for each pair of nodes.
std::vector<double> matrix(FlatFile& file, std::string const& key, unsigned nodes, double max) {
    std::vector<double> values = file.numbers(key, 0, max);
    if (values.size() != std::size_t{nodes} * nodes)
        throw std::runtime_error(key + ": expected " + std::to_string(nodes * nodes) + " values, got " +
                                 std::to_string(values.size()));
    return values;
}

std::vector<Time> cycles_matrix(FlatFile& file, std::string const& key, unsigned nodes) {
    std::vector<Time> times;
    for (double const value : matrix(file, key, nodes, max_cycles))
        times.push_back(rounded(value * static_cast<double>(per_cycle)));
    return times;
}

CacheParameters read_cache(FlatFile& file, std::string const& section) {
    CacheParameters read{};
    read.bytes = file.whole(section + ".bytes", Machine::line_bytes, std::uint64_t{1} << 34);
    read.ways = file.small(section + ".ways", 1, 64);
    read.latency = cycles_of(file, section + ".latency_cycles", 1);
    if (read.bytes % (Machine::line_bytes * read.ways) != 0)
        throw std::runtime_error(section + ".bytes: expected a multiple of 64 B x " + section + ".ways");
    return read;
}

CoreParameters read_core(FlatFile& file) {
    CoreParameters read{};
    read.threads = file.small("core.threads", 1, 8);
    read.width = file.small("core.width", 1, 32);
    read.window = file.small("core.window", 1, 4096);
    read.line_fill_buffers = file.small("core.line_fill_buffers", 1, 256);
    read.l2_buffers = file.small("core.l2_buffers", 1, 256);
    read.prefetch_streams = file.small("core.prefetch_streams", 0, 256);
    read.prefetch_distance = file.small("core.prefetch_distance", 0, 63);
    read.prefetch_neighbours = file.small("core.prefetch_neighbours", 0, 1) != 0;
    read.prefetch_strides = file.small("core.prefetch_strides", 0, 1024);
    read.store_buffer = file.small("core.store_buffer", 1, 1024);
    if (read.window < read.threads || read.store_buffer < read.threads)
        throw std::runtime_error("core.threads: expected a part of core.window and core.store_buffer for each");
    std::string const predictor = file.text("core.branch_predictor");
    if (predictor != "two_bit" && predictor != "rate")
        throw std::runtime_error("core.branch_predictor: expected two_bit or rate, got '" + predictor + "'");
    read.branch_predictor = predictor == "rate" ? BranchPredictor::Rate : BranchPredictor::TwoBit;
    read.branch_miss_rate = file.number("core.branch_miss_rate", 0, 1);
    read.branch_miss = cycles_of(file, "core.branch_miss_cycles");
    read.pause = cycles_of(file, "core.pause_cycles");
    read.halt_wake = cycles_of(file, "core.halt_wake_cycles");
    read.interrupt = cycles_of(file, "core.interrupt_cycles");
    read.atomic = cycles_of(file, "core.atomic_cycles");
    return read;
}

TlbParameters read_tlb(FlatFile& file) {
    TlbParameters read{};
    read.l1_entries = file.small("tlb.l1_entries", 1, 1U << 20);
    read.l2_entries = file.small("tlb.l2_entries", 1, 1U << 20);
    read.l2_latency = cycles_of(file, "tlb.l2_latency_cycles");
    for (double const bytes : file.numbers("tlb.page_bytes", 4096, 1ULL << 40)) {
        auto const whole = static_cast<std::uint64_t>(bytes);
        if (!std::has_single_bit(whole)) throw std::runtime_error("tlb.page_bytes: expected powers of two");
        read.page_bytes.push_back(whole);
    }
    read.walk_levels = file.small("tlb.walk_levels", 1, 5);
    return read;
}

DramParameters read_dram(FlatFile& file, Machine const& machine) {
    auto const nanoseconds = [&](char const* key, double min = 0, double max = 1e6) {
        return machine.of_nanoseconds(file.number(std::string("memory.") + key, min, max));
    };
    DramParameters read{};
    read.banks = file.small("memory.banks", 0, 1024);
    read.row_bytes = file.whole("memory.row_bytes", Machine::line_bytes, 1U << 20);
    read.row_open = nanoseconds("row_open_ns");
    read.activate = nanoseconds("activate_ns");
    read.bank_cycle = nanoseconds("bank_cycle_ns", 0, 1000);
    read.refresh_interval = nanoseconds("refresh_interval_ns", 1);
    read.refresh = nanoseconds("refresh_ns");
    read.turn_round = nanoseconds("turn_round_ns", 0, 1000);
    read.write_batch = file.small("memory.write_batch", 1, 1024);
    read.burst_gap = nanoseconds("burst_gap_ns", 0, 1000);
    if (read.row_bytes % Machine::line_bytes != 0)
        throw std::runtime_error("memory.row_bytes: expected a multiple of 64");
    if (read.refresh >= read.refresh_interval)
        throw std::runtime_error("memory.refresh_ns: expected less than memory.refresh_interval_ns");
    if (read.bank_cycle != 0 && read.bank_cycle + 1 < 2 * read.activate) // both are rounded
        throw std::runtime_error("memory.bank_cycle_ns: expected 0 or no less than twice memory.activate_ns");
    return read;
}

void read_memory(FlatFile& file, Machine& machine) {
    machine.channels = file.small("memory.channels", 1, 1024);
    machine.channel_bytes_per_second = file.number("memory.channel_bytes_per_second", 1e6, 1e15);
    for (double const nanoseconds : matrix(file, "memory.latency_ns", machine.nodes, 1e9))
        machine.memory_latency.push_back(machine.of_nanoseconds(nanoseconds));
    machine.dram = read_dram(file, machine);
    if (machine.dram.banks != 0 && std::ranges::min(machine.memory_latency) < machine.dram.activate)
        throw std::runtime_error("memory.latency_ns: expected no less than memory.activate_ns, which is a part of it");
    machine.link_bytes_per_second = matrix(file, "interconnect.bytes_per_second", machine.nodes, 1e15);
    for (unsigned from = 0; from != machine.nodes; ++from)
        for (unsigned to = 0; to != machine.nodes; ++to)
            if (from != to && machine.link_bytes_per_second[machine.pair(from, to)] < 1e6)
                throw std::runtime_error("interconnect.bytes_per_second: expected no less than 1e6 between two nodes");
    for (double const value : matrix(file, "acpi.distance", machine.nodes, 255))
        machine.distance.push_back(static_cast<unsigned>(value));
}

} // namespace

Machine Machine::read(std::istream& text) {
    FlatFile file(text);
    Machine machine{};
    machine.name = file.text("machine.name");
    machine.nodes = file.small("machine.nodes", 1, max_nodes);
    machine.cores = file.small("machine.cores", 1, max_cores);
    if (machine.cores % machine.nodes != 0)
        throw std::runtime_error("machine.cores: expected a multiple of machine.nodes");
    machine.hertz = file.whole("machine.hertz", 1'000'000, 100'000'000'000);
    machine.core = read_core(file);
    machine.l1 = read_cache(file, "l1");
    machine.l2 = read_cache(file, "l2");
    machine.l3 = read_cache(file, "l3");
    machine.l3_slices = file.small("l3.slices", 1, 1024);
    machine.l3_cores = file.small("l3.cores", 1, max_cores);
    if (machine.cores_per_node() % machine.l3_cores != 0 || machine.l3_count() > max_l3s)
        throw std::runtime_error("l3.cores: expected a divisor of a node's " +
                                 std::to_string(machine.cores_per_node()) + " cores, and no more than " +
                                 std::to_string(max_l3s) + " L3s, got " + std::to_string(machine.l3_cores));
    machine.tlb = read_tlb(file);
    machine.transfer_same_l3 = cycles_of(file, "coherence.transfer_same_l3_cycles");
    machine.transfer_other_l3 = cycles_of(file, "coherence.transfer_other_l3_cycles");
    machine.transfer_cross_node = cycles_matrix(file, "coherence.transfer_cross_node_cycles", machine.nodes);
    machine.invalidate = cycles_matrix(file, "coherence.invalidate_cycles", machine.nodes);
    machine.invalidate_other_l3 = cycles_of(file, "coherence.invalidate_other_l3_cycles");
    machine.migratory = file.small("coherence.migratory", 0, 1) != 0;
    machine.directory_in_memory = file.small("coherence.directory_in_memory", 0, 1) != 0;
    read_memory(file, machine);
    file.check_all_used();
    return machine;
}

Time Machine::of_nanoseconds(double nanoseconds) const {
    return rounded(nanoseconds * 1e-9 * static_cast<double>(hertz) * static_cast<double>(per_cycle));
}

} // namespace mxk::simulator

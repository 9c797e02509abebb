// The flat file of a machine: what it says is read, and what is wrong with it is said with the key's name.
#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

std::string error_of(std::string const& flat_file) {
    std::istringstream text(flat_file);
    try {
        Machine::read(text);
    } catch (std::runtime_error const& error) {
        return error.what();
    }
    return "none";
}

TEST(MachineFile, is_read) {
    Machine const machine = made_up_machine();
    EXPECT_EQ(machine.name, "made-up");
    EXPECT_EQ(machine.cores_per_node(), 4U);
    EXPECT_EQ(machine.node_of(3), 0U);
    EXPECT_EQ(machine.node_of(4), 1U);
    EXPECT_EQ(machine.core.window, 160U);
    EXPECT_EQ(machine.core.atomic, cycles(20));
    EXPECT_EQ(machine.core.branch_predictor, BranchPredictor::TwoBit);
    EXPECT_EQ(machine.l2.bytes, 262144U);
    EXPECT_EQ(machine.transfer(0, 0), cycles(80));
    EXPECT_EQ(machine.transfer(1, 0), cycles(220));
    Machine const divided = made_up_machine({{"l3.cores", "2"}, {"coherence.transfer_other_l3_cycles", "120"}});
    EXPECT_EQ(divided.l3_count(), 4U);
    EXPECT_EQ(divided.node_of_l3(1), 0U);
    EXPECT_EQ(divided.transfer(1, 0), cycles(120));
    EXPECT_EQ(divided.transfer(2, 1), cycles(220));
    EXPECT_EQ(made_up_machine({{"core.threads", "2"}}).processors(), 16U);
    EXPECT_EQ(machine.memory_latency[1], cycles(320)); // 160 ns at 2 GHz
    EXPECT_EQ(machine.tlb.page_bytes.size(), 3U);
    EXPECT_EQ(machine.distance, (std::vector<unsigned>{10, 21, 21, 10}));
    EXPECT_EQ(made_up_machine({{"l1.latency_cycles", "4.5"}, {"core.width", "8 # a comment"}}).l1.latency, 288U);
}

TEST(MachineFile, names_what_is_wrong) {
    Keys const changes = {
        {"core.window", ""},                            // missing
        {"core.window", "3"},                           // unknown
        {"core.width", "four"},                         // no number
        {"core.pause_cycles", "-1"},                    // too small
        {"core.branch_miss_rate", "1.5"},               // too large
        {"core.branch_predictor", "oracle"},            // no such one
        {"machine.hertz", "2e9"},                       // not whole
        {"machine.cores", "7"},                         // not so many per node
        {"l2.bytes", "100000"},                         // no whole sets
        {"memory.latency_ns", "100 160 160"},           // not for all pairs of nodes
        {"coherence.invalidate_cycles", "1 2 3 x"},     // no number
        {"interconnect.bytes_per_second", "0 1e9 0 0"}, // no way back
        {"tlb.page_bytes", "5000"},                     // no power of two
        {"memory.banks", "1025"},                       // too many
        {"memory.row_bytes", "100"},                    // no whole lines
        {"memory.refresh_ns", "4000"},                  // nothing but refreshes
        {"memory.write_batch", "0"},                    // writes that never end
    };
    for (auto const& [key, value] : changes) {
        std::string const error = error_of(flat_text({{key, value}}));
        EXPECT_TRUE(error.starts_with(key + ":")) << key << " = " << value << ": " << error;
    }
    std::string const bank = error_of(flat_text({{"memory.activate_ns", "15"}, {"memory.bank_cycle_ns", "29"}}));
    EXPECT_TRUE(bank.starts_with("memory.bank_cycle_ns: expected 0 or no less")) << bank;
    std::string const latency = error_of(flat_text({{"memory.banks", "1"}, {"memory.activate_ns", "101"}}));
    EXPECT_TRUE(latency.starts_with("memory.latency_ns: expected no less")) << latency;
    EXPECT_EQ(error_of(flat_text() + "l1.ways = 8\n"), "l1.ways: given twice");
    EXPECT_EQ(error_of(flat_text() + "l1.ways\n"), "expected 'key = value', got 'l1.ways'");
    EXPECT_EQ(error_of("# nothing\n\n"), "machine.name: missing");
    EXPECT_EQ(error_of(flat_text()), "none");
}

TEST(MachineFile, has_memory_where_it_is_mapped) {
    Directory directory;
    auto const refused = [&directory](MemoryRange const& range) {
        EXPECT_THROW(directory.map(std::span(&range, 1)), std::runtime_error);
    };
    refused({4096, 4096, 0});
    refused({0, std::uint64_t{1} << 40, 0});
    std::vector<MemoryRange> const ranges = {{0, 0xc0000000, 0}, {0x100000000, 0x140000000, 1}};
    directory.map(ranges);
    EXPECT_TRUE(directory.is_memory(0));
    EXPECT_FALSE(directory.is_memory(0xfee00000)); // the APIC
    EXPECT_TRUE(directory.is_memory(0x13fffffff));
    EXPECT_FALSE(directory.is_memory(~std::uint64_t{0}));
    EXPECT_EQ(directory.home(0x100000000 / 64), 1U);

    Simulation simulation;
    Access const device = Simulation::access_to(std::uint64_t{1} << 46, Kind::Store, 4);
    for (Time const start : {cycles(0), cycles(1000)}) // is never cached
        EXPECT_EQ(simulation.memory.access(0, device, start, 0).done, start + simulation.machine.memory_latency[0]);
}

} // namespace
} // namespace mxk::simulator

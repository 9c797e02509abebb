// Translations of the simulated machine: two levels of TLB, and walks that are loads through the caches.
#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

/// Cycles of a load, each of which needs the one before, of a line of each of so many pages.
double pages(Simulation& simulation, unsigned count, unsigned page_bits) {
    Instruction const load{.address_registers = register_bit(1), .latency_cycles = 0, .type = Class::Load};
    Instruction chained = load;
    chained.destinations = register_bit(1);
    double begin = 0;
    constexpr unsigned rounds = 4;
    for (unsigned round = 0; round != rounds; ++round) {
        if (round == 1) begin = simulation.cycles_of(0);
        // In steps of eight, so that pages after each other have their entries in different lines of the page table.
        // What the pages map are lines after each other, which do not compete for a set of a cache.
        for (unsigned first = 0; first != 8; ++first) {
            for (unsigned page = first; page < count; page += 8) {
                Access access = Simulation::access_to(page * 64, Kind::Load);
                access.virtual_address = std::uint64_t{page} << page_bits;
                access.page_bits = static_cast<std::uint8_t>(page_bits);
                simulation.cores[0]->execute(chained, std::span(&access, 1), false);
            }
        }
    }
    return (simulation.cycles_of(0) - begin) / ((rounds - 1) * count);
}

TEST(Tlb, takes_what_its_levels_take) {
    Machine const machine = made_up_machine();
    for (unsigned const page_bits : {12U, 21U}) {
        Simulation first;
        expect_about(pages(first, 64, page_bits), in_cycles(machine.l1.latency), "first level");
        Simulation second;
        double const in_second = in_cycles(machine.l1.latency + machine.tlb.l2_latency);
        expect_about(pages(second, 256, page_bits), in_second, "second level");
        second.cores[0]->reset_statistics();
        pages(second, 256, page_bits);
        double const blamed = in_cycles(second.cores[0]->stack()[Cause::Tlb]) / (4 * 256);
        expect_about(blamed, in_cycles(machine.tlb.l2_latency), "blamed");
    }
}

TEST(Tlb, walks_the_page_table_through_the_caches) {
    // 2048 pages: neither their lines nor those of their 16 KiB of the page table are in a first level of 8 KiB.
    Simulation simulation({{"l1.bytes", "8192"}, {"tlb.l1_entries", "16"}, {"tlb.l2_entries", "64"}});
    Machine const& machine = simulation.machine;
    double const walk = in_cycles(machine.tlb.l2_latency + machine.l2.latency);
    expect_about(pages(simulation, 2048, 12), walk + in_cycles(machine.l2.latency),
                 "a load for the walk, one for the data");
    simulation.cores[0]->reset_statistics();
    pages(simulation, 2048, 12);
    expect_about(in_cycles(simulation.cores[0]->stack()[Cause::Tlb]) / (4 * 2048), walk, "blamed");
}

TEST(Tlb, forgets_when_it_is_flushed) {
    Simulation simulation;
    Access const access = Simulation::access_to(4096, Kind::Load);
    auto const translation = [&](Time start) { return simulation.memory.access(0, access, start, 0).translation; };
    EXPECT_GT(translation(0), 0U);
    EXPECT_EQ(translation(cycles(1000)), 0U);
    simulation.memory.flush_tlb(0);
    // Of a page of 1 GiB the tables of two levels are loaded: they are in the cache.
    EXPECT_EQ(translation(cycles(2000)), simulation.machine.tlb.l2_latency + 2 * simulation.machine.l1.latency);
}

} // namespace
} // namespace mxk::simulator

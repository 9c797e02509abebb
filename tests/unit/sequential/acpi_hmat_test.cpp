// Latencies and bandwidths between nodes: values, units, what is unknown or impossible, and hostile lengths.
#include <gtest/gtest.h>

#include "kernel/acpi/hmat.hpp"
#include "tests/unit/topology_image.hpp"

namespace mxk::topology {
namespace {

using namespace acpi_test;
using acpi::Measure;
using Texts = std::vector<std::string>;

constexpr std::uint16_t no_way = 0xffff;

// Two nodes with these structures of the HMAT.
Machine machine_with(std::vector<Bytes> const& structures, std::uint8_t revision = 2) {
    return Machine({madt({local_apic(0, 0), local_apic(1, 1)}),
                    srat({processor_affinity(2, 0), processor_affinity(5, 1)}),
                    slit(6,
                         [] {
                             std::vector<std::uint8_t> matrix(36, 20);
                             for (std::size_t i = 0; i < 6; ++i) matrix[i * 7] = 10;
                             return matrix;
                         }()),
                    hmat(structures, revision)});
}

std::vector<std::uint64_t> read_latencies(Machine const& machine) {
    std::vector<std::uint64_t> result;
    for (MemoryPerformance const& pair : machine.topology.performance) result.push_back(pair.read_latency);
    return result;
}

TEST(AcpiHmat, two_nodes) {
    Machine const machine({compiled("two_nodes_madt"), compiled("two_nodes_srat"), compiled("two_nodes_slit"),
                           compiled("two_nodes_hmat")});
    EXPECT_EQ(machine.warnings, Texts{one_sided_slit});
    std::vector<MemoryPerformance> const expected{
        {80'500, 80'500, 20'000, 0}, {140'000, 140'000, 10'000, 0}, {0, 0, 0, 0}, {80'000, 80'000, 20'000, 0}};
    auto const& found = machine.topology.performance;
    EXPECT_EQ(std::vector(found.begin(), found.end()), expected);
    EXPECT_TRUE(printed(machine.topology).ends_with(R"(distance from (row) to (column)
         0   1
     0  10  21
     1  31  10
latency in ns from (row) to (column)
           0     1
     0  80.5 140.0
     1     -  80.0
read bandwidth in MB/s from (row) to (column)
           0     1
     0 20000 10000
     1     - 20000
)")) << printed(machine.topology);
}

TEST(AcpiHmat, nothing_is_said_without_one_or_about_other_nodes) {
    Machine const without({compiled("two_nodes_madt"), compiled("two_nodes_srat"), compiled("two_nodes_slit")});
    EXPECT_TRUE(without.topology.performance.empty());
    Machine const others = machine_with({locality_matrix(Measure::AccessLatency, {0, 9}, {2, 5}, 1000, {1, 2, 3, 4})});
    EXPECT_EQ(others.warnings, Texts{});
    EXPECT_TRUE(others.topology.performance.empty());
}

TEST(AcpiHmat, domains_are_found_whatever_their_order_and_number) {
    Machine const machine = machine_with(
        {locality_matrix(Measure::AccessLatency, {5, 77, 2}, {2, 1, 5}, 1000, {21, 1, 22, 2, 3, 4, 11, 5, 12})});
    EXPECT_EQ(read_latencies(machine), (std::vector<std::uint64_t>{11'000, 12'000, 21'000, 22'000}));
}

TEST(AcpiHmat, a_node_without_cores_initiates_nothing) {
    Machine const machine = machine_with({locality_matrix(Measure::AccessLatency, {2}, {2, 5}, 1000, {8, 14})});
    EXPECT_EQ(read_latencies(machine), (std::vector<std::uint64_t>{8'000, 14'000, 0, 0}));
}

TEST(AcpiHmat, one_about_reads_comes_before_one_about_both_and_the_first_of_a_kind_stands) {
    Machine const machine = machine_with({locality_matrix(Measure::AccessLatency, {2, 5}, {2, 5}, 1, {1, 2, 3, 4}),
                                          locality_matrix(Measure::ReadLatency, {2}, {5}, 1, {70}),
                                          locality_matrix(Measure::ReadLatency, {2}, {2, 5}, 1, {60, 80}),
                                          locality_matrix(Measure::WriteBandwidth, {5}, {5}, 10, {9})});
    EXPECT_EQ(read_latencies(machine), (std::vector<std::uint64_t>{60, 70, 3, 4}));
    EXPECT_EQ(machine.topology.performance[1].write_latency, 2U);
    EXPECT_EQ(machine.topology.performance[3].write_bandwidth, 90U);
    EXPECT_EQ(machine.topology.performance[3].read_bandwidth, unknown_performance);
}

TEST(AcpiHmat, special_and_impossible_values) {
    Machine const machine =
        machine_with({locality_matrix(Measure::AccessLatency, {2, 5}, {2, 5}, UINT64_MAX / 2, {0, no_way, 1, 0xfffe}),
                      locality_matrix(Measure::AccessBandwidth, {2, 5}, {2, 5}, 0, {0, no_way, 1, 2})});
    EXPECT_EQ(read_latencies(machine), (std::vector<std::uint64_t>{0, unreachable, 0, 0}));
    EXPECT_EQ(machine.warnings, Texts{"ACPI: HMAT: 4 values that no memory has; taken as not known"});
    EXPECT_NE(printed(machine.topology).find("     0      - no way\n"), std::string::npos) << printed(machine.topology);
}

TEST(AcpiHmat, the_largest_value_is_a_second) {
    Machine const machine =
        machine_with({locality_matrix(Measure::AccessLatency, {2, 5}, {2, 5}, 500'000'000'000, {1, 2, 3, 0})});
    EXPECT_EQ(read_latencies(machine), (std::vector<std::uint64_t>{500'000'000'000, 1'000'000'000'000, 0, 0}));
    EXPECT_EQ(machine.warnings.size(), 1U);
}

TEST(AcpiHmat, revision_1_counts_in_tenths) {
    Machine const machine = machine_with({locality_matrix(Measure::AccessLatency, {2}, {2, 5}, 10, {80, 140}),
                                          locality_matrix(Measure::AccessBandwidth, {2}, {2, 5}, 1, {805, 9})},
                                         1);
    EXPECT_EQ(machine.topology.performance[0].read_latency, 80'000U);
    EXPECT_EQ(machine.topology.performance[1].write_latency, 140'000U);
    EXPECT_EQ(machine.topology.performance[0].read_bandwidth, 81U);
    EXPECT_EQ(machine.topology.performance[1].read_bandwidth, 1U);

    Machine const older = machine_with({locality_matrix(Measure::AccessLatency, {2}, {2}, 10, {80})}, 0);
    EXPECT_TRUE(older.topology.performance.empty());
    EXPECT_EQ(older.warnings, Texts{"ACPI: HMAT of revision 0, expected 1 or higher; it is not read"});
}

TEST(AcpiHmat, caches_reserved_measures_and_unknown_structures_are_stepped_over) {
    Bytes reserved = locality_matrix(static_cast<Measure>(6), {2}, {2}, 1000, {1});
    Bytes unknown(40);
    put(unknown, 0, std::uint16_t{0x1234});
    put(unknown, 4, std::uint32_t{40});
    Machine const machine = machine_with({locality_matrix(Measure::AccessLatency, {2}, {2}, 1000, {1}, 2), reserved,
                                          unknown, locality_matrix(Measure::AccessLatency, {2}, {2}, 1000, {7}, 0x30)});
    EXPECT_EQ(machine.warnings, Texts{});
    EXPECT_EQ(read_latencies(machine)[0], 7'000U);
}

TEST(AcpiHmat, matrices_that_do_not_fit_their_structure_are_skipped) {
    Bytes const good = locality_matrix(Measure::AccessLatency, {2}, {5}, 1000, {7});
    for (auto const& [initiators, targets] :
         {std::pair(2U, 1U), std::pair(1U, 2U), std::pair(0xffff'ffffU, 0xffff'ffffU), std::pair(0xffff'ffffU, 0U),
          std::pair(1U, 0x8000'0000U)}) {
        Bytes bad = good;
        put(bad, 12, initiators);
        put(bad, 16, targets);
        Machine const machine = machine_with({bad, good});
        EXPECT_EQ(machine.warnings, Texts{"ACPI: HMAT: 1 structures too short for their matrix; skipped"});
        EXPECT_EQ(read_latencies(machine), (std::vector<std::uint64_t>{0, 7'000, 0, 0}));
    }
    Bytes cut(12);
    put(cut, 0, std::uint16_t{1});
    put(cut, 4, std::uint32_t{12});
    EXPECT_EQ(machine_with({cut, good}).warnings,
              Texts{"ACPI: HMAT: 1 structures too short for their matrix; skipped"});
}

TEST(AcpiHmat, an_impossible_length_ends_the_walk) {
    Bytes const good = locality_matrix(Measure::AccessLatency, {2}, {5}, 1000, {7});
    for (std::uint32_t const length : {0U, 7U, 0x1000U, 0xffff'ffffU}) {
        Bytes bad = good;
        put(bad, 4, length);
        Machine const machine = machine_with({good, bad, good});
        EXPECT_EQ(machine.warnings, Texts{"ACPI: HMAT: no valid structure at offset 82 of 166; the rest is not read"});
        EXPECT_EQ(read_latencies(machine), (std::vector<std::uint64_t>{0, 7'000, 0, 0}));
    }
    EXPECT_EQ(machine_with({Bytes(3)}).warnings,
              Texts{"ACPI: HMAT: no valid structure at offset 40 of 43; the rest is not read"});
}

TEST(AcpiHmat, stays_when_cores_do_not_start) {
    Machine machine = machine_with({locality_matrix(Measure::AccessLatency, {2}, {5}, 1000, {7})});
    std::size_t const alone[] = {0};
    Topology const after = keep_cores(machine.topology, alone, machine.firmware.arena.arena).value();
    EXPECT_EQ(after.performance.size(), 4U);
    EXPECT_EQ(after.performance[1].read_latency, 7'000U);
}

TEST(AcpiHmat, latencies_against_the_distances_are_told) {
    Bytes const domains = srat({processor_affinity(0, 0), processor_affinity(1, 1), memory_affinity(2, 0, MiB)});
    std::vector<std::uint8_t> const distances{10, 20, 30, 20, 10, 30, 30, 30, 10};
    auto const said = [&](std::vector<std::uint16_t> const& latencies) {
        return Machine({madt({local_apic(0, 0), local_apic(1, 1)}), domains, slit(3, distances),
                        hmat({locality_matrix(acpi::Measure::ReadLatency, {0, 1}, {0, 1, 2}, 1000, latencies)})})
            .warnings;
    };
    EXPECT_EQ(said({80, 140, 140, 140, 80, 200}), Texts{}); // as far as the distances say
    EXPECT_EQ(said({0, 140, 80, 0, 0, 90}), (Texts{"ACPI: HMAT and SLIT contradict each other: 1 nodes farther away by "
                                                   "the SLIT are read in less time by the HMAT; both are taken as they "
                                                   "are"}));
    EXPECT_EQ(said({80, 140, 0xffff, 140, 80, 0}), Texts{}); // unreachable and unknown are no times
}

} // namespace
} // namespace mxk::topology

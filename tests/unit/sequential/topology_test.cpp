// Cores, nodes, memory and distances, as discovered from sound, odd and contradictory firmware.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "kernel/topology/running_order.hpp"
#include "tests/unit/topology_image.hpp"

namespace mxk::topology {
namespace {

using namespace acpi_test;
using Ids = std::vector<std::uint32_t>;
using Texts = std::vector<std::string>;

constexpr std::uint64_t gib = GiB;
MemoryRange range(std::uint64_t start, std::uint64_t end) {
    return {PhysicalAddress{start}, end - start};
}

Bytes two_processors() {
    return madt({local_apic(0, 0), local_apic(1, 1)});
}

TEST(Topology, two_nodes_and_a_memory_map) {
    Machine const machine({compiled("two_nodes_madt"), compiled("two_nodes_srat"), compiled("two_nodes_slit")}, 0,
                          {range(0, 0x9'fc00), range(0x10'0000, 0x7ffd'0000)});
    EXPECT_EQ(machine.warnings, Texts{one_sided_slit});
    EXPECT_EQ(machine.domains(), (Ids{0, 1}));
    EXPECT_EQ(machine.apic_ids(), (Ids{0, 1, 2, 3}));
    EXPECT_EQ(machine.core_ids_of(0), (Ids{0, 1}));
    EXPECT_EQ(machine.core_ids_of(1), (Ids{2, 3}));
    // The hot-pluggable window has no RAM, so it is not there.
    EXPECT_EQ(machine.memory_of(0), (Texts{"0-9fc00", "100000-40000000"}));
    EXPECT_EQ(machine.memory_of(1), Texts{"40000000-7ffd0000"});
    EXPECT_EQ(machine.topology.distance(node_id(0), node_id(1)), 21U);
    EXPECT_EQ(machine.topology.distance(node_id(1), node_id(0)), 31U);
    EXPECT_TRUE(machine.topology.distances_are_known);
    EXPECT_EQ(machine.topology.listed_cores, 4U);
    EXPECT_EQ(machine.topology.memory_bytes(), 0x9'fc00U + 0x7ffd'0000U - 0x10'0000U);
}

TEST(Topology, what_the_srat_calls_non_volatile_is_no_ram) {
    constexpr std::uint32_t non_volatile = 5; // and enabled
    auto const affinities = [](std::uint64_t start, std::uint64_t bytes) {
        return acpi_test::srat({acpi_test::processor_affinity(0, 0), acpi_test::memory_affinity(0, 0, 0x4000'0000),
                                acpi_test::memory_affinity(1, 0x4000'0000, 0x4000'0000),
                                acpi_test::memory_affinity(1, start, bytes, non_volatile)});
    };
    auto const madt = acpi_test::madt({acpi_test::local_apic(0, 0)});
    // In the middle of a node's memory, over the border of two, in none of it.
    Machine const middle({madt, affinities(0x5000'0000, 0x1000)}, 0, {range(0x10'0000, 0x8000'0000)});
    EXPECT_EQ(middle.memory_of(0), Texts{"100000-40000000"});
    EXPECT_EQ(middle.memory_of(1), (Texts{"40000000-50000000", "50001000-80000000"}));
    EXPECT_EQ(middle.topology.non_volatile_bytes, 0x1000U);
    ASSERT_FALSE(middle.warnings.empty());
    EXPECT_EQ(middle.warnings[0], "ACPI: SRAT calls 4 KiB of RAM non-volatile; they are not used");
    Machine const border({madt, affinities(0x3000'0000, 0x2000'0000)}, 0, {range(0, 0x8000'0000)});
    EXPECT_EQ(border.memory_of(0), Texts{"0-30000000"});
    EXPECT_EQ(border.memory_of(1), Texts{"50000000-80000000"});
    Machine const none({madt, affinities(0x8000'0000, 0x4000'0000)}, 0, {range(0, 0x8000'0000)});
    EXPECT_EQ(none.topology.non_volatile_bytes, 0U);
    EXPECT_EQ(none.warnings, Texts{"ACPI: no SLIT; distances taken as 10 local, 20 remote"});
    EXPECT_FALSE(none.topology.distances_are_known);
    // A map that calls it RAM where no entry of the SRAT does: it is not given to the boot core's node.
    Machine const uncovered({madt, affinities(0x8000'0000, 0x4000'0000)}, 0, {range(0, 0x9000'0000)});
    EXPECT_EQ(uncovered.topology.memory_bytes(), 0x8000'0000U);
    EXPECT_EQ(uncovered.topology.non_volatile_bytes, 0x1000'0000U);
    // All of it: a machine has to have some.
    Machine const all({madt, affinities(0, 0x8000'0000)}, 0, {range(0, 0x8000'0000)});
    EXPECT_EQ(all.topology.memory_bytes(), 0x8000'0000U);
    ASSERT_FALSE(all.warnings.empty());
    EXPECT_EQ(all.warnings[0], "ACPI: SRAT calls all memory non-volatile, which cannot be: it is used");
}

// As the memory of CXL devices is described: a domain of its own, in which no processor is.
TEST(Topology, hot_pluggable_ranges_are_ram_where_the_memory_map_says_so) {
    constexpr std::uint32_t hot_pluggable = 3; // and enabled
    auto const srat =
        acpi_test::srat({acpi_test::processor_affinity(0, 0), acpi_test::memory_affinity(0, 0, 0x4000'0000),
                         acpi_test::memory_affinity(1, 0x4000'0000, 0x4000'0000, hot_pluggable),
                         acpi_test::memory_affinity(2, 0x8000'0000, 0x4000'0000, hot_pluggable)});
    Machine const machine({acpi_test::madt({acpi_test::local_apic(0, 0)}), srat}, 0, {range(0, 0x6000'0000)});
    EXPECT_EQ(machine.domains(), (Ids{0, 1}));
    EXPECT_EQ(machine.memory_of(1), Texts{"40000000-60000000"});
    EXPECT_TRUE(machine.core_ids_of(1).empty());
}

TEST(Topology, without_a_memory_map_the_ranges_of_the_srat_stand) {
    Machine const machine({compiled("two_nodes_madt"), compiled("two_nodes_srat"), compiled("two_nodes_slit")});
    EXPECT_EQ(machine.memory_of(0), (Texts{"0-a0000", "100000-40000000"}));
    EXPECT_EQ(machine.memory_of(1), (Texts{"40000000-80000000", "100000000-140000000"}));
}

TEST(Topology, the_boot_core_is_core_0_and_the_rest_keep_their_order) {
    Machine const machine({compiled("two_nodes_madt"), compiled("two_nodes_srat"), compiled("two_nodes_slit")}, 2);
    EXPECT_EQ(machine.apic_ids(), (Ids{2, 0, 1, 3}));
    EXPECT_EQ(machine.core_ids_of(0), (Ids{1, 2}));
    EXPECT_EQ(machine.core_ids_of(1), (Ids{0, 3}));
    EXPECT_EQ(machine.topology.cores[0].acpi_uid, 2U);
}

TEST(Topology, sparse_x2apic_ids_and_domains) {
    Machine const machine({compiled("x2apic_madt"), compiled("x2apic_srat")});
    EXPECT_EQ(machine.warnings, Texts{"ACPI: no SLIT; distances taken as 10 local, 20 remote"});
    EXPECT_EQ(machine.domains(), (Ids{0, 7, 0x1'0000}));
    EXPECT_EQ(machine.apic_ids(), (Ids{0, 2, 0x100, 0x102, 0x1234'5678}));
    EXPECT_EQ(machine.core_ids_of(0), (Ids{2, 3}));
    EXPECT_EQ(machine.core_ids_of(1), (Ids{0, 1}));
    EXPECT_EQ(machine.core_ids_of(2), Ids{4});
    EXPECT_EQ(machine.topology.cores[4].acpi_uid, 0x300U);
    EXPECT_EQ(machine.topology.listed_cores, 8U);
    EXPECT_EQ(machine.topology.distance(node_id(0), node_id(2)), 20U);
}

TEST(Topology, nodes_without_memory_or_cores_and_rows_without_nodes) {
    Machine const machine({compiled("two_nodes_madt"), compiled("odd_nodes_srat"), compiled("odd_nodes_slit")});
    EXPECT_EQ(machine.warnings, Texts{one_sided_slit});
    EXPECT_EQ(machine.domains(), (Ids{0, 2, 4}));
    EXPECT_EQ(machine.core_ids_of(1), (Ids{2, 3}));
    EXPECT_EQ(machine.memory_of(1), Texts{});
    EXPECT_EQ(machine.core_ids_of(2), Ids{});
    EXPECT_EQ(machine.memory_of(2), Texts{"80000000-c0000000"});
    EXPECT_EQ(machine.topology.distance(node_id(1), node_id(2)), 255U);
    EXPECT_EQ(machine.topology.distance(node_id(2), node_id(1)), 26U);
    EXPECT_EQ(machine.topology.memory_bytes(), 2 * gib);
}

TEST(Topology, a_node_whose_memory_is_not_in_the_map_and_that_has_no_core_is_none) {
    Machine const machine({compiled("two_nodes_madt"), compiled("odd_nodes_srat"), compiled("odd_nodes_slit")}, 0,
                          {range(0, gib)});
    EXPECT_EQ(machine.domains(), (Ids{0, 2}));
}

TEST(Topology, no_acpi_at_all) {
    LogCapture log;
    TestArena arena;
    std::vector<MemoryRange> const ram{range(0x10'0000, gib), range(0, 0xa'0000)};
    Topology const topology = discover(nullptr, ApicId{5}, ram, arena.arena).value();
    expect_sound(topology);
    ASSERT_EQ(topology.cores.size(), 1U);
    EXPECT_EQ(topology.cores[0].apic_id, ApicId{5});
    EXPECT_EQ(topology.cores[0].acpi_uid, unknown_acpi_uid);
    ASSERT_EQ(topology.nodes.size(), 1U);
    EXPECT_EQ(topology.memory_bytes(), gib - 0x10'0000 + 0xa'0000);
    EXPECT_EQ(log.warnings(), Texts{"ACPI: no MADT with an enabled processor: this core, APIC id 5, is the only one"});
}

TEST(Topology, no_srat_is_one_node_without_complaint) {
    Machine const machine({compiled("x2apic_madt")}, 2, {range(0, gib), range(4 * gib, 8 * gib)});
    EXPECT_EQ(machine.warnings, Texts{});
    EXPECT_EQ(machine.domains(), Ids{0});
    EXPECT_EQ(machine.core_ids_of(0), (Ids{0, 1, 2, 3, 4}));
    EXPECT_EQ(machine.memory_of(0), (Texts{"0-40000000", "100000000-200000000"}));
}

TEST(Topology, a_boot_core_that_the_madt_does_not_enable_is_added) {
    Machine const machine({madt({local_apic(0, 0), local_apic(1, 8, 0)})}, 8);
    EXPECT_EQ(machine.apic_ids(), (Ids{8, 0}));
    EXPECT_EQ(machine.warnings, Texts{"ACPI: the MADT does not enable the core that runs, APIC id 8; added"});
    EXPECT_EQ(machine.topology.listed_cores, 2U);
}

TEST(Topology, cores_that_the_srat_does_not_name_go_to_node_0) {
    Machine const machine({compiled("two_nodes_madt"), srat({processor_affinity(3, 0), processor_affinity(9, 3)}),
                           slit(10,
                                [] {
                                    std::vector<std::uint8_t> matrix(100, 40);
                                    for (std::size_t i = 0; i < 10; ++i) matrix[i * 11] = 10;
                                    return matrix;
                                }())},
                          3);
    EXPECT_EQ(machine.warnings, Texts{"ACPI: SRAT does not name 2 of 4 cores; they go to node 0"});
    EXPECT_EQ(machine.domains(), (Ids{3, 9}));
    EXPECT_EQ(machine.apic_ids(), (Ids{3, 0, 1, 2}));
    EXPECT_EQ(machine.core_ids_of(0), (Ids{1, 2, 3}));
    EXPECT_EQ(machine.topology.distance(node_id(0), node_id(1)), 40U);
}

TEST(Topology, ram_outside_all_ranges_goes_to_the_boot_cores_node) {
    Bytes const domains = srat(
        {processor_affinity(0, 0), processor_affinity(1, 1), memory_affinity(0, 0, gib), memory_affinity(1, gib, gib)});
    Machine const machine({two_processors(), domains, slit(2, {10, 20, 20, 10})}, 1,
                          {range(3 * gib, 4 * gib), range(0x1000, 2 * gib + 0x2000)});
    EXPECT_EQ(machine.warnings, Texts{"ACPI: SRAT does not cover 1048584 KiB of RAM; they go to node 1"});
    EXPECT_EQ(machine.memory_of(0), Texts{"1000-40000000"});
    EXPECT_EQ(machine.memory_of(1), (Texts{"40000000-80002000", "c0000000-100000000"}));
}

TEST(Topology, an_empty_srat_warns_and_is_one_node) {
    Machine const machine({two_processors(), srat({})}, 0, {range(0, gib)});
    EXPECT_EQ(machine.warnings, (Texts{"ACPI: SRAT does not name 2 of 2 cores; they go to node 0",
                                       "ACPI: SRAT does not cover 1048576 KiB of RAM; they go to node 0"}));
    EXPECT_EQ(machine.domains(), Ids{0});
}

TEST(Topology, ram_claimed_twice_is_given_once) {
    Bytes const domains =
        srat({processor_affinity(0, 0), processor_affinity(1, 1), memory_affinity(1, gib / 2, 2 * gib),
              memory_affinity(0, 0, gib), memory_affinity(0, gib / 4, gib / 4)});
    Machine const machine({two_processors(), domains, slit(2, {10, 20, 20, 10})}, 0,
                          {range(0, 2 * gib), range(gib, 3 * gib / 2)});
    EXPECT_EQ(machine.warnings, Texts{"ACPI: SRAT gives 524288 KiB to two proximity domains; the range that begins "
                                      "first keeps them"});
    EXPECT_EQ(machine.memory_of(0), Texts{"0-40000000"});
    EXPECT_EQ(machine.memory_of(1), Texts{"40000000-80000000"});
}

TEST(Topology, a_core_in_two_domains_takes_the_lowest) {
    Machine const machine({two_processors(), srat({processor_affinity(5, 0), x2apic_affinity(4, 0),
                                                   processor_affinity(5, 1), x2apic_affinity(5, 1)})});
    EXPECT_EQ(machine.domains(), (Ids{4, 5}));
    EXPECT_EQ(machine.core_ids_of(0), Ids{0});
    EXPECT_EQ(machine.warnings, (Texts{"ACPI: SRAT puts 1 cores in several domains; the lowest is taken",
                                       "ACPI: no SLIT; distances taken as 10 local, 20 remote"}));
}

TEST(Topology, a_slit_that_is_wrong_or_too_small_is_not_used) {
    Bytes const domains = srat({processor_affinity(0, 0), processor_affinity(2, 1)});
    for (auto const& [table, complaint] : {
             std::pair(slit(2, {10, 33, 33, 10}), "ACPI: SLIT without a row for proximity domain 2"),
             std::pair(slit(3, {10, 33, 33, 10}), "ACPI: SLIT for 3 localities in 48 bytes"),
             std::pair(slit(3, {10, 20, 20, 20, 10, 20, 20, 20, 0}), "ACPI: SLIT with distance 0 from 2 to 2"),
         }) {
        Machine const machine({two_processors(), domains, table});
        EXPECT_EQ(machine.warnings, Texts{std::string(complaint) + "; distances taken as 10 local, 20 remote"});
        EXPECT_EQ(machine.topology.distance(node_id(0), node_id(1)), 20U);
    }
    Machine const one_node({two_processors(), slit(1, {11})});
    EXPECT_EQ(one_node.warnings.size(), 1U);
}

TEST(Topology, doubtful_distances_are_taken_as_they_are) {
    Bytes const domains = srat({processor_affinity(0, 0), processor_affinity(1, 1), memory_affinity(2, 0, gib)});
    Machine const machine({two_processors(), domains, slit(3, {10, 10, 30, 10, 10, 40, 31, 40, 10})});
    EXPECT_EQ(machine.warnings,
              (Texts{"ACPI: SLIT has distance 10 between 1 pairs of different domains, as of a domain "
                     "to itself; taken as it is",
                     one_sided_slit}));
    EXPECT_EQ(machine.topology.distance(node_id(0), node_id(1)), 10U);
    EXPECT_EQ(machine.topology.distance(node_id(2), node_id(0)), 31U);
}

TEST(Topology, keep_cores_drops_those_that_did_not_start) {
    Machine machine({compiled("two_nodes_madt"), compiled("two_nodes_srat"), compiled("two_nodes_slit")});
    std::size_t const started[] = {0, 1, 3};
    Topology const after = keep_cores(machine.topology, started, machine.firmware.arena.arena).value();
    expect_sound(after);
    ASSERT_EQ(after.cores.size(), 3U);
    EXPECT_EQ(after.cores[2].apic_id, ApicId{3});
    EXPECT_EQ(after.cores[2].node, node_id(1));
    EXPECT_EQ(after.nodes[1].cores.size(), 1U);
    EXPECT_EQ(after.listed_cores, 4U);
    EXPECT_EQ(machine.topology.cores.size(), 4U);

    std::size_t const alone[] = {0};
    Topology const single = keep_cores(machine.topology, alone, machine.firmware.arena.arena).value();
    expect_sound(single);
    EXPECT_EQ(single.nodes.size(), 2U);
    EXPECT_TRUE(single.nodes[1].cores.empty());
    EXPECT_EQ(single.nodes[1].memory_bytes(), 2 * gib);
}

// Four packages that the MADT alternates between, of two physical cores with two threads each; the boot core is the
// second thread of package 1's second core, and one core has not started.
TEST(Topology, running_order_is_by_siblings_then_nodes_then_packages) {
    constexpr std::uint32_t packages = 4;
    constexpr std::uint32_t per_package = 4;
    std::vector<Core> cores;
    auto const add = [&](std::uint32_t apic_id) {
        Core core{core_id(cores.size()), ApicId{apic_id}, node_id(1 - apic_id / per_package / 2), 0};
        core.levels.package = apic_id / per_package * per_package;
        core.levels.physical_core = apic_id / 2 * 2;
        cores.push_back(core);
    };
    constexpr std::uint32_t boot_core = 7;
    add(boot_core);
    for (std::uint32_t i = 0; i < per_package; ++i)
        for (std::uint32_t package = 0; package < packages; ++package)
            if (package * per_package + i != boot_core) add(package * per_package + i);
    Topology machine;
    machine.cores = cores;
    std::vector<char> flags(cores.size(), 1);
    for (Core const& core : cores)
        if (core.apic_id == ApicId{8}) flags[index(core.id)] = 0;
    auto const started = std::make_unique<bool[]>(flags.size());
    std::copy(flags.begin(), flags.end(), started.get());

    acpi_test::TestArena arena;
    auto const ids = [&](std::span<std::size_t const> order) {
        Ids found;
        for (std::size_t const place : order) found.push_back(static_cast<std::uint32_t>(cores[place].apic_id));
        return found;
    };
    auto const order = running_order(machine, {started.get(), flags.size()}, arena.arena).value();
    // 9 is the first thread of its core, as 8 did not start; node 0 has packages 2 and 3.
    EXPECT_EQ(ids(order), (Ids{7, 9, 10, 12, 14, 0, 2, 4, 6, 11, 13, 15, 1, 3, 5}));

    for (Core& core : cores) core.levels = {};
    auto const unknown = running_order(machine, {started.get(), flags.size()}, arena.arena).value();
    EXPECT_EQ(ids(unknown), (Ids{7, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6}));
}

TEST(Topology, thousands_of_cores_take_well_below_a_second) {
    constexpr std::uint32_t cores = 4096;
    std::vector<Bytes> processors;
    std::vector<Bytes> domains;
    for (std::uint32_t i = 0; i < cores; ++i) {
        processors.push_back(local_x2apic(i, i * 7919 % 65536));
        domains.push_back(x2apic_affinity(i % 64, (cores - 1 - i) * 7919 % 65536));
    }
    auto const before = std::chrono::steady_clock::now();
    Machine const machine({madt(processors), srat(domains)});
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - before;
    EXPECT_EQ(machine.topology.cores.size(), cores);
    EXPECT_EQ(machine.topology.nodes.size(), 64U);
    EXPECT_EQ(machine.warnings.size(), 1U); // no SLIT
    EXPECT_LT(taken.count(), 1.0);
}

TEST(Topology, an_arena_that_is_dry_is_an_error) {
    LogCapture log;
    Arena dry([](std::size_t) { return std::span<std::byte>(); });
    auto const result = discover(nullptr, ApicId{0}, {}, dry);
    ASSERT_FALSE(result.ok());
    EXPECT_TRUE(result.error().message().starts_with("out of memory"));
}

} // namespace
} // namespace mxk::topology

// The topology as people see it.
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

#include "tests/unit/topology_image.hpp"

namespace mxk::topology {
namespace {

using namespace acpi_test;

TEST(TopologyPrint, four_cores_two_nodes) {
    Machine const machine({compiled("two_nodes_madt"), compiled("two_nodes_srat"), compiled("two_nodes_slit")}, 0,
                          {{PhysicalAddress{0}, 0x9'fc00}, {PhysicalAddress{0x10'0000}, 0x7fed'0000}});
    EXPECT_EQ(printed(machine.topology),
              R"(cores 4 (listed by the firmware: 4), nodes 2, memory 2047.4 MiB
node 0: cores 2, memory 1023.6 MiB, proximity domain 0
  memory  0x0000000000000000-0x000000000009fbff          0.6 MiB
          0x0000000000100000-0x000000003fffffff       1023.0 MiB
  cores   0-1
  apic    0-1
node 1: cores 2, memory 1023.8 MiB, proximity domain 1
  memory  0x0000000040000000-0x000000007ffcffff       1023.8 MiB
  cores   2-3
  apic    2-3
levels: not known (packages, caches, SMT siblings)
distance from (row) to (column)
         0   1
     0  10  21
     1  31  10
)");
}

TEST(TopologyPrint, one_node_needs_no_matrix_and_nothing_is_said_to_be_nothing) {
    Machine const machine({compiled("two_nodes_madt")});
    EXPECT_EQ(printed(machine.topology),
              R"(cores 4 (listed by the firmware: 4), nodes 1, memory not known
node 0: cores 4, memory not known, proximity domain 0
  memory  not known
  cores   0-3
  apic    0-3
levels: not known (packages, caches, SMT siblings)
)");
    Machine const odd({compiled("two_nodes_madt"), compiled("odd_nodes_srat"), compiled("odd_nodes_slit")});
    EXPECT_NE(
        printed(odd.topology).find("  cores   none\nlevels: not known (packages, caches, SMT siblings)\ndistance"),
        std::string::npos);
    EXPECT_NE(printed(odd.topology).find("memory 0.0 MiB, proximity domain 2\n  memory  none\n"), std::string::npos);
}

TEST(TopologyPrint, 255_scattered_cores_take_few_lines_of_readable_width) {
    std::vector<Bytes> processors;
    std::vector<Bytes> domains;
    for (unsigned i = 0; i < 255; ++i) {
        auto const apic_id = static_cast<std::uint8_t>(i * 2 % 255);
        processors.push_back(local_apic(static_cast<std::uint8_t>(i), apic_id));
        domains.push_back(processor_affinity(i % 4, apic_id));
    }
    Machine const machine({madt(processors), srat(domains)});
    std::istringstream lines(printed(machine.topology));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100U);
    EXPECT_LT(count, 50U);
}

std::string printed_cores(std::vector<Core> const& cores) {
    std::vector<CoreId> ids;
    for (Core const& core : cores) ids.push_back(core.id);
    Node const node{node_id(0), 0, {}, ids};
    std::uint8_t const distance = 10;
    return printed({.cores = cores, .nodes = {&node, 1}, .distances = {&distance, 1}});
}

TEST(TopologyPrint, 300_cores_are_runs_with_or_without_a_step) {
    std::vector<Core> cores;
    for (std::uint32_t i = 0; i < 300; ++i) {
        cores.push_back({core_id(i), ApicId{i}, node_id(0), i});
        cores.back().levels = {.physical_core = i / 2, .package = i % 2}; // firmware lists the packages in turns
    }
    EXPECT_NE(printed_cores(cores).find("\n  cores   0-299\n  apic    0-299\n"), std::string::npos)
        << printed_cores(cores);
    EXPECT_NE(printed_cores(cores).find("\n  package           0-298:2 1-299:2\n"
                                        "  physical core     0-1 2-3 ... 298-299 (150 groups)\n"),
              std::string::npos)
        << printed_cores(cores);
    for (Core& core : cores) core.apic_id = ApicId{2 * static_cast<std::uint32_t>(index(core.id))};
    EXPECT_NE(printed_cores(cores).find("\n  apic    0-598:2\n"), std::string::npos);
    cores[1].apic_id = ApicId{3};
    for (Core& core : cores) core.levels.physical_core = static_cast<std::uint32_t>(index(core.id)) % 150;
    EXPECT_NE(printed_cores(cores).find("\n  physical core     0,150 1,151 ... 149,299 (150 groups)\n"),
              std::string::npos);
    std::swap(cores[7].levels.physical_core, cores[8].levels.physical_core); // no longer regular: all are listed
    EXPECT_NE(printed_cores(cores).find(" 6,156 7,158 8,157 9,159 "), std::string::npos) << printed_cores(cores);
    EXPECT_NE(printed_cores(cores).find("\n  apic    0,3-4,6-598:2\n"), std::string::npos) << printed_cores(cores);
}

TEST(TopologyPrint, a_group_that_needs_several_lines_is_whole) {
    std::vector<Core> cores;
    for (std::uint32_t i = 0; i < 200; ++i) {
        cores.push_back({core_id(i), ApicId{i}, node_id(0), i});
        bool const first = (i * i / 3) % 2 == 0; // in no order
        cores.back().levels = {.physical_core = i, .package = first ? 0U : 1U};
    }
    std::istringstream lines(printed_cores(cores));
    std::size_t numbers = 0;
    bool of_packages = false;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 100U) << line;
        if (line.starts_with("  physical core")) of_packages = false;
        if (line.starts_with("  package")) of_packages = true;
        if (!of_packages) continue;
        std::istringstream words(line.substr(20));
        for (std::string word; std::getline(words, word, ',');) {
            std::istringstream pieces(word);
            for (std::string piece; pieces >> piece;) {
                unsigned first = 0, last = 0, step = 1;
                int const read = std::sscanf(piece.c_str(), "%u-%u:%u", &first, &last, &step);
                numbers += read < 2 ? 1 : (last - first) / step + 1;
            }
        }
    }
    EXPECT_EQ(numbers, 200U) << printed_cores(cores);
}

TEST(TopologyPrint, levels_as_groups_of_cores) {
    std::vector<Core> cores;
    for (std::uint32_t i = 0; i < 8; ++i) {
        Core core{core_id(i), ApicId{i}, node_id(0), i};
        core.levels = {.physical_core = i % 4, .package = 0};
        core.levels.caches[0] = {i % 4, i % 4 < 2 ? 48 * KiB : 32 * KiB};
        core.levels.caches[1] = {i, MiB};
        core.levels.caches[2] = {i / 2 % 2, 32 * MiB};
        cores.push_back(core);
    }
    Node const node{node_id(0), 0, {}, {}};
    std::uint8_t const distance = 10;
    std::string const text = printed({.cores = cores, .nodes = {&node, 1}, .distances = {&distance, 1}});
    EXPECT_NE(text.find(R"(
levels: cores that share a package, a cache, a physical core
  package           0-7
  L3 32768 KiB      0-1,4-5 2-3,6-7
  L2 1024 KiB       each core its own
  L1 32-48 KiB      0,4 1,5 2,6 3,7
  physical core     0,4 1,5 2,6 3,7
)"),
              std::string::npos)
        << text;
}

} // namespace
} // namespace mxk::topology

// The topology as people see it.
#include <gtest/gtest.h>

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
)");
    Machine const odd({compiled("two_nodes_madt"), compiled("odd_nodes_srat"), compiled("odd_nodes_slit")});
    EXPECT_NE(printed(odd.topology).find("  cores   none\ndistance"), std::string::npos);
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

} // namespace
} // namespace mxk::topology

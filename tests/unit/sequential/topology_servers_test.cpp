// The tables of real servers against what is known of the machines.
#include <gtest/gtest.h>

#include "tests/unit/server_dumps.hpp"
#include "tests/unit/topology_image.hpp"

namespace mxk::topology {
namespace {

using namespace acpi_test;

struct ServerDump {
    std::string name; // how its directory begins
    std::uint32_t boot_apic_id;
    std::size_t cores;
    std::size_t listed;
    std::vector<std::size_t> cores_per_node;
    unsigned distance; // from node 0 to node 1
    std::size_t warnings;
};

std::vector<Bytes> tables_below(std::filesystem::path const& directory) {
    std::vector<Bytes> result;
    for (char const* const name : {"APIC", "SRAT", "SLIT"})
        if (std::filesystem::exists(directory / name)) result.push_back(content_of(directory / name));
    return result;
}

class TopologyOfServer : public testing::TestWithParam<ServerDump> {};

TEST_P(TopologyOfServer, is_as_known) {
    MXK_SKIP_WITHOUT_SERVER_DUMPS();
    ServerDump const& server = GetParam();
    std::filesystem::path const directory = server_dump(server.name);
    ASSERT_FALSE(directory.empty()) << server.name;

    Machine const machine(tables_below(directory), server.boot_apic_id);
    EXPECT_EQ(machine.topology.cores.size(), server.cores);
    EXPECT_EQ(machine.topology.listed_cores, server.listed);
    EXPECT_EQ(machine.topology.cores[0].apic_id, ApicId{server.boot_apic_id});
    std::vector<std::size_t> cores_per_node;
    for (Node const& node : machine.topology.nodes) cores_per_node.push_back(node.cores.size());
    EXPECT_EQ(cores_per_node, server.cores_per_node);
    if (machine.topology.nodes.size() > 1) {
        EXPECT_EQ(machine.topology.distance(node_id(0), node_id(1)), server.distance);
    }
    EXPECT_EQ(machine.warnings.size(), server.warnings);
    if (HasFailure()) std::cerr << printed(machine.topology);
}

// Warnings: one for each of the two machines with two nodes and no SLIT.
INSTANTIATE_TEST_SUITE_P(
    Dumps, TopologyOfServer,
    testing::Values(ServerDump{"Server-Dell-PowerEdge-PowerEdge-R820", 0, 80, 96, {20, 20, 20, 20}, 20, 0},
                    ServerDump{"Server-Hewlett-Packard-ProLiant-ProLiant-DL360-G7", 0, 16, 32, {8, 8}, 20, 1},
                    ServerDump{"Server-Hewlett-Packard-ProLiant-ProLiant-DL380e-Gen8", 0, 8, 64, {4, 4}, 20, 1},
                    ServerDump{"Server-Supermicro-X8-X8DTT", 0, 16, 24, {8, 8}, 21, 0},
                    ServerDump{"Server-Supermicro-H8-H8DGU", 16, 24, 32, {6, 6, 6, 6}, 16, 0},
                    ServerDump{"Server-Quanta-QuantaMicro-QuantaMicro-X10E-9N", 0, 8, 8, {8}, 0, 0}),
    server_test_name);

} // namespace
} // namespace mxk::topology

#include "tests/unit/topology_image.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace mxk::topology {
namespace {

class StringSink final : public TextSink {
  public:
    void write(std::string_view more) override { text += more; }
    std::string text;
};

} // namespace

Machine::Machine(std::vector<acpi_test::Bytes> const& tables, std::uint32_t boot_apic_id,
                 std::vector<MemoryRange> const& usable_memory)
    : firmware(tables) {
    acpi_test::LogCapture log;
    acpi::Tables const known = firmware.tables();
    topology = discover(&known, ApicId{boot_apic_id}, usable_memory, firmware.arena.arena).value();
    warnings = log.warnings();
    expect_sound(topology);
}

std::vector<std::uint32_t> Machine::domains() const {
    std::vector<std::uint32_t> result;
    for (Node const& node : topology.nodes) result.push_back(node.proximity_domain);
    return result;
}

std::vector<std::uint32_t> Machine::apic_ids() const {
    std::vector<std::uint32_t> result;
    for (Core const& core : topology.cores) result.push_back(static_cast<std::uint32_t>(core.apic_id));
    return result;
}

std::vector<std::uint32_t> Machine::core_ids_of(std::size_t node) const {
    std::vector<std::uint32_t> result;
    for (CoreId const id : topology.nodes[node].cores) result.push_back(static_cast<std::uint32_t>(id));
    return result;
}

std::vector<std::string> Machine::memory_of(std::size_t node) const {
    std::vector<std::string> result;
    for (MemoryRange const& range : topology.nodes[node].memory) {
        FixedText<64> text;
        format(text, "{:x}-{:x}", raw(range.start), raw(range.start) + range.bytes);
        result.emplace_back(text.view());
    }
    return result;
}

void expect_sound(Topology const& topology) {
    ASSERT_FALSE(topology.cores.empty());
    ASSERT_FALSE(topology.nodes.empty());
    ASSERT_EQ(topology.distances.size(), topology.nodes.size() * topology.nodes.size());
    ASSERT_TRUE(topology.performance.empty() || topology.performance.size() == topology.distances.size());
    std::size_t cores_in_nodes = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> memory;
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
        Node const& node = topology.nodes[i];
        EXPECT_EQ(index(node.id), i);
        if (i > 0) {
            EXPECT_LT(topology.nodes[i - 1].proximity_domain, node.proximity_domain);
        }
        EXPECT_EQ(topology.distance(node.id, node.id), 10U);
        EXPECT_TRUE(std::is_sorted(node.cores.begin(), node.cores.end()));
        for (CoreId const id : node.cores) EXPECT_EQ(topology.cores[index(id)].node, node.id);
        cores_in_nodes += node.cores.size();
        for (MemoryRange const& range : node.memory) {
            EXPECT_GT(range.bytes, 0U);
            memory.emplace_back(raw(range.start), raw(range.start) + range.bytes);
        }
        EXPECT_TRUE(std::is_sorted(node.memory.begin(), node.memory.end(),
                                   [](auto const& a, auto const& b) { return a.start < b.start; }));
    }
    EXPECT_EQ(cores_in_nodes, topology.cores.size());
    for (std::size_t i = 0; i < topology.cores.size(); ++i) {
        EXPECT_EQ(index(topology.cores[i].id), i);
        ASSERT_LT(index(topology.cores[i].node), topology.nodes.size());
    }
    std::sort(memory.begin(), memory.end());
    for (std::size_t i = 1; i < memory.size(); ++i) EXPECT_LE(memory[i - 1].second, memory[i].first);
}

std::string printed(Topology const& topology) {
    StringSink sink;
    print(sink, topology);
    return sink.text;
}

} // namespace mxk::topology

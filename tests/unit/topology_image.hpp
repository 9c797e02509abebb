// What the tests of the topology share: a machine discovered from fake firmware, and what holds for every topology.
#pragma once

#include <string>
#include <vector>

#include "kernel/topology/topology.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::topology {

// A machine with these tables; what it warned about while it was discovered.
struct Machine {
    explicit Machine(std::vector<acpi_test::Bytes> const& tables, std::uint32_t boot_apic_id = 0,
                     std::vector<MemoryRange> const& usable_memory = {});

    // The domains of the nodes, in order.
    [[nodiscard]] std::vector<std::uint32_t> domains() const;
    [[nodiscard]] std::vector<std::uint32_t> apic_ids() const;
    [[nodiscard]] std::vector<std::uint32_t> core_ids_of(std::size_t node) const;
    // "start-end" of each range, end exclusive, in hexadecimal.
    [[nodiscard]] std::vector<std::string> memory_of(std::size_t node) const;

    acpi_test::Firmware firmware;
    std::vector<std::string> warnings;
    Topology topology;
};

// Ids are dense, every core is in its node's list and no other, memory is ascending and disjoint over all nodes, the
// matrix is complete.
void expect_sound(Topology const& topology);

std::string printed(Topology const& topology);

} // namespace mxk::topology

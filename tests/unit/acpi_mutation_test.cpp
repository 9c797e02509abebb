// Valid tables with bytes changed at random, from fixed seeds: whatever the firmware says, the parser stays inside the
// tables (AddressSanitizer watches: every view is exactly as long as asked for) and the topology is sound.
#include <gtest/gtest.h>

#include <random>

#include "kernel/acpi/fixed_hardware.hpp"
#include "kernel/acpi/madt.hpp"
#include "tests/unit/topology_image.hpp"

namespace mxk::acpi_test {
namespace {

constexpr unsigned mutations_per_machine = 10'000;

void mutate(Bytes& table, std::mt19937& random) {
    constexpr std::array<std::uint8_t, 6> nasty{0, 1, 2, 0x7f, 0x80, 0xff};
    unsigned const changes = 1 + random() % 4;
    for (unsigned i = 0; i < changes; ++i) {
        // Half of the changes hit lengths and headers, where they matter.
        std::size_t const reach = random() % 2 == 0 ? table.size() : std::min<std::size_t>(table.size(), 64);
        std::uint8_t const value =
            random() % 2 == 0 ? nasty[random() % nasty.size()] : static_cast<std::uint8_t>(random());
        table[random() % reach] = static_cast<std::byte>(value);
    }
    if (random() % 4 == 0) table.resize(1 + random() % table.size());
    // Mostly with a valid checksum and a length that fits, else little beyond these checks is reached.
    if (random() % 8 != 0 && table.size() >= acpi::table_header_bytes) {
        put(table, 4, static_cast<std::uint32_t>(table.size()));
        fix_checksum(table);
    }
}

void read_everything(Firmware& firmware) {
    auto const tables = firmware.open();
    acpi::Tables const* const known = tables ? &tables.value() : nullptr;
    for (bool const has_map : {false, true}) {
        std::vector<MemoryRange> map;
        if (has_map) map = {{PhysicalAddress{0x1000}, 0x9'e000}, {PhysicalAddress{0x10'0000}, 3 * GiB}};
        auto const result = topology::discover(known, ApicId{0}, map, firmware.arena.arena);
        ASSERT_TRUE(result.ok());
        topology::expect_sound(result.value());
        if (has_map) {
            EXPECT_EQ(result.value().memory_bytes(), 0x9'e000 + 3 * GiB);
        }
        topology::printed(result.value());
    }
    if (known == nullptr) return;
    EXPECT_TRUE(acpi::interrupt_model(*known, firmware.arena.arena).ok());
    acpi::clocks(*known);
    acpi::reset_register(*known);
    acpi::legacy_devices(*known);
}

void run(std::vector<Bytes> const& tables, std::uint32_t seed) {
    std::mt19937 random(seed);
    for (unsigned i = 0; i < mutations_per_machine; ++i) {
        LogCapture log;
        std::vector<Bytes> mutated = tables;
        mutate(mutated[random() % mutated.size()], random);
        Firmware firmware(mutated, static_cast<std::uint8_t>(random() % 3));
        if (random() % 16 == 0) mutate(firmware.rsdp, random);
        read_everything(firmware);
        if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ", mutation " << i;
    }
}

TEST(AcpiMutation, two_nodes) {
    run({compiled("two_nodes_madt"), compiled("two_nodes_srat"), compiled("two_nodes_slit"), compiled("two_nodes_hmat"),
         compiled("facp"), compiled("hpet")},
        1);
}

TEST(AcpiMutation, x2apic_and_odd_nodes) {
    run({compiled("x2apic_madt"), compiled("x2apic_srat"), compiled("odd_nodes_slit")}, 2);
}

} // namespace
} // namespace mxk::acpi_test

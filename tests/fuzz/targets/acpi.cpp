#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/json.hpp"
#include "kernel/acpi/fixed_hardware.hpp"
#include "kernel/acpi/ipmi_interface.hpp"
#include "kernel/acpi/madt.hpp"
#include "kernel/acpi/power_off.hpp"
#include "kernel/acpi/root_pointer.hpp"
#include "kernel/acpi/serial_console.hpp"
#include "kernel/acpi/wdat.hpp"
#include "kernel/topology/running_order.hpp"
#include "kernel/topology/topology.hpp"
#include "tests/fuzz/targets/acpi_machine.hpp"
#include "tests/fuzz/targets/acpi_preview.hpp"
#include "tests/fuzz/targets/text.hpp"
#include "tests/unit/topology_image.hpp"

namespace mxk::fuzz {
namespace {

using topology::Topology;

void expect_consistent(Topology const& topology) {
    std::vector<std::uint64_t> ids;
    for (topology::Core const& core : topology.cores) ids.push_back(raw(core.apic_id));
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end()) << "an APIC id twice";
    EXPECT_GE(topology.listed_cores, topology.cores.size());
    std::size_t const pairs = topology.nodes.size() * topology.nodes.size();
    EXPECT_TRUE(topology.performance.empty() || topology.performance.size() == pairs);
}

std::string json_of(Topology const& topology) {
    StringSink sink;
    JsonWriter json(sink);
    json.begin_object();
    topology::write_json(json, topology);
    json.end_object();
    return sink.text;
}

// What is printed goes to a terminal, whatever stands in the tables.
void expect_printable(Topology const& topology) {
    constexpr std::size_t max_nodes = 32; // the matrices have a line per node: enough is enough
    if (topology.nodes.size() > max_nodes) return;
    expect_text(topology::printed(topology));
    expect_text(json_of(topology));
}

void expect_the_rest_stays(Topology const& before, AcpiMachine const& machine, Arena& arena) {
    std::span<bool> const started = arena.array<bool>(before.cores.size()).value();
    for (topology::Core const& core : before.cores) started[index(core.id)] = machine.starts(core.id);
    auto const order = topology::running_order(before, started, arena);
    ASSERT_TRUE(order.ok());
    auto const kept = topology::keep_cores(before, order.value(), arena);
    ASSERT_TRUE(kept.ok());
    EXPECT_EQ(kept.value().cores.size(), static_cast<std::size_t>(std::count(started.begin(), started.end(), true)));
    EXPECT_EQ(kept.value().memory_bytes(), before.memory_bytes());
    topology::expect_sound(kept.value());
}

void expect_sound_topology(acpi::Tables const* tables, AcpiMachine const& machine, Arena& arena) {
    auto const found = topology::discover(tables, machine.boot_core, machine.usable.ranges(), arena);
    ASSERT_TRUE(found.ok()) << "there is enough memory";
    Topology const& topology = found.value();
    topology::expect_sound(topology);
    expect_consistent(topology);
    EXPECT_EQ(topology.cores[0].apic_id, machine.boot_core);
    if (machine.usable.bytes() != 0) {
        EXPECT_EQ(topology.memory_bytes() + topology.non_volatile_bytes, machine.usable.bytes())
            << "every byte of RAM in one node";
    }
    expect_printable(topology);
    expect_the_rest_stays(topology, machine, arena);
}

// Of what WDAT's instructions touch: nothing that was not asked for before, at a width that there is.
class WatchedRegisters final : public acpi::RegisterAccess {
  public:
    FixedText<64> objection(acpi::GenericAddress const& place) override {
        expect_width(place);
        allowed_.push_back(std::uint64_t{place.address});
        return {};
    }
    std::uint32_t read(acpi::GenericAddress const& place) override {
        expect_allowed(place);
        return value_;
    }
    void write(acpi::GenericAddress const& place, std::uint32_t value) override {
        expect_allowed(place);
        value_ = value;
    }

  private:
    static void expect_width(acpi::GenericAddress const& place) {
        unsigned const bytes = acpi::access_bytes(place);
        EXPECT_TRUE(bytes == 1 || bytes == 2 || bytes == 4) << bytes;
    }
    void expect_allowed(acpi::GenericAddress const& place) const {
        expect_width(place);
        std::uint64_t const address = place.address;
        EXPECT_NE(std::find(allowed_.begin(), allowed_.end(), address), allowed_.end());
    }

    std::vector<std::uint64_t> allowed_;
    std::uint32_t value_ = 0;
};

void expect_legal_devices(acpi::Tables const& tables) {
    WatchedRegisters registers;
    acpi::stop_watchdog(tables, registers);
    for (auto const& found : {acpi::ipmi_interface(tables), acpi::ipmi_interface_in(tables.find("SPMI"))}) {
        if (!found || found->kind == acpi::IpmiInterface::Kind::Ssif) continue;
        EXPECT_NE(found->spacing, 0);
        EXPECT_TRUE(found->in_memory || found->address <= 0xffff);
    }
    auto const console = acpi::serial_console(tables);
    if (!console || console->port) return;
    EXPECT_NE(raw(console->memory), 0U);
    EXPECT_TRUE(console->access_bytes == 1 || console->access_bytes == 2 || console->access_bytes == 4);
    EXPECT_GE(console->stride_bytes, console->access_bytes);
}

void expect_legal_hardware(acpi::Tables const& tables, PhysicalReader& memory, Arena& arena) {
    auto const model = acpi::interrupt_model(tables, arena);
    ASSERT_TRUE(model.ok());
    acpi::LocalInputs const inputs = acpi::local_inputs(model.value(), 0);
    EXPECT_TRUE(inputs[0].non_maskable || inputs[1].non_maskable) << "the NMI comes in somewhere";
    acpi::Clocks const clocks = acpi::clocks(tables);
    EXPECT_NE(clocks.pm_timer_port, std::uint16_t{0});
    EXPECT_NE(clocks.hpet, PhysicalAddress{0});
    if (auto const reset = acpi::reset_register(tables)) {
        EXPECT_NE(reset->address, 0U);
        EXPECT_LE(reset->space, acpi::ResetRegister::Space::PciConfiguration);
    }
    acpi::legacy_devices(tables);
    expect_legal_devices(tables);
    if (auto const off = acpi::power_off(tables, memory)) {
        EXPECT_NE(off->control_port, 0);
        EXPECT_LE(std::max(off->sleep_type, off->second_sleep_type), 7);
    }
}

} // namespace

void acpi(InputBytes bytes) {
    acpi_test::LogCapture const log;
    acpi_test::TestArena arena;
    AcpiMachine machine{Input(bytes)};
    acpi::scan_for_root_pointer(machine.memory, PhysicalAddress{AcpiMachine::memory_start}, machine.memory_bytes);
    auto const tables = acpi::Tables::open(machine.root_pointer, machine.memory, arena.arena);
    expect_sound_topology(tables ? &tables.value() : nullptr, machine, arena.arena);
    if (tables) expect_legal_hardware(tables.value(), machine.memory, arena.arena);
    expect_preview(machine, arena.arena);
    for (std::string const& warning : log.warnings()) expect_text(warning);
}

} // namespace mxk::fuzz

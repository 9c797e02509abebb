// kernel_main: the whole start in one page, and why each step stands where it stands. The one file of arch/ that knows
// all rooms; arch/linux will have its twin.
#include "arch/x86_64/main.hpp"

#include <algorithm>

#include "arch/cores.hpp"
#include "arch/machine.hpp"
#include "arch/x86_64/apic.hpp"
#include "arch/x86_64/calibration.hpp"
#include "arch/x86_64/cpu_features.hpp"
#include "arch/x86_64/interrupts.hpp"
#include "arch/x86_64/layout.hpp"
#include "arch/x86_64/machine.hpp"
#include "arch/x86_64/memory_source.hpp"
#include "arch/x86_64/registers.hpp"
#include "arch/x86_64/serial.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"
#include "kernel/acpi/fixed_hardware.hpp"
#include "kernel/acpi/madt.hpp"
#include "kernel/acpi/root_pointer.hpp"
#include "kernel/console/values.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/console_task.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

constinit RangeSet* unclaimed = nullptr; // memory before it is split by node

// Early memory for what lives as long as the kernel.
std::span<std::byte> early_memory(std::size_t bytes) {
    if (unclaimed == nullptr) return {};
    std::uint64_t const whole = align_up(bytes, arch::page_bytes);
    auto const place = unclaimed->take(whole, arch::page_bytes, static_cast<PhysicalAddress>(UINT64_MAX));
    return place ? std::span(arch::to_virtual(*place), whole) : std::span<std::byte>();
}

// And from then on: anywhere, node 0 first.
std::span<std::byte> late_memory(std::size_t bytes) {
    std::size_t const whole = align_up(bytes, arch::page_bytes);
    auto const block = memory::allocate(whole, arch::page_bytes, node_id(0));
    return block ? std::span(block.value().address, whole) : std::span<std::byte>();
}

std::byte* node_memory(std::size_t bytes, std::size_t alignment, NodeId node) {
    auto const block = memory::allocate(bytes, alignment, node);
    return block ? block.value().address : nullptr;
}

template <typename T> T require(Result<T> result) {
    if (!result) panic("start: {}", result.error().message());
    return std::move(result).value();
}

// The firmware's tables, or none: the machine then is one core on one node.
acpi::Tables open_tables(boot::BootInfo const& boot, PhysicalReader& memory, Arena& arena) {
    constexpr std::size_t largest_rsdp = 36;
    std::span<std::byte const> rsdp = boot.rsdp;
    if (rsdp.empty() && raw(boot.rsdp_address) != 0) rsdp = memory.view(boot.rsdp_address, largest_rsdp);
    // The last resort is for loaders that say nothing; on UEFI there is nothing to find there.
    if (rsdp.empty()) rsdp = acpi::scan_for_root_pointer(memory, PhysicalAddress{0xe0000}, 0x20000);
    if (rsdp.empty()) {
        log::warn("ACPI: the loader names no RSDP and none was found in memory: going on with one core on one node");
        return {};
    }
    auto tables = acpi::Tables::open(rsdp, memory, arena);
    if (tables) return tables.value();
    log::warn("{}: going on with one core on one node", tables.error().message());
    return {};
}

// Every node gets what is still free of its memory.
void split_memory(topology::Topology const& topology, Arena& arena) {
    auto const allocators = require(arena.array<FrameAllocator>(topology.nodes.size()));
    memory::configure(allocators, topology.distances, arena);
    RangeSet const& free = *unclaimed; // complete: the arena was used for the last time
    for (topology::Node const& node : topology.nodes) {
        for (MemoryRange const& range : node.memory) {
            for (MemoryRange const& piece : free.ranges()) {
                MemoryRange const part = intersection(range, piece);
                if (part.bytes > 0) allocators[index(node.id)].add({arch::to_virtual(part.start), part.bytes});
            }
        }
    }
    unclaimed = nullptr;
    arch::set_memory_source(&node_memory);
}

void start_clocks(acpi::Tables const& tables) {
    acpi::Clocks const found = acpi::clocks(tables);
    arch::calibrate_tsc({found.hpet, found.pm_timer_port, found.pm_timer_32_bit});
    arch::apic::calibrate_timer();
}

void remember_reset(acpi::Tables const& tables) {
    using Space = arch::ResetRegister::Space;
    arch::ResetRegister target;
    auto const found = acpi::reset_register(tables);
    if (found && found->space == acpi::ResetRegister::Space::Io) target = {Space::Port, found->address, found->value};
    if (found && found->space == acpi::ResetRegister::Space::Memory)
        target = {Space::Memory, found->address, found->value};
    arch::set_reset_means(target, acpi::legacy_devices(tables).keyboard_controller);
}

// `phantom-core=APICID` on the command line: one core more than there is, on node 0, so that tests can see what becomes
// of a core that does not come up.
topology::Topology with_phantom(topology::Topology const& topology, std::string_view apic_id, Arena& arena) {
    auto const id = console::parse_count(apic_id, 0, UINT32_MAX);
    if (!id) return topology;
    auto const cores = require(arena.array<topology::Core>(topology.cores.size() + 1));
    std::copy(topology.cores.begin(), topology.cores.end(), cores.begin());
    cores.back() = {core_id(topology.cores.size()), static_cast<ApicId>(id.value()), node_id(0), 0};
    topology::Topology result = topology;
    result.cores = cores;
    return result;
}

// QEMU's emulator has no caches: it passes over prefetches, but not over what chooses their addresses.
std::uint32_t prefetch_distance() {
    return arch::features().hypervisor_name == "TCGTCGTCGTCG" ? 0 : TaskFifo::default_distance;
}

topology::Topology start_cores(topology::Topology const& topology, Arena& arena) {
    auto const cores = require(arena.array<arch::CoreToStart>(topology.cores.size()));
    auto const started = require(arena.array<bool>(cores.size()));
    for (topology::Core const& core : topology.cores)
        cores[index(core.id)] = {.apic_id = core.apic_id, .node = core.node};
    arch::start_cores(cores);
    topology::Topology known = topology;
    auto const with_levels = require(arena.array<topology::Core>(cores.size()));
    known.cores = with_levels;
    for (std::size_t i = 0; i < cores.size(); ++i) {
        started[i] = cores[i].started;
        with_levels[i] = topology.cores[i];
        with_levels[i].levels = cores[i].levels;
    }
    topology::Topology const running = require(topology::keep_cores(known, started, arena));
    set_system_topology(running);
    require<Done>(workers::create(running, arena, prefetch_distance()));
    arch::release_cores(cores, &workers::enter);
    return running;
}

void connect_terminal(acpi::InterruptModel const& model, ApicId boot_core) {
    if (!arch::serial::is_present()) return;
    unsigned const irq = arch::serial::line().irq;
    std::uint32_t interrupt = irq;
    acpi::Signal signal{};
    for (acpi::InterruptOverride const& entry : model.overrides) {
        if (entry.isa_interrupt != irq) continue;
        interrupt = entry.global_interrupt;
        signal = entry.signal;
    }
    acpi::IoApic const* nearest = nullptr; // the last one that begins at or before the interrupt has it
    for (acpi::IoApic const& candidate : model.io_apics) {
        if (candidate.first_interrupt > interrupt) continue;
        if (nearest == nullptr || candidate.first_interrupt > nearest->first_interrupt) nearest = &candidate;
    }
    if (nearest == nullptr) {
        log::warn("console: no I/O APIC has the serial line's interrupt {}: nothing can be typed", interrupt);
        return;
    }
    arch::apic::route(
        {nearest->address, interrupt - nearest->first_interrupt, signal.active_low, signal.level_triggered},
        arch::vector::serial, boot_core);
    arch::serial::enable_receive_interrupt();
}

} // namespace

void kernel_main(boot::BootInfo const& boot, RangeSet const& ram, RangeSet& free, PhysicalReader& memory) {
    auto const machine = arch::describe_machine();
    log::info("\nMXK {}, started by {}", machine.build, boot.loader);
    log::info("cpu: {}{}{}", machine.cpu, machine.hypervisor.empty() ? "" : " under ", machine.hypervisor);

    // Tables need memory, and memory is not split by node until the tables are read: so first from the whole.
    unclaimed = &free;
    Arena arena(&early_memory);
    acpi::Tables const tables = open_tables(boot, memory, arena);
    acpi::InterruptModel const interrupts = require(acpi::interrupt_model(tables, arena));
    remember_reset(tables);

    // The APIC before the topology: it says which core this is.
    arch::apic::silence_legacy_controllers();
    arch::apic::choose_mode(interrupts.local_apic);
    arch::apic::enable();
    ApicId const boot_core = arch::apic::id();
    topology::Topology const found = require(topology::discover(&tables, boot_core, ram.ranges(), arena));
    split_memory(found, arena); // from here on an allocation names its node

    arch::enable_interrupts();
    start_clocks(tables); // starting cores needs time, and the timer its frequency
    Arena late_arena(&late_memory);
    topology::Topology const wanted = with_phantom(found, boot::option(boot.command_line, "phantom-core"), late_arena);
    topology::Topology const running = start_cores(wanted, late_arena);
    log::info("cores: {} of {} run, {} nodes, {} APIC", running.cores.size(), wanted.cores.size(), running.nodes.size(),
              arch::apic::is_x2apic() ? "x2" : "x");

    // Last, when everything that a command may ask for is there. The console is a task of this core.
    connect_terminal(interrupts, boot_core);
    prepare_console(workers::of(core_id(0)), boot::option(boot.command_line, "run"), console::Partner::SerialLine);
    workers::enter(core_id(0));
}

} // namespace mxk

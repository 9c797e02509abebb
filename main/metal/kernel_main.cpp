// kernel_main: the whole start in one page, and why each step stands where it stands. Its twin is
// main/linux/program.cpp.
#include "arch/machine.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/start/entry.hpp"
#include "base/log.hpp"
#include "kernel/acpi/fixed_hardware.hpp"
#include "kernel/acpi/smbios.hpp"
#include "kernel/uptime.hpp"
#include "main/clock_skew.hpp"
#include "main/metal/apic_choice.hpp"
#include "main/metal/calibration_word.hpp"
#include "main/metal/columns_word.hpp"
#include "main/metal/command_line.hpp"
#include "main/metal/firmware_tables.hpp"
#include "main/metal/fixed_hardware_start.hpp"
#include "main/metal/interrupt_routing.hpp"
#include "main/metal/phantom_core.hpp"
#include "main/metal/require.hpp"
#include "main/metal/running_cores.hpp"
#include "main/metal/serial_choice.hpp"
#include "main/metal/start_memory.hpp"
#include "main/metal/terminal_polling.hpp"
#include "main/metal/timestamp_fault.hpp"
#include "main/metal/watchdogs.hpp"
#include "main/metal/worker_entry.hpp"
#include "tasks/commands/console_task.hpp"
#include "tasks/workers.hpp"

namespace mxk {

void kernel_main(boot::BootInfo const& boot, RangeSet const& ram, RangeSet& free, PhysicalReader& memory) {
    using namespace metal;
    clock::note_start();
    auto const machine = arch::describe_machine();
    log::info("\nMXK {}, started by {}", machine.build, boot.loader);
    log::info("cpu: {}{}{}", machine.cpu, machine.hypervisor.empty() ? "" : " under ", machine.hypervisor);
    log::info("cpu: microcode {}, {}", machine.microcode.empty() ? "not told" : machine.microcode, machine.mitigations);

    check_command_line(boot.command_line);

    // Tables need memory, and memory is not split by node until the tables are read: so first from the whole.
    begin_memory(free);
    Arena arena(&early_memory);
    acpi::Tables const tables = open_tables(boot, memory, arena);
    if (boot::option(boot.command_line, "serial").empty()) follow_firmware_console(tables);
    acpi::InterruptModel interrupts = require(acpi::interrupt_model(tables, arena));
    remember_reset(tables);
    remember_power_off(tables, memory);
    stop_watchdogs(tables);

    // The APIC before the topology: it says which core this is.
    arch::apic::silence_legacy_controllers();
    close_io_apics(interrupts, arena);
    choose_apic(boot::option(boot.command_line, "apic"), tables, interrupts);
    arch::apic::enable();
    ApicId const boot_core = arch::apic::id();
    topology::Topology const found = require(topology::discover(&tables, boot_core, ram.ranges(), arena));
    split_memory(found, arena); // from here on an allocation names its node

    arch::enable_interrupts();
    start_clocks(tables); // starting cores needs time, and the timer its frequency
    stop_controllers_watchdog(tables, acpi::smbios_structures(memory, boot.efi_system_table));
    Arena late_arena(&late_memory);
    auto const phantom = boot::option(boot.command_line, "phantom-core");
    topology::Topology const wanted = with_phantom_core(found, phantom, late_arena);
    inject_timestamp_fault(boot::option(boot.command_line, "tsc-fault"));
    choose_columns(boot::option(boot.command_line, "columns"));
    choose_calibration(boot::option(boot.command_line, "calibrate"));
    topology::Topology const running = start_cores(wanted, interrupts, late_arena);
    log::info("cores: {} of {} run, {} nodes, {} APIC", running.cores.size(), wanted.cores.size(), running.nodes.size(),
              arch::apic::is_x2apic() ? "x2" : "x");

    connect_nmi_sources(interrupts, boot_core);

    // Last, when everything that a command may ask for is there. The console is a task of this core.
    if (!connect_terminal(interrupts, boot_core)) poll_terminal(workers::of(core_id(0)));
    if (acpi::legacy_devices(tables).keyboard_controller) connect_keyboard(interrupts, boot_core);
    prepare_console(workers::of(core_id(0)), {.run_line = boot::option(boot.command_line, "run"),
                                              .partner = console::Partner::SerialLine,
                                              .before = &report_skew});
    enter_worker(core_id(0));
}

} // namespace mxk

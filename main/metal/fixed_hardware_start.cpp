#include "main/metal/fixed_hardware_start.hpp"

#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/board/power.hpp"
#include "arch/x86_64/clock/calibration.hpp"
#include "kernel/acpi/fixed_hardware.hpp"
#include "kernel/acpi/power_off.hpp"

namespace mxk::metal {

void start_clocks(acpi::Tables const& tables) {
    acpi::Clocks const found = acpi::clocks(tables);
    arch::calibrate_tsc(
        {found.hpet, found.pm_timer_port, found.pm_timer_32_bit, acpi::legacy_devices(tables).cmos_clock});
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

void remember_power_off(acpi::Tables const& tables, PhysicalReader& memory) {
    if (auto const found = acpi::power_off(tables, memory))
        arch::set_power_off_means({found->control_port, found->second_control_port, found->sleep_type,
                                   found->second_sleep_type, found->enable_port, found->enable_value});
}

} // namespace mxk::metal

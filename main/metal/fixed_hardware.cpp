#include "main/metal/fixed_hardware.hpp"

#include "arch/x86_64/apic.hpp"
#include "arch/x86_64/calibration.hpp"
#include "arch/x86_64/machine.hpp"
#include "kernel/acpi/fixed_hardware.hpp"

namespace mxk::metal {

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

} // namespace mxk::metal

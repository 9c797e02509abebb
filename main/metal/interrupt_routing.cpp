#include "main/metal/interrupt_routing.hpp"

#include "arch/x86_64/apic.hpp"
#include "arch/x86_64/interrupts.hpp"
#include "arch/x86_64/serial.hpp"
#include "base/log.hpp"

namespace mxk::metal {
namespace {

struct GlobalInterrupt {
    std::uint32_t number;
    acpi::Signal signal;
};

GlobalInterrupt global_interrupt(acpi::InterruptModel const& model, unsigned isa_interrupt) {
    GlobalInterrupt result{isa_interrupt, {}};
    for (acpi::InterruptOverride const& entry : model.overrides)
        if (entry.isa_interrupt == isa_interrupt) result = {entry.global_interrupt, entry.signal};
    return result;
}

// Of those that begin at or before the interrupt, the last one has it. Null: none.
acpi::IoApic const* io_apic_of(acpi::InterruptModel const& model, std::uint32_t interrupt) {
    acpi::IoApic const* nearest = nullptr;
    for (acpi::IoApic const& candidate : model.io_apics) {
        if (candidate.first_interrupt > interrupt) continue;
        if (nearest == nullptr || candidate.first_interrupt > nearest->first_interrupt) nearest = &candidate;
    }
    return nearest;
}

} // namespace

void connect_terminal(acpi::InterruptModel const& model, ApicId core) {
    if (!arch::serial::is_present()) return;
    auto const [interrupt, signal] = global_interrupt(model, arch::serial::line().irq);
    acpi::IoApic const* const io_apic = io_apic_of(model, interrupt);
    if (io_apic == nullptr) {
        log::warn("console: no I/O APIC has the serial line's interrupt {}: nothing can be typed", interrupt);
        return;
    }
    arch::apic::route(
        {io_apic->address, interrupt - io_apic->first_interrupt, signal.active_low, signal.level_triggered},
        arch::vector::serial, core);
    arch::serial::enable_receive_interrupt();
}

arch::apic::LocalInputs wired_inputs(acpi::InterruptModel const& model, std::uint32_t acpi_uid) {
    acpi::LocalInputs const found = acpi::local_inputs(model, acpi_uid);
    arch::apic::LocalInputs inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = {found[i].non_maskable, found[i].active_low};
    return inputs;
}

} // namespace mxk::metal

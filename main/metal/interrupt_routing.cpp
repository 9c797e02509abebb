#include "main/metal/interrupt_routing.hpp"

#include <algorithm>

#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/board/keyboard.hpp"
#include "arch/x86_64/board/serial.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "base/log.hpp"
#include "main/metal/require.hpp"

namespace mxk::metal {
namespace {

// An I/O APIC's entry has 8 bits for the destination (82093AA), and 255 means everybody.
constexpr std::uint32_t last_destination = 254;

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

// An NMI's input is nothing else's.
bool is_nmi_source(acpi::InterruptModel const& model, std::uint32_t interrupt) {
    return std::any_of(model.nmi_sources.begin(), model.nmi_sources.end(),
                       [&](acpi::NmiSource const& source) { return source.global_interrupt == interrupt; });
}

// Of those that begin at or before the interrupt, the last one has it. Null: none.
acpi::IoApic const* io_apic_of(acpi::InterruptModel const& model, std::uint32_t interrupt) {
    acpi::IoApic const* nearest = nullptr;
    for (acpi::IoApic const& candidate : model.io_apics) {
        if (candidate.first_interrupt > interrupt) continue;
        if (nearest == nullptr || candidate.first_interrupt > nearest->first_interrupt) nearest = &candidate;
    }
    if (nearest == nullptr || interrupt - nearest->first_interrupt >= arch::apic::pin_count(nearest->address))
        return nullptr;
    return nearest;
}

} // namespace

void close_io_apics(acpi::InterruptModel& model, Arena& arena) {
    auto const real = require(arena.array<acpi::IoApic>(model.io_apics.size()));
    std::size_t count = 0;
    unsigned open_pins = 0;
    for (acpi::IoApic const& io_apic : model.io_apics) {
        auto const masked = arch::apic::mask_open_pins(io_apic.address);
        if (!masked) continue;
        open_pins += *masked;
        real[count++] = io_apic;
    }
    model.io_apics = real.first(count);
    if (open_pins > 0) log::info("interrupts: masked {} pins of I/O APICs that the firmware left open", open_pins);
}

void connect_nmi_sources(acpi::InterruptModel const& model, ApicId core) {
    for (acpi::NmiSource const& source : model.nmi_sources) {
        acpi::IoApic const* const io_apic = io_apic_of(model, source.global_interrupt);
        if (io_apic == nullptr || static_cast<std::uint32_t>(core) > last_destination) {
            log::warn("ACPI: MADT has an NMI at interrupt {}: {}: it is left out", source.global_interrupt,
                      io_apic == nullptr ? "no I/O APIC has that input" : "no I/O APIC reaches the boot core");
            continue;
        }
        log::info("interrupts: an NMI at interrupt {}, as the MADT has it", source.global_interrupt);
        arch::apic::route_non_maskable(
            {io_apic->address, source.global_interrupt - io_apic->first_interrupt, source.signal.active_low, false},
            core);
    }
}

bool connect_terminal(acpi::InterruptModel const& model, ApicId core) {
    if (!arch::serial::is_present()) return true;
    auto const irq = arch::serial::line().irq;
    if (!irq) {
        log::info("console: the serial line is polled: no interrupt is known of its port, or none is to be used");
        return false;
    }
    if (static_cast<std::uint32_t>(core) > last_destination) {
        log::warn("console: an I/O APIC cannot interrupt the boot core, APIC id {}: the serial line is polled", core);
        return false;
    }
    auto const [interrupt, signal] = global_interrupt(model, *irq);
    acpi::IoApic const* const io_apic = io_apic_of(model, interrupt);
    if (io_apic == nullptr || is_nmi_source(model, interrupt)) {
        log::warn("console: {} the serial line's interrupt {}: the line is polled",
                  io_apic == nullptr ? "no I/O APIC has" : "the MADT has an NMI at", interrupt);
        return false;
    }
    arch::apic::route(
        {io_apic->address, interrupt - io_apic->first_interrupt, signal.active_low, signal.level_triggered},
        arch::vector::serial, core);
    arch::serial::enable_receive_interrupt();
    return true;
}

arch::apic::LocalInputs wired_inputs(acpi::InterruptModel const& model, std::uint32_t acpi_uid) {
    acpi::LocalInputs const found = acpi::local_inputs(model, acpi_uid);
    arch::apic::LocalInputs inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = {found[i].non_maskable, found[i].active_low};
    return inputs;
}

void connect_keyboard(acpi::InterruptModel const& model, ApicId core) {
    constexpr unsigned isa_interrupt = 1;
    if (!arch::keyboard::open()) return;
    auto const [interrupt, signal] = global_interrupt(model, isa_interrupt);
    acpi::IoApic const* const io_apic = io_apic_of(model, interrupt);
    if (io_apic == nullptr || static_cast<std::uint32_t>(core) > last_destination || is_nmi_source(model, interrupt))
        return log::warn(
            "console: no I/O APIC has the keyboard's interrupt {} to itself, or none reaches the boot core", interrupt);
    arch::apic::route(
        {io_apic->address, interrupt - io_apic->first_interrupt, signal.active_low, signal.level_triggered},
        arch::vector::keyboard, core);
    // A key before this raised an interrupt that nobody saw, and there is no other until it has been taken.
    arch::disable_interrupts();
    arch::keyboard::receive();
    arch::enable_interrupts();
}

} // namespace mxk::metal

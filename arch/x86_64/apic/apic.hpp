// The local APIC (SDM vol. 3A chapter 11), through memory (xAPIC) or model-specific registers (x2APIC), and the I/O
// APIC as far as the serial line needs it. x2APIC is used if the firmware has switched it on or the CPU has it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/units.hpp"

namespace mxk::arch::apic {

// x2APIC mode where the processor has it; only if the firmware has switched it on, from which there is no way back but
// by a reset (SDM section 11.12.5).
enum class RequestedMode : std::uint8_t { X2apic, Xapic };
// Which mode. In xAPIC mode the registers are where the processor says (IA32_APIC_BASE); a WARN if `registers`, as the
// MADT has them, are elsewhere. The boot core, once, before the two below.
void choose_mode(PhysicalAddress registers, RequestedMode wish);
bool is_x2apic();

// Whether interrupts can be sent to a core: an xAPIC has 8 bits for its id, and 255 means everybody.
bool can_reach(ApicId target);

// Switches on the calling core's APIC, with its inputs masked.
void enable();

// What an input of the local APIC, LINT0 or LINT1, is for: the NMI, or nothing (SDM vol. 3A figure 11-8).
struct LocalInput {
    bool non_maskable = false;
    bool active_low = false;
};
using LocalInputs = std::array<LocalInput, 2>;
// Of the calling core, once its faults are reported.
void connect(LocalInputs const& inputs);

ApicId id();

// Both called by handlers, also by those that must not touch SSE registers. Whether the core handles an interrupt with
// this vector now; until end_of_interrupt() it gets no other of the same or a lower priority (SDM 11.8.4).
bool is_in_service(unsigned vector);
void end_of_interrupt();

// Interrupts another core. Waits until the local APIC has accepted it.
void send(ApicId target, unsigned vector);
// The start-up sequence's two messages (SDM vol. 3A section 9.4.4). `page`: the frame number of the trampoline.
void send_init(ApicId target);
void send_startup(ApicId target, unsigned page);
// A non-maskable interrupt to all cores that run tasks but this one.
void stop_other_cores();

// Finds the timer's frequency against the time-stamp counter, unless it goes by that anyway (TSC-deadline mode, SDM
// section 11.5.4.1). The boot core, before any timer is armed and before the others are started.
void calibrate_timer();

// Routes an ISA interrupt to a vector of one core.
struct InterruptLine {
    PhysicalAddress io_apic;
    std::uint32_t pin;
    bool active_low;
    bool level_triggered;
};
void route(InterruptLine const& line, unsigned vector, ApicId target);
// The same as a non-maskable interrupt, which is edge triggered whatever the line says.
void route_non_maskable(InterruptLine const& line, ApicId target);
// How many inputs an I/O APIC has; 0: nothing answers there.
std::uint32_t pin_count(PhysicalAddress io_apic);

// Masks what the firmware has left unmasked of an I/O APIC, but for what calls the firmware itself (SMI), and says how
// many pins those were; nothing, with a WARN, where no I/O APIC can be. Before interrupts are routed. The boot core.
std::optional<unsigned> mask_open_pins(PhysicalAddress io_apic);

// Masks the two legacy controllers, after moving their vectors away from the exceptions'.
void silence_legacy_controllers();

} // namespace mxk::arch::apic

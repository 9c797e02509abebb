// The multiple APIC description table (ACPI 6.5 section 5.2.12): which processors the machine has, and how interrupts
// reach them. Says what the firmware says; whether a listed processor starts is found out by starting it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/acpi/tables.hpp"

namespace mxk::acpi {

struct Processor {
    ApicId apic_id;
    std::uint32_t acpi_uid;
};

struct Processors {
    std::span<Processor const> enabled; // in the table's order, each APIC id once
    std::size_t listed = 0;             // records of any state; those that are not enabled are not to be started
};

// Empty without a MADT. Warns about several MADTs, a malformed one, and an APIC id that one record type enables twice;
// the same id in an APIC and an x2APIC record is customary. The only error is lack of memory. Boot core; does not
// block.
Result<Processors> processors(Tables const& tables, Arena& arena);

struct IoApic {
    std::uint32_t id;
    PhysicalAddress address;
    std::uint32_t first_interrupt; // global system interrupt of its input 0
};

// How a line signals. The ISA bus, to which "as the bus has it" refers, is active high and edge triggered.
struct Signal {
    bool active_low;
    bool level_triggered;
};

// An ISA interrupt that is not wired to the global system interrupt of the same number.
struct InterruptOverride {
    std::uint8_t isa_interrupt;
    std::uint32_t global_interrupt;
    Signal signal;
};

// An input of an I/O APIC that is to bring an NMI.
struct NmiSource {
    std::uint32_t global_interrupt;
    Signal signal;
};

struct LocalNmi {
    std::optional<std::uint32_t> acpi_uid; // none: every processor
    std::uint8_t input;                    // LINT 0 or 1 of its local APIC
    Signal signal;
};

// What an input of a processor's local APIC is for: the NMI, or nothing that matters here.
struct LocalInput {
    bool non_maskable = false;
    bool active_low = false;

    bool operator==(LocalInput const&) const = default;
};
using LocalInputs = std::array<LocalInput, 2>; // LINT0, LINT1

// The defaults are those of a PC whose firmware says nothing.
struct InterruptModel {
    PhysicalAddress local_apic{0xfee0'0000};
    bool has_legacy_pics = true; // two 8259, to be masked before the I/O APICs are used
    std::span<IoApic const> io_apics;
    std::span<InterruptOverride const> overrides;
    std::span<NmiSource const> nmi_sources;
    std::span<LocalNmi const> local_nmis;
};

// The inputs of the processor with this UID: those of its own records, else of those for every processor. Where no
// record is about it, LINT1 is the NMI, as the MultiProcessor Specification 1.4 (section 3.6.2.1) wires it. Any core.
LocalInputs local_inputs(InterruptModel const& model, std::uint32_t acpi_uid);

// The defaults without a MADT. Silent about a malformed one: processors() has spoken. The only error is lack of memory.
Result<InterruptModel> interrupt_model(Tables const& tables, Arena& arena);

} // namespace mxk::acpi

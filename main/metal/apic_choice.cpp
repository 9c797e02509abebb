#include "main/metal/apic_choice.hpp"

#include "arch/x86_64/apic/apic.hpp"
#include "base/log.hpp"
#include "kernel/acpi/dmar.hpp"

namespace mxk::metal {

void choose_apic(std::string_view word, acpi::Tables const& tables, acpi::InterruptModel const& interrupts) {
    using Wish = arch::apic::RequestedMode;
    bool const wants_x2apic = word == "x2apic";
    bool const wants_xapic = word == "xapic";
    if (!word.empty() && !wants_x2apic && !wants_xapic && word != "auto")
        log::warn("apic: expected x2apic, xapic or auto, got '{}'; going on as with auto", word);
    bool const avoids = wants_xapic || (!wants_x2apic && acpi::opts_out_of_x2apic(tables));
    arch::apic::choose_mode(interrupts.local_apic, avoids ? Wish::Xapic : Wish::X2apic);
    if (wants_x2apic && !arch::apic::is_x2apic())
        log::warn("apic=x2apic: expected a processor with an x2APIC (CPUID 1, ECX bit 21), this one has none: it stays "
                  "in xAPIC mode");
    if (wants_xapic && arch::apic::is_x2apic())
        log::warn(
            "apic=xapic: expected xAPIC mode from the firmware, it has switched on x2APIC mode, which only a reset "
            "ends (SDM vol. 3A 11.12.5): it stays");
}

} // namespace mxk::metal

#include "arch/x86_64/cpu/mitigations.hpp"

#include <string_view>

#include "arch/cpuid/signature.hpp"
#include "base/bits.hpp"
#include "base/format.hpp"

namespace mxk::arch {
namespace {

struct NamedBit {
    unsigned number;
    std::string_view name;
};

constexpr NamedBit controls[] = {{0, "IBRS"}, {1, "STIBP"}, {2, "SSBD"}, {7, "PSFD"}, {10, "BHI_DIS_S"}};

// "_NO" bits: the processor is not affected.
constexpr NamedBit immunities[] = {{0, "RDCL"},       {4, "SSB"},    {5, "MDS"},   {6, "IF_PSCHANGE_MC"}, {8, "TAA"},
                                   {13, "SBDR_SSDP"}, {14, "FBSDP"}, {15, "PSDP"}, {26, "GDS"},           {27, "RFDS"}};

// SDM vol. 2A, CPUID leaf 7; AMD APM vol. 3, leaf 8000'0008h.
std::uint64_t offered_controls(AskCpuid ask) {
    std::uint64_t offered = 0;
    auto const add = [&](bool has, unsigned control) { offered |= has ? std::uint64_t{1} << control : 0; };
    if (ask(0, 0).eax >= 7) {
        CpuidResult const features = ask(7, 0);
        add(has_bit(features.edx, 26), 0);
        add(has_bit(features.edx, 27), 1);
        add(has_bit(features.edx, 31), 2);
        if (features.eax >= 2) {
            CpuidResult const more = ask(7, 2);
            add(has_bit(more.edx, 0), 7);
            add(has_bit(more.edx, 4), 10);
        }
    }
    if (ask(0x8000'0000, 0).eax >= 0x8000'0008) {
        CpuidResult const extended = ask(0x8000'0008, 0);
        add(has_bit(extended.ebx, 14), 0);
        add(has_bit(extended.ebx, 15), 1);
        add(has_bit(extended.ebx, 24), 2);
        add(has_bit(extended.ebx, 28), 7);
    }
    return offered;
}

} // namespace

Mitigations read_mitigations(AskCpuid ask, ReadMsr read) {
    Mitigations result;
    if (auto const revision = read(msr::microcode))
        result.microcode = static_cast<std::uint32_t>(is_intel(ask(0, 0)) ? *revision >> 32 : *revision);
    result.offered = offered_controls(ask);
    if (result.offered != 0) result.on = read(msr::spec_ctrl).value_or(0) & result.offered;
    bool const has_capabilities = ask(0, 0).eax >= 7 && has_bit(ask(7, 0).edx, 29);
    if (has_capabilities) result.capabilities = read(msr::arch_capabilities).value_or(0);
    return result;
}

void print_mitigations(TextSink& out, Mitigations const& mitigations) {
    if (mitigations.offered == 0) out.write("no controls");
    std::string_view separator;
    for (NamedBit const& control : controls) {
        if (!has_bit(mitigations.offered, control.number)) continue;
        format(out, "{}{} {}", separator, control.name, has_bit(mitigations.on, control.number) ? "on" : "off");
        separator = ", ";
    }
    separator = "; not affected by ";
    for (NamedBit const& immunity : immunities) {
        if (!has_bit(mitigations.capabilities, immunity.number)) continue;
        format(out, "{}{}", separator, immunity.name);
        separator = ", ";
    }
}

} // namespace mxk::arch

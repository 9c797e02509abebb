#include "arch/x86_64/cpu/cpu_features.hpp"

#include <algorithm>
#include <array>

#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "base/bits.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "base/spin_wait.hpp"

namespace mxk::arch {
namespace {

constinit CpuFeatures detected{};
constinit std::array<char, 48> brand{};
constinit std::array<char, 12> hypervisor_name{};

template <std::size_t Size> void put(std::array<char, Size>& text, std::size_t at, std::uint32_t word) {
    for (unsigned i = 0; i < 4; ++i) text[at + i] = static_cast<char>(word >> (8 * i));
}

template <std::size_t Size> std::string_view trimmed(std::array<char, Size> const& text) {
    auto const* const end = std::find(text.begin(), text.end(), '\0');
    std::string_view view(text.data(), static_cast<std::size_t>(end - text.begin()));
    while (view.starts_with(' ')) view.remove_prefix(1);
    while (view.ends_with(' ')) view.remove_suffix(1);
    return view;
}

// XCR0's bits that the processor offers (leaf 0Dh).
std::uint64_t offered_states() {
    CpuidResult const states = cpuid(0xd);
    return static_cast<std::uint64_t>(states.edx) << 32 | states.eax;
}

// Of them, those that threads may use: x87, SSE, AVX and, all or none, the three of AVX-512 (SDM vol. 1 section 13.1).
std::uint64_t saved_states() {
    constexpr std::uint64_t up_to_avx = 0x07;
    constexpr std::uint64_t avx512 = 0xe0;
    return (offered_states() & avx512) == avx512 ? up_to_avx | avx512 : up_to_avx;
}

} // namespace

void detect_features() { // leaves: SDM vol. 2A, CPUID
    std::uint32_t const highest = cpuid(0).eax;
    std::uint32_t const highest_extended = cpuid(0x8000'0000).eax;
    CpuidResult const basic = cpuid(1);
    detected.global_pages = has_bit(basic.edx, 13);
    detected.machine_check = has_bit(basic.edx, 7);
    detected.machine_check_banks = detected.machine_check && has_bit(basic.edx, 14);
    detected.pcid = has_bit(basic.ecx, 17) && detected.global_pages;
    detected.x2apic = has_bit(basic.ecx, 21);
    detected.tsc_deadline = has_bit(basic.ecx, 24);
    detected.xsave = has_bit(basic.ecx, 26) && highest >= 0xd;
    if (detected.xsave) vector_states = offered_states() & saved_states();
    detected.hypervisor = has_bit(basic.ecx, 31);
    processors_may_be_taken = detected.hypervisor;
    if (highest >= 7) {
        CpuidResult const structured = cpuid(7);
        detected.tsc_adjust = has_bit(structured.ebx, 1);
        detected.smep = has_bit(structured.ebx, 7);
        detected.smap = has_bit(structured.ebx, 20);
        detected.invpcid = has_bit(structured.ebx, 10);
        constexpr std::uint64_t avx_states = 0x06;
        bool const has_vectors = has_bit(structured.ebx, 5) && (vector_states & avx_states) == avx_states;
        detected.avx2 =
            has_vectors && has_bit(structured.ebx, 3) && has_bit(structured.ebx, 8) && has_bit(basic.ecx, 23);
    }
    if (highest_extended >= 0x8000'0001) {
        CpuidResult const extended = cpuid(0x8000'0001);
        detected.no_execute = has_bit(extended.edx, 20);
        detected.gigabyte_pages = has_bit(extended.edx, 26);
        detected.avx2 = detected.avx2 && has_bit(extended.ecx, 5);
    }
    if (highest_extended >= 0x8000'0007) detected.invariant_tsc = has_bit(cpuid(0x8000'0007).edx, 8);
    if (highest_extended >= 0x8000'0008) detected.address_bits = cpuid(0x8000'0008).eax & 0xff;
    if (highest_extended >= 0x8000'0004) {
        for (unsigned leaf = 0; leaf < 3; ++leaf) {
            CpuidResult const part = cpuid(0x8000'0002 + leaf);
            std::uint32_t const words[] = {part.eax, part.ebx, part.ecx, part.edx};
            for (unsigned i = 0; i < 4; ++i) put(brand, leaf * 16 + i * 4, words[i]);
        }
        detected.brand = trimmed(brand);
    }
    if (detected.hypervisor) {
        CpuidResult const vendor = cpuid(0x4000'0000);
        put(hypervisor_name, 0, vendor.ebx);
        put(hypervisor_name, 4, vendor.ecx);
        put(hypervisor_name, 8, vendor.edx);
        detected.hypervisor_name = trimmed(hypervisor_name);
    }
}

void warn_of_missing_features() {
    if (detected.hypervisor) return;
    FixedText<100> missing;
    auto const note = [&](bool is_there, std::string_view name) {
        if (!is_there) format(missing, "{}{}", missing.view().empty() ? "" : ", ", name);
    };
    note(detected.no_execute, "NX");
    note(detected.smep, "SMEP");
    note(detected.smap, "SMAP");
    note(detected.invariant_tsc, "an invariant TSC");
    if (!missing.view().empty())
        log::warn("cpu: expected {}, which this processor lacks or the firmware has switched off", missing.view());
}

CpuFeatures const& features() {
    return detected;
}

void enable_features() {
    std::uint64_t cr4 = read_cr4();
    if (detected.global_pages) cr4 |= std::uint64_t{1} << 7;
    if (detected.pcid) cr4 |= std::uint64_t{1} << 17;
    if (detected.smep) cr4 |= std::uint64_t{1} << 20;
    if (detected.smap) cr4 |= std::uint64_t{1} << 21;
    if (detected.xsave) cr4 |= std::uint64_t{1} << 18;
    write_cr4(cr4);
    if (detected.xsave) write_xcr0(vector_states);
}

} // namespace mxk::arch

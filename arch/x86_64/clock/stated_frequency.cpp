#include "arch/x86_64/clock/stated_frequency.hpp"

#include <algorithm>

namespace mxk::arch {
namespace {

constexpr std::uint32_t first_leaf = 0x4000'0000; // of a hypervisor

// The three registers that hold a hypervisor's name.
struct Name {
    std::uint32_t ebx, ecx, edx;
    bool operator==(Name const&) const = default;
};
constexpr Name kvm_name{0x4b4d'564b, 0x564b'4d56, 0x4d}; // "KVMKVMKVM"

// Its name stands behind those of others that it plays, too. 0: it is none.
std::uint32_t kvm_leaf(AskCpuid ask) {
    constexpr std::uint32_t last = first_leaf + 0x1000;
    for (std::uint32_t leaf = first_leaf; leaf < last; leaf += 0x100) {
        CpuidResult const found = ask(leaf, 0);
        if (Name{found.ebx, found.ecx, found.edx} == kvm_name) return leaf;
    }
    return 0;
}

// The ticks of a second by which nanoseconds are made of ticks; 0: none.
std::uint64_t hertz_of(std::uint32_t multiplier, int shift) {
    constexpr std::uint64_t second = 1'000'000'000;
    constexpr int max_shift = 31;
    if (multiplier == 0 || shift < -max_shift || shift > max_shift) return 0;
    // (ticks << shift) * multiplier >> 32 are the nanoseconds.
    std::uint64_t const scaled = (second << 32) / multiplier;
    return shift >= 0 ? scaled >> shift : scaled << -shift;
}

std::uint64_t kvm_hertz(FrequencyAnswers const& answers) {
    std::uint32_t const leaf = kvm_leaf(answers.ask);
    if (leaf == 0) return 0;
    constexpr std::uint32_t has_old_register = 1 << 0;
    constexpr std::uint32_t has_register = 1 << 3;
    std::uint32_t const features = answers.ask(leaf + 1, 0).eax;
    std::uint32_t const number = (features & has_register) != 0       ? 0x4b56'4d01
                                 : (features & has_old_register) != 0 ? 0x12
                                                                      : 0;
    constexpr std::uint64_t enabled = 1;
    if (number == 0 || !answers.write(number, answers.kvm_clock_address | enabled)) return 0;
    std::uint64_t hertz = 0;
    constexpr int tries = 1000; // it is written at once, and whole between two even versions
    for (int i = 0; i < tries; ++i) {
        std::uint32_t const before = answers.kvm_clock->version;
        hertz = hertz_of(answers.kvm_clock->multiplier, answers.kvm_clock->shift);
        if (before != 0 && before % 2 == 0 && before == answers.kvm_clock->version) break;
        hertz = 0;
    }
    answers.write(number, 0);
    return hertz;
}

std::uint64_t hyper_v_hertz(FrequencyAnswers const& answers) {
    constexpr std::uint32_t interface = 0x3123'7648;        // "Hv#1"
    constexpr std::uint32_t may_read_frequencies = 1 << 11; // eax of the leaf of features
    constexpr std::uint32_t has_frequencies = 1 << 8;       // edx
    constexpr std::uint32_t tsc_frequency = 0x4000'0022;
    if (answers.ask(first_leaf + 1, 0).eax != interface || answers.ask(first_leaf, 0).eax < first_leaf + 3) return 0;
    CpuidResult const features = answers.ask(first_leaf + 3, 0);
    if ((features.eax & may_read_frequencies) == 0 || (features.edx & has_frequencies) == 0) return 0;
    return answers.read(tsc_frequency).value_or(0);
}

bool is_invariant(AskCpuid ask) {
    constexpr std::uint32_t leaf = 0x8000'0007;
    return ask(0x8000'0000, 0).eax >= leaf && (ask(leaf, 0).edx & 1U << 8) != 0;
}

std::optional<TscFrequency> stated_by_hypervisor(FrequencyAnswers const& answers) {
    bool const is_there = (answers.ask(1, 0).ecx & 1U << 31) != 0;
    if (!is_there) return std::nullopt;
    std::uint32_t const last = answers.ask(first_leaf, 0).eax;
    if (last >= first_leaf + 0x10 && last < first_leaf + 0x100)
        if (std::uint64_t const kilohertz = answers.ask(first_leaf + 0x10, 0).eax; kilohertz != 0)
            return TscFrequency{kilohertz * 1000, "hypervisor"};
    if (std::uint64_t const hertz = hyper_v_hertz(answers); hertz != 0) return TscFrequency{hertz, "Hyper-V"};
    if (std::uint64_t const hertz = kvm_hertz(answers); hertz != 0) return TscFrequency{hertz, "kvm-clock"};
    return std::nullopt;
}

} // namespace

// Only leaf 15h is about the counter; 16h is for information, and a nominal frequency (SDM vol. 2A), which is the
// counter's only if the counter is invariant.
std::optional<TscFrequency> stated_tsc_frequency(FrequencyAnswers const& answers) {
    std::uint32_t const highest = answers.ask(0, 0).eax;
    if (highest >= 0x15) {
        CpuidResult const crystal = answers.ask(0x15, 0); // eax: denominator, ebx: numerator, ecx: crystal in Hz
        if (crystal.eax != 0 && crystal.ebx != 0 && crystal.ecx != 0)
            return TscFrequency{static_cast<std::uint64_t>(crystal.ecx) * crystal.ebx / crystal.eax, "CPUID 15h"};
    }
    if (auto const stated = stated_by_hypervisor(answers)) return stated;
    if (highest >= 0x16 && is_invariant(answers.ask))
        if (std::uint64_t const megahertz = answers.ask(0x16, 0).eax & 0xffff; megahertz != 0)
            return TscFrequency{megahertz * 1'000'000, "CPUID 16h"};
    return std::nullopt;
}

} // namespace mxk::arch

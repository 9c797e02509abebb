#include "arch/x86_64/cpu/counter_registers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "arch/cpuid/signature.hpp"
#include "base/bits.hpp"

namespace mxk::arch {
namespace {

// From Nehalem on, but for the first Atoms and the last Core 2.
bool has_smi_count(Signature const& signature) {
    constexpr unsigned nehalem = 0x1a;
    constexpr std::array without = {0x1cU, 0x1dU, 0x26U, 0x27U, 0x35U, 0x36U};
    return signature.family == 6 && signature.model >= nehalem &&
           std::find(without.begin(), without.end(), signature.model) == without.end();
}

// Each reason has a bit for "now", and the next one for "since it was cleared".
std::uint32_t reasons_of(std::uint64_t status, CounterRegisters const& registers, bool is_package) {
    struct Reason {
        unsigned now;
        Throttling what;
        bool counts;
    };
    Reason const reasons[] = {{0, Throttling::Thermal, true},
                              {2, Throttling::External, true},
                              {4, Throttling::Critical, true},
                              {10, Throttling::PowerLimit, is_package || registers.power_limit},
                              {12, Throttling::CurrentLimit, !is_package && registers.other_limits},
                              {14, Throttling::OtherDomain, !is_package && registers.other_limits}};
    std::uint32_t found = 0;
    for (Reason const& reason : reasons)
        if (reason.counts && (status >> reason.now & 3) != 0) found |= bit_of(reason.what);
    return found;
}

} // namespace

bool has_six_event_counters(AskCpuid ask) {
    constexpr unsigned six_counters = 23; // of leaf 8000'0001h, ECX
    return is_amd(ask(0, 0)) && ask(0x8000'0000, 0).eax >= 0x8000'0001 &&
           has_bit(ask(0x8000'0001, 0).ecx, six_counters);
}

CounterRegisters counter_registers(AskCpuid ask) {
    CounterRegisters result;
    CpuidResult const leaf0 = ask(0, 0);
    CpuidResult const leaf1 = ask(1, 0);
    Signature const signature = signature_of(leaf1.eax);
    result.smi_count = is_intel(leaf0) && has_smi_count(signature);
    constexpr unsigned zen = 0x17;
    result.amd_events = signature.family >= zen && has_six_event_counters(ask);
    if (leaf0.eax < 6) return result;
    CpuidResult const power = ask(6, 0);
    constexpr unsigned acpi = 22; // of leaf 1, EDX: IA32_THERM_STATUS is there (SDM vol. 3B section 14.8.4.2)
    result.frequency = has_bit(power.ecx, 0);
    result.thermal_status = is_intel(leaf0) && has_bit(leaf1.edx, acpi);
    result.power_limit = has_bit(power.eax, 4);
    result.package_status = has_bit(power.eax, 6);
    result.other_limits = has_bit(power.eax, 7);
    return result;
}

CoreCounters read_counters(CounterRegisters const& registers, ReadMsr read) {
    CoreCounters result;
    if (registers.smi_count)
        result.smis = read(msr::smi_count);
    else if (registers.amd_events && read(msr::amd_event_select) == amd_smi_event)
        result.smis = read(msr::amd_event_count);
    if (registers.frequency) {
        auto const reference = read(msr::mperf); // the two together, as section 14.2 has it
        auto const actual = read(msr::aperf);
        if (reference && actual) {
            result.actual = actual;
            result.reference = *reference;
        }
    }
    auto const add = [&](std::uint32_t number, bool is_package) {
        auto const status = read(number);
        if (status) result.throttled = result.throttled.value_or(0) | reasons_of(*status, registers, is_package);
    };
    if (registers.thermal_status) add(msr::thermal_status, false);
    if (registers.package_status) add(msr::package_thermal_status, true);
    return result;
}

} // namespace mxk::arch

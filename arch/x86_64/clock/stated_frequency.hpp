// What the processor and a hypervisor say of the time-stamp counter's frequency: CPUID 15h and 16h (SDM vol. 3B section
// 18.7.3), a hypervisor's leaf 40000010h (VMware's, which others have taken over), Hyper-V's register (Hypervisor
// Top-Level Functional Specification, 12.2) and KVM's clock (Documentation/virt/kvm/x86/{cpuid,msr}.rst). Pure: tests
// make up the answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "arch/cpuid/cpuid.hpp"
#include "arch/x86_64/cpu/counter_registers.hpp"

namespace mxk::arch {

struct TscFrequency {
    std::uint64_t hertz;
    std::string_view source;
};

// What KVM writes for a processor, where it is told to.
struct alignas(64) KvmClock {
    std::uint32_t version = 0; // odd: it is being written; 0: never was
    std::uint32_t reserved = 0;
    std::uint64_t time_stamp = 0;
    std::uint64_t nanoseconds = 0; // at that
    std::uint32_t multiplier = 0;  // nanoseconds of 2^32 ticks, once these are shifted
    std::int8_t shift = 0;         // to the left
    std::uint8_t flags = 0;
};

struct FrequencyAnswers {
    AskCpuid ask;
    ReadMsr read;
    bool (*write)(std::uint32_t number, std::uint64_t value);
    KvmClock const volatile* kvm_clock; // lies at this physical address
    std::uint64_t kvm_clock_address;
};

// Nothing: nobody says. KVM's clock does not run any more when this returns.
std::optional<TscFrequency> stated_tsc_frequency(FrequencyAnswers const& answers);

} // namespace mxk::arch

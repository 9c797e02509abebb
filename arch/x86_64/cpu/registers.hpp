// The instructions that C++ has no words for: ports, model-specific and control registers, CPUID (SDM vol. 2).
#pragma once

#include <array>
#include <cstdint>

#include "arch/cpuid/cpuid.hpp"

namespace mxk::arch {

inline std::uint8_t in8(std::uint16_t port) {
    std::uint8_t value; // NOLINT(cppcoreguidelines-init-variables)
    asm volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}
inline std::uint16_t in16(std::uint16_t port) {
    std::uint16_t value; // NOLINT(cppcoreguidelines-init-variables)
    asm volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}
inline std::uint32_t in32(std::uint16_t port) {
    std::uint32_t value; // NOLINT(cppcoreguidelines-init-variables)
    asm volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}
inline void out8(std::uint16_t port, std::uint8_t value) {
    asm volatile("outb %0, %1" ::"a"(value), "Nd"(port));
}
inline void out16(std::uint16_t port, std::uint16_t value) {
    asm volatile("outw %0, %1" ::"a"(value), "Nd"(port));
}
inline void out32(std::uint16_t port, std::uint32_t value) {
    asm volatile("outl %0, %1" ::"a"(value), "Nd"(port));
}

inline std::uint64_t read_msr(std::uint32_t number) {
    std::uint32_t low, high; // NOLINT(cppcoreguidelines-init-variables)
    asm volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
    return static_cast<std::uint64_t>(high) << 32 | low;
}
inline void write_msr(std::uint32_t number, std::uint64_t value) {
    asm volatile("wrmsr" ::"c"(number), "a"(static_cast<std::uint32_t>(value)),
                 "d"(static_cast<std::uint32_t>(value >> 32))
                 : "memory");
}

inline std::uint64_t read_cr2() {
    std::uint64_t value; // NOLINT(cppcoreguidelines-init-variables)
    asm volatile("mov %%cr2, %0" : "=r"(value));
    return value;
}
inline std::uint64_t read_cr3() {
    std::uint64_t value; // NOLINT(cppcoreguidelines-init-variables)
    asm volatile("mov %%cr3, %0" : "=r"(value));
    return value;
}
inline void write_cr3(std::uint64_t value) {
    asm volatile("mov %0, %%cr3" ::"r"(value) : "memory");
}
inline std::uint64_t read_cr4() {
    std::uint64_t value; // NOLINT(cppcoreguidelines-init-variables)
    asm volatile("mov %%cr4, %0" : "=r"(value));
    return value;
}
inline void write_cr4(std::uint64_t value) {
    asm volatile("mov %0, %%cr4" ::"r"(value) : "memory");
}

inline std::uint64_t read_xcr0() {
    std::uint32_t low, high; // NOLINT(cppcoreguidelines-init-variables)
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return static_cast<std::uint64_t>(high) << 32 | low;
}
inline void write_xcr0(std::uint64_t value) {
    asm volatile("xsetbv" ::"c"(0), "a"(static_cast<std::uint32_t>(value)), "d"(static_cast<std::uint32_t>(value >> 32))
                 : "memory");
}

inline void disable_interrupts() {
    asm volatile("cli" ::: "memory");
}
inline void enable_interrupts() {
    asm volatile("sti" ::: "memory");
}

// No interrupt comes while it lives; afterwards as before.
class InterruptsOff {
  public:
    InterruptsOff() {
        asm volatile("pushfq; popq %0" : "=r"(flags_) : : "memory");
        disable_interrupts();
    }
    ~InterruptsOff() {
        constexpr std::uint64_t interrupt_flag = 1U << 9U; // SDM vol. 1 section 3.4.3
        if ((flags_ & interrupt_flag) != 0) enable_interrupts();
    }
    InterruptsOff(InterruptsOff const&) = delete;
    InterruptsOff& operator=(InterruptsOff const&) = delete;

  private:
    std::uint64_t flags_ = 0;
};

namespace msr {
constexpr std::uint32_t apic_base = 0x1b;
constexpr std::uint32_t x2apic_first = 0x800; // register at xAPIC offset o: 0x800 + o / 16
constexpr std::uint32_t tsc_deadline = 0x6e0;
constexpr std::uint32_t gs_base = 0xc000'0101;
constexpr std::uint32_t efer = 0xc000'0080;
constexpr std::uint32_t mcg_cap = 0x179; // machine checks, all banks together: SDM vol. 3B section 15.3.1
constexpr std::uint32_t mcg_status = 0x17a;
constexpr std::uint32_t mcg_control = 0x17b;
} // namespace msr

} // namespace mxk::arch

#include "arch/x86_64/exceptions/fixup.hpp"

namespace mxk::arch {

// Each may fault at 1: and goes on at 2: with the result as it was before.
#define MXK_MAY_FAULT(instruction)                                                                                     \
    "1: " instruction "\n"                                                                                             \
    "   movb $1, %0\n"                                                                                                 \
    "2:\n"                                                                                                             \
    ".pushsection mxk_fixups, \"a\"\n"                                                                                 \
    ".quad 1b, 2b\n"                                                                                                   \
    ".popsection\n"

bool can_read(std::uint64_t address) {
    bool done = false;
    asm volatile(MXK_MAY_FAULT("movb (%1), %%al") : "+m"(done) : "r"(address) : "rax", "memory");
    return done;
}

bool can_write(std::uint64_t address) {
    bool done = false;
    asm volatile(MXK_MAY_FAULT("lock orb $0, (%1)") : "+m"(done) : "r"(address) : "memory");
    return done;
}

std::optional<std::uint64_t> try_read(std::uint64_t address) {
    bool done = false;
    std::uint64_t word = 0;
    asm volatile(MXK_MAY_FAULT("movq (%2), %1") : "+m"(done), "+r"(word) : "r"(address) : "memory");
    if (!done) return std::nullopt;
    return word;
}

bool try_write(std::uint64_t address, std::uint64_t value) {
    bool done = false;
    asm volatile(MXK_MAY_FAULT("movq %2, (%1)") : "+m"(done) : "r"(address), "r"(value) : "memory");
    return done;
}

std::optional<std::uint64_t> try_read_msr(std::uint32_t number) {
    bool done = false;
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile(MXK_MAY_FAULT("rdmsr") : "+m"(done), "+a"(low), "+d"(high) : "c"(number));
    if (!done) return std::nullopt;
    return static_cast<std::uint64_t>(high) << 32 | low;
}

bool try_write_msr(std::uint32_t number, std::uint64_t value) {
    bool done = false;
    asm volatile(MXK_MAY_FAULT("wrmsr")
                 : "+m"(done)
                 : "c"(number), "a"(static_cast<std::uint32_t>(value)), "d"(static_cast<std::uint32_t>(value >> 32))
                 : "memory");
    return done;
}

} // namespace mxk::arch

// An instruction as the core model sees it: which registers it reads and writes, how long it computes, what is special.
// Made once per translated instruction (tools/simulator/decode), executed many times.
#pragma once

#include <array>
#include <cstdint>

namespace mxk::simulator {

enum class Class : std::uint8_t {
    Plain, // computes; may have loads and stores, too (`add rax, [rbx]`, `push`)
    Load,
    Store,
    Branch, // jumps, calls and returns that are always taken
    ConditionalBranch,
    Locked,
    Fence,      // mfence: waits for loads and stores
    LoadFence,  // lfence: nothing younger begins before all older ones are done
    StoreFence, // sfence
    Pause,
    Halt,
    Mwait,
    Rdtsc,
    SerialIo,    // in and out
    Serialising, // cpuid, wrmsr, iret ...
    Prefetch,
    RepString,
};

/// A set of registers: bits 0-15 rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8-r15 (as machine code numbers them), 16-47
/// zmm0-31, 48 flags, 49-56 k0-7, 57 x87 and MMX.
using Registers = std::uint64_t;
constexpr unsigned register_count = 64;
constexpr unsigned first_vector_register = 16;
constexpr unsigned flags_register = 48;
constexpr unsigned first_mask_register = 49;
constexpr unsigned x87_register = 57;
constexpr Registers register_bit(unsigned number) {
    return Registers{1} << number;
}

enum class Hint : std::uint8_t { None, L1, L2, NonTemporal, ForWrite };

/// segment:[base + index * scale + displacement]. For prefetches, of which an emulator reports no address.
struct MemoryOperand {
    static constexpr std::uint8_t none = 0xff;
    enum class Segment : std::uint8_t { Flat, Fs, Gs };

    std::int64_t displacement = 0; // relative to the instruction pointer: the address itself, base none
    std::uint8_t base = none;      // 0-15
    std::uint8_t index = none;     // 0-15
    std::uint8_t scale = 1;
    std::uint8_t bytes = 0;
    Segment segment = Segment::Flat;

    /// values: of the 16 general registers; segment_base: of `segment` if that is not flat.
    std::uint64_t address(std::array<std::uint64_t, 16> const& values, std::uint64_t segment_base = 0) const {
        std::uint64_t sum = static_cast<std::uint64_t>(displacement) + segment_base;
        if (base != none) sum += values[base];
        if (index != none) sum += values[index] * scale;
        return sum;
    }
};

struct Instruction {
    std::uint64_t address = 0;
    Registers sources = 0; // of the computation
    Registers destinations = 0;
    Registers address_registers = 0;  // of the memory operand: a load may begin when they are known
    std::uint16_t latency_cycles = 1; // of the computation, from the last of its sources (a load included)
    std::uint8_t length = 0;          // bytes
    Class type = Class::Plain;
    Hint hint = Hint::None; // of Class::Prefetch
    bool loads = false;     // what it does to memory, by its operands; an execution's accesses say it exactly
    bool stores = false;
    MemoryOperand memory{}; // where it loads or stores explicitly, or prefetches
};

} // namespace mxk::simulator

#include "tools/simulator/decode/classes.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "tools/simulator/decode/by_instruction.hpp"

namespace mxk::simulator {
namespace {

bool writes_control_register(cs_insn const& found) {
    cs_x86_op const& first = found.detail->x86.operands[0];
    bool const is_control = first.type == X86_OP_REG && ((first.reg >= X86_REG_CR0 && first.reg <= X86_REG_CR15) ||
                                                         (first.reg >= X86_REG_DR0 && first.reg <= X86_REG_DR15));
    return found.id == X86_INS_MOV && is_control;
}

constexpr auto hints = by_instruction(Hint::None, {{Hint::L1, {X86_INS_PREFETCHT0, X86_INS_PREFETCH}},
                                                   {Hint::L2, {X86_INS_PREFETCHT1, X86_INS_PREFETCHT2}},
                                                   {Hint::NonTemporal, {X86_INS_PREFETCHNTA}},
                                                   {Hint::ForWrite, {X86_INS_PREFETCHW}}});

constexpr auto classes = by_instruction(
    Class::Plain,
    {{Class::Fence, {X86_INS_MFENCE}},
     {Class::LoadFence, {X86_INS_LFENCE}},
     {Class::StoreFence, {X86_INS_SFENCE}},
     {Class::Pause, {X86_INS_PAUSE}},
     {Class::Halt, {X86_INS_HLT}},
     {Class::Mwait, {X86_INS_MWAIT}},
     {Class::Rdtsc, {X86_INS_RDTSC, X86_INS_RDTSCP}},
     {Class::SerialIo,
      {X86_INS_IN, X86_INS_OUT, X86_INS_INSB, X86_INS_INSW, X86_INS_INSD, X86_INS_OUTSB, X86_INS_OUTSW, X86_INS_OUTSD}},
     {Class::Serialising,
      {X86_INS_CPUID, X86_INS_WRMSR, X86_INS_IRET, X86_INS_IRETD, X86_INS_IRETQ, X86_INS_INVLPG, X86_INS_INVPCID,
       X86_INS_WBINVD, X86_INS_LGDT, X86_INS_LIDT, X86_INS_LTR, X86_INS_LLDT, X86_INS_XSETBV}},
     {Class::Prefetch,
      {X86_INS_PREFETCH, X86_INS_PREFETCHW, X86_INS_PREFETCHNTA, X86_INS_PREFETCHT0, X86_INS_PREFETCHT1,
       X86_INS_PREFETCHT2}}});

constexpr auto is_string = by_instruction(
    false, {{true,
             {X86_INS_MOVSB, X86_INS_MOVSW, X86_INS_MOVSQ, X86_INS_STOSB, X86_INS_STOSW, X86_INS_STOSD, X86_INS_STOSQ,
              X86_INS_CMPSB, X86_INS_CMPSW, X86_INS_CMPSQ, X86_INS_SCASB, X86_INS_SCASW, X86_INS_SCASD, X86_INS_SCASQ,
              X86_INS_LODSB, X86_INS_LODSW, X86_INS_LODSD, X86_INS_LODSQ}}});
// Or of vector registers.
constexpr auto may_be_string = by_instruction(false, {{true, {X86_INS_MOVSD, X86_INS_CMPSD}}});

} // namespace

bool in_group(cs_insn const& found, unsigned group) {
    std::span<std::uint8_t const> const groups(found.detail->groups, found.detail->groups_count);
    return std::ranges::any_of(groups, [group](std::uint8_t one) { return one == group; });
}

Hint hint_of(unsigned instruction) {
    return hints[instruction];
}

Class class_of(unsigned instruction) {
    return classes[instruction];
}

Class class_of(cs_insn const& found, Instruction const& instruction) {
    if (writes_control_register(found)) return Class::Serialising;
    cs_x86 const& x86 = found.detail->x86;
    Class const known = class_of(found.id);
    if (known != Class::Plain) return known;
    bool const exchanges_memory = found.id == X86_INS_XCHG && instruction.stores;
    if (x86.prefix[0] == X86_PREFIX_LOCK || exchanges_memory) return Class::Locked;
    bool const repeated = x86.prefix[0] == X86_PREFIX_REP || x86.prefix[0] == X86_PREFIX_REPNE;
    bool const moves = is_string[found.id] || (may_be_string[found.id] && instruction.loads && instruction.stores);
    if (moves) return repeated ? Class::RepString : Class::Plain;
    if (in_group(found, X86_GRP_JUMP) || in_group(found, X86_GRP_CALL) || in_group(found, X86_GRP_RET)) {
        bool const reads_flags = (instruction.sources & register_bit(flags_register)) != 0;
        bool const counts = found.id == X86_INS_LOOP || found.id == X86_INS_LOOPE || found.id == X86_INS_LOOPNE ||
                            found.id == X86_INS_JRCXZ || found.id == X86_INS_JECXZ;
        return reads_flags || counts ? Class::ConditionalBranch : Class::Branch;
    }
    return Class::Plain;
}

} // namespace mxk::simulator

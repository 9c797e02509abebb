#include "tools/simulator/decode/classes.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include <capstone/capstone.h>

namespace mxk::simulator {
namespace {

bool writes_control_register(cs_insn const& found) {
    cs_x86_op const& first = found.detail->x86.operands[0];
    bool const is_control = first.type == X86_OP_REG && ((first.reg >= X86_REG_CR0 && first.reg <= X86_REG_CR15) ||
                                                         (first.reg >= X86_REG_DR0 && first.reg <= X86_REG_DR15));
    return found.id == X86_INS_MOV && is_control;
}

} // namespace

bool in_group(cs_insn const& found, unsigned group) {
    std::span<std::uint8_t const> const groups(found.detail->groups, found.detail->groups_count);
    return std::ranges::any_of(groups, [group](std::uint8_t one) { return one == group; });
}

Hint hint_of(unsigned instruction) {
    switch (instruction) {
    case X86_INS_PREFETCHT0:
    case X86_INS_PREFETCH: return Hint::L1;
    case X86_INS_PREFETCHT1:
    case X86_INS_PREFETCHT2: return Hint::L2;
    case X86_INS_PREFETCHNTA: return Hint::NonTemporal;
    case X86_INS_PREFETCHW: return Hint::ForWrite;
    default: return Hint::None;
    }
}

Class class_of(unsigned instruction) {
    switch (instruction) {
    case X86_INS_MFENCE: return Class::Fence;
    case X86_INS_LFENCE: return Class::LoadFence;
    case X86_INS_SFENCE: return Class::StoreFence;
    case X86_INS_PAUSE: return Class::Pause;
    case X86_INS_HLT: return Class::Halt;
    case X86_INS_MWAIT: return Class::Mwait;
    case X86_INS_RDTSC:
    case X86_INS_RDTSCP: return Class::Rdtsc;
    case X86_INS_IN:
    case X86_INS_OUT:
    case X86_INS_INSB:
    case X86_INS_INSW:
    case X86_INS_INSD:
    case X86_INS_OUTSB:
    case X86_INS_OUTSW:
    case X86_INS_OUTSD: return Class::SerialIo;
    case X86_INS_CPUID:
    case X86_INS_WRMSR:
    case X86_INS_IRET:
    case X86_INS_IRETD:
    case X86_INS_IRETQ:
    case X86_INS_INVLPG:
    case X86_INS_INVPCID:
    case X86_INS_WBINVD:
    case X86_INS_LGDT:
    case X86_INS_LIDT:
    case X86_INS_LTR:
    case X86_INS_LLDT:
    case X86_INS_XSETBV: return Class::Serialising;
    case X86_INS_PREFETCH:
    case X86_INS_PREFETCHW:
    case X86_INS_PREFETCHNTA:
    case X86_INS_PREFETCHT0:
    case X86_INS_PREFETCHT1:
    case X86_INS_PREFETCHT2: return Class::Prefetch;
    default: return Class::Plain;
    }
}

Class class_of(cs_insn const& found, Instruction const& instruction) {
    if (writes_control_register(found)) return Class::Serialising;
    cs_x86 const& x86 = found.detail->x86;
    Class const known = class_of(found.id);
    if (known != Class::Plain) return known;
    bool const exchanges_memory = found.id == X86_INS_XCHG && instruction.stores;
    if (x86.prefix[0] == X86_PREFIX_LOCK || exchanges_memory) return Class::Locked;
    bool const repeated = x86.prefix[0] == X86_PREFIX_REP || x86.prefix[0] == X86_PREFIX_REPNE;
    switch (found.id) {
    case X86_INS_MOVSB:
    case X86_INS_MOVSW:
    case X86_INS_MOVSQ:
    case X86_INS_STOSB:
    case X86_INS_STOSW:
    case X86_INS_STOSD:
    case X86_INS_STOSQ:
    case X86_INS_CMPSB:
    case X86_INS_CMPSW:
    case X86_INS_CMPSQ:
    case X86_INS_SCASB:
    case X86_INS_SCASW:
    case X86_INS_SCASD:
    case X86_INS_SCASQ:
    case X86_INS_LODSB:
    case X86_INS_LODSW:
    case X86_INS_LODSD:
    case X86_INS_LODSQ: return repeated ? Class::RepString : Class::Plain;
    case X86_INS_MOVSD:
    case X86_INS_CMPSD: return repeated && instruction.loads && instruction.stores ? Class::RepString : Class::Plain;
    default: break;
    }
    if (in_group(found, X86_GRP_JUMP) || in_group(found, X86_GRP_CALL) || in_group(found, X86_GRP_RET)) {
        bool const reads_flags = (instruction.sources & register_bit(flags_register)) != 0;
        bool const counts = found.id == X86_INS_LOOP || found.id == X86_INS_LOOPE || found.id == X86_INS_LOOPNE ||
                            found.id == X86_INS_JRCXZ || found.id == X86_INS_JECXZ;
        return reads_flags || counts ? Class::ConditionalBranch : Class::Branch;
    }
    return Class::Plain;
}

} // namespace mxk::simulator

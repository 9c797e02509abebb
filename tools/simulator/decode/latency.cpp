#include "tools/simulator/decode/latency.hpp"

#include <string_view>

#include <capstone/capstone.h>

namespace mxk::simulator {
namespace {

constexpr std::uint16_t device_cycles = 1000; // in and out: a register of a slow bus, about 0.3 us

} // namespace

std::uint16_t latency_cycles(unsigned instruction, bool vector) {
    switch (instruction) {
    case X86_INS_NOP: return 0;
    case X86_INS_IMUL:
    case X86_INS_MUL:
    case X86_INS_MULX: return vector ? 5 : 3;
    case X86_INS_DIV:
    case X86_INS_IDIV: return 25;
    case X86_INS_BSF:
    case X86_INS_BSR:
    case X86_INS_LZCNT:
    case X86_INS_TZCNT:
    case X86_INS_POPCNT:
    case X86_INS_CRC32:
    case X86_INS_PDEP:
    case X86_INS_PEXT:
    case X86_INS_SHLD:
    case X86_INS_SHRD: return 3;
    case X86_INS_BSWAP:
    case X86_INS_ADC:
    case X86_INS_SBB:
    case X86_INS_XCHG:
    case X86_INS_RCL:
    case X86_INS_RCR: return 2;
    case X86_INS_XADD:
    case X86_INS_CMPXCHG: return 5;
    case X86_INS_CMPXCHG8B:
    case X86_INS_CMPXCHG16B: return 10;
    case X86_INS_MFENCE: return 30;
    case X86_INS_LFENCE: return 4;
    case X86_INS_SFENCE: return 2;
    case X86_INS_RDTSC: return 25;
    case X86_INS_RDTSCP: return 32;
    case X86_INS_CPUID:
    case X86_INS_RDMSR:
    case X86_INS_WRMSR:
    case X86_INS_INVLPG:
    case X86_INS_IRET:
    case X86_INS_IRETD:
    case X86_INS_IRETQ: return 100;
    case X86_INS_SYSCALL:
    case X86_INS_SYSRET:
    case X86_INS_RDRAND:
    case X86_INS_RDSEED: return 50;
    case X86_INS_CLI:
    case X86_INS_STI:
    case X86_INS_PUSHFQ:
    case X86_INS_POPFQ:
    case X86_INS_SWAPGS: return 5;
    case X86_INS_IN:
    case X86_INS_OUT:
    case X86_INS_INSB:
    case X86_INS_INSW:
    case X86_INS_INSD:
    case X86_INS_OUTSB:
    case X86_INS_OUTSW:
    case X86_INS_OUTSD: return device_cycles;
    case X86_INS_MOVD:
    case X86_INS_MOVQ:
    case X86_INS_VMOVD:
    case X86_INS_VMOVQ:
    case X86_INS_PMOVMSKB:
    case X86_INS_VPMOVMSKB:
    case X86_INS_MOVMSKPS:
    case X86_INS_VMOVMSKPS:
    case X86_INS_MOVMSKPD:
    case X86_INS_VMOVMSKPD: return 2;
    case X86_INS_PTEST:
    case X86_INS_VPTEST:
    case X86_INS_PEXTRB:
    case X86_INS_PEXTRW:
    case X86_INS_PEXTRD:
    case X86_INS_PEXTRQ:
    case X86_INS_PINSRQ:
    case X86_INS_PINSRD:
    case X86_INS_VPERMD:
    case X86_INS_VPERMQ:
    case X86_INS_VINSERTI128:
    case X86_INS_VEXTRACTI128: return 3;
    case X86_INS_AESENC:
    case X86_INS_AESENCLAST:
    case X86_INS_AESDEC:
    case X86_INS_AESDECLAST:
    case X86_INS_PCLMULQDQ:
    case X86_INS_PMULLD:
    case X86_INS_PMULLW:
    case X86_INS_PMULUDQ:
    case X86_INS_CVTSI2SD:
    case X86_INS_CVTSI2SS:
    case X86_INS_CVTTSD2SI:
    case X86_INS_CVTTSS2SI:
    case X86_INS_CVTSD2SI:
    case X86_INS_CVTSD2SS:
    case X86_INS_CVTSS2SD:
    case X86_INS_COMISD:
    case X86_INS_UCOMISD:
    case X86_INS_COMISS:
    case X86_INS_UCOMISS: return 5;
    case X86_INS_ADDSD:
    case X86_INS_ADDSS:
    case X86_INS_ADDPD:
    case X86_INS_ADDPS:
    case X86_INS_SUBSD:
    case X86_INS_SUBSS:
    case X86_INS_SUBPD:
    case X86_INS_SUBPS:
    case X86_INS_MULSD:
    case X86_INS_MULSS:
    case X86_INS_MULPD:
    case X86_INS_MULPS:
    case X86_INS_MINSD:
    case X86_INS_MAXSD: return 4;
    case X86_INS_DIVSD:
    case X86_INS_DIVSS:
    case X86_INS_DIVPD:
    case X86_INS_DIVPS:
    case X86_INS_SQRTSD:
    case X86_INS_SQRTSS:
    case X86_INS_SQRTPD:
    case X86_INS_SQRTPS: return 15;
    default: return 1;
    }
}

} // namespace mxk::simulator

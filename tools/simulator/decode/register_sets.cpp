#include "tools/simulator/decode/register_sets.hpp"

#include <array>
#include <cstddef>

#include <capstone/capstone.h>

namespace mxk::simulator {
namespace {

struct GeneralRegister {
    std::array<unsigned, 5> names; // of 8, 4, 2 and 1 bytes, and the second byte
};
constexpr std::array<GeneralRegister, 16> general_registers = {{
    {{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH}},
    {{X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH}},
    {{X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH}},
    {{X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH}},
    {{X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_INVALID}},
    {{X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_INVALID}},
    {{X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_INVALID}},
    {{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_INVALID}},
    {{X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_INVALID}},
    {{X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, X86_REG_INVALID}},
    {{X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, X86_REG_INVALID}},
    {{X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, X86_REG_INVALID}},
    {{X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_INVALID}},
    {{X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, X86_REG_INVALID}},
    {{X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, X86_REG_INVALID}},
    {{X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, X86_REG_INVALID}},
}};
constexpr std::array<unsigned, 5> name_bytes = {8, 4, 2, 1, 1};

std::optional<RegisterPart> general_part(unsigned name) {
    for (unsigned number = 0; number != general_registers.size(); ++number)
        for (std::size_t which = 0; which != name_bytes.size(); ++which)
            if (general_registers[number].names[which] == name) return RegisterPart{number, name_bytes[which]};
    return {};
}

} // namespace

std::optional<RegisterPart> register_part(unsigned name) {
    auto const between = [name](unsigned first, unsigned last) { return name >= first && name <= last; };
    if (name == X86_REG_INVALID) return {};
    if (name == X86_REG_EFLAGS) return RegisterPart{flags_register, 8};
    if (between(X86_REG_XMM0, X86_REG_XMM31)) return RegisterPart{first_vector_register + name - X86_REG_XMM0, 16};
    if (between(X86_REG_YMM0, X86_REG_YMM31)) return RegisterPart{first_vector_register + name - X86_REG_YMM0, 32};
    if (between(X86_REG_ZMM0, X86_REG_ZMM31)) return RegisterPart{first_vector_register + name - X86_REG_ZMM0, 64};
    if (between(X86_REG_K0, X86_REG_K7)) return RegisterPart{first_mask_register + name - X86_REG_K0, 8};
    if (between(X86_REG_MM0, X86_REG_MM7) || between(X86_REG_ST0, X86_REG_ST7) || name == X86_REG_FPSW)
        return RegisterPart{x87_register, 8};
    return general_part(name);
}

Registers register_set(unsigned name) {
    std::optional<RegisterPart> const part = register_part(name);
    return part ? register_bit(part->number) : 0;
}

} // namespace mxk::simulator

#include "tools/simulator/decode/decoder.hpp"

#include <stdexcept>

#include "tools/simulator/decode/by_instruction.hpp"
#include "tools/simulator/decode/classes.hpp"
#include "tools/simulator/decode/latency.hpp"
#include "tools/simulator/decode/register_sets.hpp"

namespace mxk::simulator {
namespace {

constexpr auto on_stack = by_instruction(false, {{true, {X86_INS_PUSH, X86_INS_PUSHFQ, X86_INS_POP, X86_INS_POPFQ}}});

bool is_stack_operation(cs_insn const& found) {
    return on_stack[found.id] || in_group(found, X86_GRP_CALL) || in_group(found, X86_GRP_RET);
}

constexpr auto moves = by_instruction(
    false, {{true, {X86_INS_MOV,      X86_INS_MOVABS,    X86_INS_MOVZX,     X86_INS_MOVSX,     X86_INS_MOVSXD,
                    X86_INS_MOVD,     X86_INS_MOVQ,      X86_INS_MOVAPS,    X86_INS_MOVAPD,    X86_INS_MOVUPS,
                    X86_INS_MOVUPD,   X86_INS_MOVDQA,    X86_INS_MOVDQU,    X86_INS_MOVSS,     X86_INS_MOVSD,
                    X86_INS_MOVNTI,   X86_INS_MOVNTDQ,   X86_INS_VMOVD,     X86_INS_VMOVQ,     X86_INS_VMOVAPS,
                    X86_INS_VMOVUPS,  X86_INS_VMOVDQA,   X86_INS_VMOVDQU,   X86_INS_VMOVDQA32, X86_INS_VMOVDQA64,
                    X86_INS_VMOVDQU8, X86_INS_VMOVDQU16, X86_INS_VMOVDQU32, X86_INS_VMOVDQU64}}});

constexpr auto may_be_zero_idioms =
    by_instruction(false, {{true,
                            {X86_INS_XOR, X86_INS_SUB, X86_INS_PXOR, X86_INS_XORPS, X86_INS_XORPD, X86_INS_VPXOR,
                             X86_INS_VPXORD, X86_INS_VPXORQ, X86_INS_VXORPS, X86_INS_VXORPD}}});

/// `xor eax, eax` and the like: the result does not depend on the register.
bool is_zero_idiom(cs_insn const& found) {
    cs_x86 const& x86 = found.detail->x86;
    auto const is_register = [&x86](int number) { return x86.operands[number].type == X86_OP_REG; };
    if (!may_be_zero_idioms[found.id] || x86.op_count < 2) return false;
    int const last = x86.op_count - 1;
    return is_register(last) && is_register(last - 1) && x86.operands[last].reg == x86.operands[last - 1].reg;
}

MemoryOperand memory_operand(cs_x86_op const& operand, std::uint64_t next_address) {
    MemoryOperand memory;
    memory.displacement = operand.mem.disp;
    memory.bytes = operand.size;
    if (operand.mem.base == X86_REG_RIP) memory.displacement += static_cast<std::int64_t>(next_address);
    auto const number_of = [](x86_reg name) {
        auto const part = register_part(name);
        return part && part->number < first_vector_register ? static_cast<std::uint8_t>(part->number)
                                                            : MemoryOperand::none;
    };
    memory.base = number_of(operand.mem.base);
    memory.index = number_of(operand.mem.index);
    memory.scale = static_cast<std::uint8_t>(operand.mem.scale);
    if (operand.mem.segment == X86_REG_FS) memory.segment = MemoryOperand::Segment::Fs;
    if (operand.mem.segment == X86_REG_GS) memory.segment = MemoryOperand::Segment::Gs;
    return memory;
}

/// Of operands of which Capstone does not say it, the first one is written; of moves it says it wrongly for some.
unsigned access_of(cs_insn const& found, unsigned number) {
    cs_x86 const& x86 = found.detail->x86;
    unsigned const known = x86.operands[number].access;
    if (moves[found.id]) return number == 0 ? unsigned{CS_AC_WRITE} : unsigned{CS_AC_READ};
    if (known != 0) return known;
    return number == 0 && x86.op_count > 1 ? unsigned{CS_AC_WRITE} : unsigned{CS_AC_READ};
}

void add_register(Instruction& instruction, unsigned name, unsigned access) {
    auto const part = register_part(name);
    if (!part) return;
    Registers const bit = register_bit(part->number);
    if ((access & CS_AC_READ) != 0) instruction.sources |= bit;
    if ((access & CS_AC_WRITE) == 0) return;
    instruction.destinations |= bit;
    if (part->number < first_vector_register && part->bytes < 4) instruction.sources |= bit; // the rest is kept
}

void add_operands(Instruction& instruction, cs_insn const& found) {
    cs_x86 const& x86 = found.detail->x86;
    bool const computes_address = found.id == X86_INS_LEA;
    bool const no_access = computes_address || found.id == X86_INS_NOP || instruction.type == Class::Prefetch;
    for (unsigned number = 0; number != x86.op_count; ++number) {
        cs_x86_op const& operand = x86.operands[number];
        unsigned const access = access_of(found, number);
        if (operand.type == X86_OP_REG) add_register(instruction, operand.reg, access);
        if (operand.type != X86_OP_MEM || found.id == X86_INS_NOP) continue;
        Registers const used = register_set(operand.mem.base) | register_set(operand.mem.index);
        (computes_address ? instruction.sources : instruction.address_registers) |= used;
        instruction.memory = memory_operand(operand, found.address + found.size);
        if (no_access) continue;
        instruction.loads = instruction.loads || (access & CS_AC_READ) != 0;
        instruction.stores = instruction.stores || (access & CS_AC_WRITE) != 0;
    }
}

void add_implicit(Instruction& instruction, cs_insn const& found) {
    // The stack pointer of push, pop, call and return is computed ahead, by the stack engine of the front end.
    bool const stack = is_stack_operation(found);
    Registers const rsp = register_set(X86_REG_RSP);
    for (unsigned number = 0; number != found.detail->regs_read_count; ++number) {
        Registers const bit = register_set(found.detail->regs_read[number]);
        (stack && bit == rsp ? instruction.address_registers : instruction.sources) |= bit;
    }
    for (unsigned number = 0; number != found.detail->regs_write_count; ++number) {
        Registers const bit = register_set(found.detail->regs_write[number]);
        if (!stack || bit != rsp) instruction.destinations |= bit;
    }
    if (!stack) return;
    bool const takes = found.id == X86_INS_POP || found.id == X86_INS_POPFQ || in_group(found, X86_GRP_RET);
    instruction.loads = instruction.loads || takes;
    instruction.stores = instruction.stores || !takes;
}

/// What Capstone 4 does not say of instructions that compare and exchange, or says wrongly of those that compare only.
void correct(Instruction& instruction, cs_insn const& found) {
    Registers const rax = register_set(X86_REG_RAX);
    Registers const rdx = register_set(X86_REG_RDX);
    switch (found.id) {
    case X86_INS_CMPXCHG8B:
    case X86_INS_CMPXCHG16B:
        instruction.sources |= rax | rdx | register_set(X86_REG_RBX) | register_set(X86_REG_RCX);
        instruction.destinations |= rax | rdx | register_bit(flags_register);
        instruction.loads = instruction.stores = true;
        break;
    case X86_INS_CMPXCHG:
        instruction.sources |= rax;
        instruction.destinations |= rax | register_bit(flags_register);
        instruction.stores = instruction.loads;
        break;
    case X86_INS_TEST:
    case X86_INS_CMP: instruction.stores = false; break;
    default: break;
    }
}

/// umonitor, umwait and tpause, which Capstone 4 does not know.
bool decode_wait(Instruction& instruction, std::span<std::uint8_t const> code) {
    if (code.size() < 4 || code[1] != 0x0f || code[2] != 0xae || (code[3] >> 3 & 7) != 6 || code[3] < 0xc0)
        return false;
    if (code[0] == 0x66)
        instruction.type = Class::Pause;
    else if (code[0] == 0xf2)
        instruction.type = Class::Mwait;
    else
        return code[0] == 0xf3;
    return true;
}

} // namespace

Decoder::Decoder() {
    static_assert(sizeof(csh) == sizeof handle_);
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle_) != CS_ERR_OK) throw std::runtime_error("Capstone cannot be opened");
    cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
    instruction_ = cs_malloc(handle_);
}

Decoder::~Decoder() {
    cs_free(instruction_, 1);
    cs_close(&handle_);
}

Instruction Decoder::decode(std::span<std::uint8_t const> code, std::uint64_t address) {
    Instruction instruction;
    instruction.address = address;
    instruction.length = static_cast<std::uint8_t>(code.size());
    std::uint8_t const* at = code.data();
    std::size_t left = code.size();
    std::uint64_t next = address;
    if (decode_wait(instruction, code) || !cs_disasm_iter(handle_, &at, &left, &next, instruction_)) return instruction;

    cs_insn const& found = *instruction_;
    instruction.length = static_cast<std::uint8_t>(found.size);
    instruction.type = class_of(found.id);
    instruction.hint = hint_of(found.id);
    add_operands(instruction, found);
    add_implicit(instruction, found);
    correct(instruction, found);
    instruction.type = class_of(found, instruction);
    if (is_zero_idiom(found)) instruction.sources = 0;

    constexpr Registers vectors = Registers{0xffffffff} << first_vector_register;
    instruction.latency_cycles = latency_cycles(found.id, (instruction.destinations & vectors) != 0);
    bool const only_moves = moves[found.id] || is_stack_operation(found);
    if (instruction.type == Class::Plain && only_moves) {
        if (instruction.loads || instruction.stores) instruction.latency_cycles = 0;
        if (instruction.loads && !instruction.stores) instruction.type = Class::Load;
        if (instruction.stores && !instruction.loads) instruction.type = Class::Store;
    }
    return instruction;
}

} // namespace mxk::simulator

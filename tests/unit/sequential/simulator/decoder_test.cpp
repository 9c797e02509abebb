// Real machine code of x86-64 as the core model sees it.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tools/simulator/decode/decoder.hpp"

namespace mxk::simulator {
namespace {

enum General : unsigned { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10 };
constexpr Registers flags = register_bit(flags_register);

Registers set(std::initializer_list<unsigned> numbers) {
    Registers registers = 0;
    for (unsigned const number : numbers) registers |= register_bit(number);
    return registers;
}
unsigned xmm(unsigned number) {
    return first_vector_register + number;
}

Instruction decoded(std::initializer_list<unsigned> bytes) {
    static Decoder decoder;
    std::vector<std::uint8_t> code;
    for (unsigned const byte : bytes) code.push_back(static_cast<std::uint8_t>(byte));
    Instruction const instruction = decoder.decode(code, 0x401000);
    EXPECT_EQ(instruction.length, code.size());
    EXPECT_EQ(instruction.address, 0x401000U);
    return instruction;
}

TEST(Decoder, knows_what_is_computed_of_what) {
    Instruction const add = decoded({0x48, 0x01, 0xd8}); // add rax, rbx
    EXPECT_EQ(add.type, Class::Plain);
    EXPECT_EQ(add.sources, set({rax, rbx}));
    EXPECT_EQ(add.destinations, set({rax}) | flags);
    EXPECT_EQ(add.latency_cycles, 1);
    EXPECT_FALSE(add.loads || add.stores);

    EXPECT_EQ(decoded({0x48, 0x0f, 0xaf, 0xc3}).latency_cycles, 3); // imul rax, rbx
    Instruction const divide = decoded({0x48, 0xf7, 0xf1});         // div rcx
    EXPECT_EQ(divide.latency_cycles, 25);
    EXPECT_EQ(divide.sources, set({rax, rcx, rdx}));
    EXPECT_EQ(divide.destinations & set({rax, rdx}), set({rax, rdx}));

    EXPECT_EQ(decoded({0x31, 0xc0}).sources, 0U);             // xor eax, eax
    EXPECT_EQ(decoded({0x66, 0x0f, 0xef, 0xc0}).sources, 0U); // pxor xmm0, xmm0
    Instruction const byte = decoded({0xb0, 0x01});           // mov al, 1: the rest of rax is kept
    EXPECT_EQ(byte.sources, set({rax}));
    EXPECT_EQ(byte.destinations, set({rax}));

    Instruction const lea = decoded({0x48, 0x8d, 0x44, 0x8b, 0x08}); // lea rax, [rbx + rcx * 4 + 8]
    EXPECT_EQ(lea.sources, set({rbx, rcx}));
    EXPECT_EQ(lea.destinations, set({rax}));
    EXPECT_FALSE(lea.loads);
    EXPECT_EQ(lea.latency_cycles, 1);

    Instruction const vector = decoded({0xc5, 0xf9, 0xfe, 0xc2}); // vpaddd xmm0, xmm0, xmm2
    EXPECT_EQ(vector.sources, set({xmm(0), xmm(2)}));
    EXPECT_EQ(vector.destinations, set({xmm(0)}));
    EXPECT_EQ(decoded({0x0f, 0x1f, 0x44, 0x00, 0x00}).sources, 0U); // nop dword [rax + rax]
}

TEST(Decoder, knows_loads_and_stores) {
    Instruction const load = decoded({0x48, 0x8b, 0x43, 0x10}); // mov rax, [rbx + 16]
    EXPECT_EQ(load.type, Class::Load);
    EXPECT_EQ(load.address_registers, set({rbx}));
    EXPECT_EQ(load.sources, 0U);
    EXPECT_EQ(load.destinations, set({rax}));
    EXPECT_EQ(load.latency_cycles, 0);
    EXPECT_EQ(load.memory.bytes, 8);

    Instruction const store = decoded({0x48, 0x89, 0x04, 0xcb}); // mov [rbx + rcx * 8], rax
    EXPECT_EQ(store.type, Class::Store);
    EXPECT_EQ(store.address_registers, set({rbx, rcx}));
    EXPECT_EQ(store.sources, set({rax}));
    EXPECT_EQ(store.destinations, 0U);

    Instruction const both = decoded({0x48, 0x01, 0x03}); // add [rbx], rax
    EXPECT_EQ(both.type, Class::Plain);
    EXPECT_TRUE(both.loads && both.stores);
    EXPECT_EQ(both.destinations, flags);
    EXPECT_EQ(both.latency_cycles, 1);

    Instruction const compare = decoded({0x48, 0x39, 0x03}); // cmp [rbx], rax
    EXPECT_TRUE(compare.loads);
    EXPECT_FALSE(compare.stores);
    EXPECT_FALSE(decoded({0xf7, 0x03, 0x01, 0x00, 0x00, 0x00}).stores); // test dword [rbx], 1
    EXPECT_EQ(decoded({0x66, 0x0f, 0x6f, 0x00}).type, Class::Load);     // movdqa xmm0, [rax]
    EXPECT_EQ(decoded({0x66, 0x0f, 0x7f, 0x00}).type, Class::Store);    // movdqa [rax], xmm0
    EXPECT_EQ(decoded({0xc5, 0xfd, 0x6f, 0x07}).type, Class::Load);     // vmovdqa ymm0, [rdi]
    EXPECT_EQ(decoded({0xc5, 0xfe, 0x7f, 0x07}).type, Class::Store);    // vmovdqu [rdi], ymm0

    Instruction const push = decoded({0x55}); // push rbp
    EXPECT_EQ(push.type, Class::Store);
    EXPECT_EQ(push.address_registers, set({rsp}));
    EXPECT_EQ(push.sources, set({rbp}));
    EXPECT_EQ(push.destinations, 0U);        // of the stack pointer nobody waits for the memory
    Instruction const pop = decoded({0x5d}); // pop rbp
    EXPECT_EQ(pop.type, Class::Load);
    EXPECT_EQ(pop.destinations, set({rbp}));
}

TEST(Decoder, knows_where_a_prefetch_goes) {
    Instruction const first = decoded({0x0f, 0x18, 0x4c, 0x8b, 0x40}); // prefetcht0 [rbx + rcx * 4 + 64]
    EXPECT_EQ(first.type, Class::Prefetch);
    EXPECT_EQ(first.hint, Hint::L1);
    EXPECT_EQ(first.address_registers, set({rbx, rcx}));
    EXPECT_FALSE(first.loads);
    std::array<std::uint64_t, 16> values{};
    values[rbx] = 0x10000;
    values[rcx] = 0x100;
    EXPECT_EQ(first.memory.address(values), 0x10440U);
    EXPECT_EQ(decoded({0x0f, 0x18, 0x10}).hint, Hint::L2);          // prefetcht1 [rax]
    EXPECT_EQ(decoded({0x0f, 0x18, 0x18}).hint, Hint::L2);          // prefetcht2 [rax]
    EXPECT_EQ(decoded({0x0f, 0x18, 0x00}).hint, Hint::NonTemporal); // prefetchnta [rax]
    EXPECT_EQ(decoded({0x0f, 0x0d, 0x08}).hint, Hint::ForWrite);    // prefetchw [rax]

    Instruction const relative = decoded({0x48, 0x8b, 0x05, 0x10, 0x00, 0x00, 0x00}); // mov rax, [rip + 16]
    EXPECT_EQ(relative.memory.address(values), 0x401000U + 7 + 16);
    EXPECT_EQ(relative.address_registers, 0U);
    Instruction const segment = decoded({0x65, 0x48, 0x8b, 0x03}); // mov rax, gs:[rbx]
    EXPECT_EQ(segment.memory.segment, MemoryOperand::Segment::Gs);
    EXPECT_EQ(segment.memory.address(values, 0x7000), 0x17000U);
}

TEST(Decoder, knows_branches) {
    Instruction const conditional = decoded({0x75, 0x10}); // jne
    EXPECT_EQ(conditional.type, Class::ConditionalBranch);
    EXPECT_EQ(conditional.sources, flags);
    EXPECT_EQ(decoded({0x0f, 0x84, 0x10, 0x00, 0x00, 0x00}).type, Class::ConditionalBranch); // je
    EXPECT_EQ(decoded({0xeb, 0x10}).type, Class::Branch);                                    // jmp
    Instruction const call = decoded({0xe8, 0x10, 0x00, 0x00, 0x00});
    EXPECT_EQ(call.type, Class::Branch);
    EXPECT_TRUE(call.stores);
    EXPECT_FALSE(call.loads);
    Instruction const indirect = decoded({0xff, 0x10}); // call [rax]
    EXPECT_EQ(indirect.type, Class::Branch);
    EXPECT_TRUE(indirect.loads && indirect.stores);
    Instruction const back = decoded({0xc3}); // ret
    EXPECT_EQ(back.type, Class::Branch);
    EXPECT_TRUE(back.loads);
    EXPECT_EQ(back.destinations, 0U);
}

TEST(Decoder, knows_what_is_special) {
    EXPECT_EQ(decoded({0xf0, 0x48, 0x0f, 0xc1, 0x03}).type, Class::Locked); // lock xadd [rbx], rax
    Instruction const exchange = decoded({0xf0, 0x48, 0x0f, 0xb1, 0x0b});   // lock cmpxchg [rbx], rcx
    EXPECT_EQ(exchange.type, Class::Locked);
    EXPECT_EQ(exchange.sources, set({rax, rcx}));
    EXPECT_EQ(exchange.destinations, set({rax}) | flags);
    EXPECT_EQ(exchange.address_registers, set({rbx}));
    EXPECT_TRUE(exchange.loads && exchange.stores);
    Instruction const wide = decoded({0xf0, 0x48, 0x0f, 0xc7, 0x0f}); // lock cmpxchg16b [rdi]
    EXPECT_EQ(wide.type, Class::Locked);
    EXPECT_EQ(wide.sources, set({rax, rbx, rcx, rdx}));
    EXPECT_EQ(wide.destinations, set({rax, rdx}) | flags);
    EXPECT_EQ(wide.memory.bytes, 16);
    EXPECT_EQ(decoded({0x48, 0x87, 0x03}).type, Class::Locked); // xchg [rbx], rax
    EXPECT_EQ(decoded({0x48, 0x87, 0xc3}).type, Class::Plain);  // xchg rbx, rax
    EXPECT_EQ(decoded({0x0f, 0xae, 0xf0}).type, Class::Fence);
    EXPECT_EQ(decoded({0x0f, 0xae, 0xe8}).type, Class::LoadFence);
    EXPECT_EQ(decoded({0x0f, 0xae, 0xf8}).type, Class::StoreFence);
    EXPECT_EQ(decoded({0xf3, 0x90}).type, Class::Pause);
    EXPECT_EQ(decoded({0xf4}).type, Class::Halt);
    EXPECT_EQ(decoded({0x0f, 0x01, 0xc9}).type, Class::Mwait);
    EXPECT_EQ(decoded({0xf2, 0x0f, 0xae, 0xf1}).type, Class::Mwait); // umwait ecx
    EXPECT_EQ(decoded({0x66, 0x0f, 0xae, 0xf1}).type, Class::Pause); // tpause ecx
    Instruction const stamp = decoded({0x0f, 0x31});
    EXPECT_EQ(stamp.type, Class::Rdtsc);
    EXPECT_EQ(stamp.destinations, set({rax, rdx}));
    EXPECT_EQ(decoded({0x0f, 0x01, 0xf9}).type, Class::Rdtsc);       // rdtscp
    EXPECT_EQ(decoded({0xee}).type, Class::SerialIo);                // out dx, al
    EXPECT_EQ(decoded({0xec}).type, Class::SerialIo);                // in al, dx
    EXPECT_EQ(decoded({0x0f, 0xa2}).type, Class::Serialising);       // cpuid
    EXPECT_EQ(decoded({0x0f, 0x30}).type, Class::Serialising);       // wrmsr
    EXPECT_EQ(decoded({0x48, 0xcf}).type, Class::Serialising);       // iretq
    EXPECT_EQ(decoded({0x0f, 0x22, 0xd8}).type, Class::Serialising); // mov cr3, rax
    EXPECT_EQ(decoded({0x0f, 0x20, 0xd8}).type, Class::Plain);       // mov rax, cr3
    Instruction const copy = decoded({0xf3, 0x48, 0xa5});            // rep movsq
    EXPECT_EQ(copy.type, Class::RepString);
    EXPECT_TRUE(copy.loads && copy.stores);
    EXPECT_EQ(decoded({0xf3, 0xaa}).type, Class::RepString);        // rep stosb
    EXPECT_EQ(decoded({0xf3, 0xa5}).type, Class::RepString);        // rep movsd
    EXPECT_EQ(decoded({0xf2, 0x0f, 0x10, 0x00}).type, Class::Load); // movsd xmm0, [rax]
    EXPECT_EQ(decoded({0x06, 0x00, 0x00}).type, Class::Plain);      // none in 64-bit mode
}

} // namespace
} // namespace mxk::simulator

#include "arch/x86_64/exceptions/descriptors.hpp"

#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"

extern "C" char interrupt_stubs[]; // interrupt_entry.asm: 256 stubs of 16 bytes

namespace mxk::arch {
namespace {

constexpr std::size_t stub_bytes = 16;

struct [[gnu::packed]] Gate { // SDM vol. 3A figure 6-8
    std::uint16_t offset_low = 0;
    std::uint16_t selector = 0;
    std::uint8_t interrupt_stack = 0;
    std::uint8_t type = 0;
    std::uint16_t offset_middle = 0;
    std::uint32_t offset_high = 0;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(Gate) == 16);

constexpr std::uint8_t interrupt_gate = 0x8e; // present, ring 0, interrupts off on entry

struct [[gnu::packed]] TablePointer {
    std::uint16_t limit;
    std::uint64_t base;
};

alignas(16) constinit std::array<Gate, 256> interrupt_table{};

InterruptStack stack_for(unsigned vector) {
    switch (vector) {
    case exception::non_maskable: return InterruptStack::NonMaskable;
    case exception::double_fault: return InterruptStack::DoubleFault;
    case exception::page_fault: return InterruptStack::PageFault;
    case exception::machine_check: return InterruptStack::MachineCheck;
    default: return InterruptStack::None;
    }
}

void load_segments() {
    asm volatile("pushq %0\n"
                 "leaq 1f(%%rip), %%rax\n"
                 "pushq %%rax\n"
                 "lretq\n"
                 "1:\n"
                 "movw %w1, %%ds\n"
                 "movw %w1, %%es\n"
                 "movw %w1, %%ss\n" ::"i"(std::uint64_t{code_selector}),
                 "r"(data_selector)
                 : "rax", "memory");
}

} // namespace

void prepare_interrupt_table() {
    for (unsigned vector = 0; vector < interrupt_table.size(); ++vector) {
        auto const address = reinterpret_cast<std::uint64_t>(interrupt_stubs + vector * stub_bytes);
        interrupt_table[vector] = {static_cast<std::uint16_t>(address),
                                   code_selector,
                                   static_cast<std::uint8_t>(stack_for(vector)),
                                   interrupt_gate,
                                   static_cast<std::uint16_t>(address >> 16),
                                   static_cast<std::uint32_t>(address >> 32),
                                   0};
    }
}

void load_descriptors(CoreDescriptors& descriptors) {
    auto const task = reinterpret_cast<std::uint64_t>(&descriptors.task_state);
    descriptors.gdt = {0, 0x0020'9a00'0000'0000, 0x0000'9200'0000'0000,
                       // an available 64-bit TSS, in two words
                       (sizeof(TaskState) - 1) | (task & 0xff'ffff) << 16 | std::uint64_t{0x89} << 40 |
                           (task >> 24 & 0xff) << 56,
                       task >> 32};
    TablePointer const gdt{sizeof(descriptors.gdt) - 1, reinterpret_cast<std::uint64_t>(descriptors.gdt.data())};
    asm volatile("lgdt %0" ::"m"(gdt));
    load_segments();
    asm volatile("ltr %0" ::"r"(task_selector));
    TablePointer const idt{sizeof(interrupt_table) - 1, reinterpret_cast<std::uint64_t>(interrupt_table.data())};
    asm volatile("lidt %0" ::"m"(idt));
    write_msr(msr::gs_base, reinterpret_cast<std::uint64_t>(&descriptors.local));
}

} // namespace mxk::arch

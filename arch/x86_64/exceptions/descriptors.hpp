// Segment and interrupt descriptors (SDM vol. 3A sections 3.4, 6.11 and 8.7). Every core has a GDT and a TSS of its
// own; the IDT is common. Faults that can come from a broken stack run on stacks of their own (IST).
#pragma once

#include <array>
#include <cstdint>

#include "arch/core_local.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/clock/timestamp_start.hpp"
#include "arch/x86_64/memory/memory_source.hpp"
#include "base/core_levels.hpp"

namespace mxk::arch {

constexpr std::uint16_t code_selector = 0x08;
constexpr std::uint16_t data_selector = 0x10;
constexpr std::uint16_t task_selector = 0x18;

// Stacks that an interrupt switches to whatever the stack was. A page fault has one because a stack overflow is a page
// fault that finds no stack to be reported on.
enum class InterruptStack : std::uint8_t {
    None = 0,
    DoubleFault = 1,
    NonMaskable = 2,
    MachineCheck = 3,
    PageFault = 4
};
constexpr unsigned interrupt_stack_count = 4;
constexpr std::uint64_t interrupt_stack_bytes = 16 * KiB;

struct [[gnu::packed]] TaskState {                   // SDM vol. 3A figure 8-11
    std::uint32_t reserved0 = 0;                     //   0
    std::array<std::uint64_t, 3> ring_stacks{};      // 4: never used, there is no ring 3
    std::uint64_t reserved1 = 0;                     //  28
    std::array<std::uint64_t, 7> interrupt_stacks{}; // 36: IST1 to IST7
    std::uint64_t reserved2 = 0;                     //  92
    std::uint16_t reserved3 = 0;                     // 100
    std::uint16_t io_map = sizeof(TaskState);        // 102: beyond the limit, so there is none
};
static_assert(sizeof(TaskState) == 104);

// What the processor wants of one core. Lives as long as the core.
struct CoreDescriptors {
    alignas(16) std::array<std::uint64_t, 5> gdt{};
    alignas(16) TaskState task_state{};
    CoreLocal local{};
    apic::LocalInputs inputs{};
    CoreLevels levels{}; // what the core found out about itself
    SourceBlock block{}; // that this lies in; of the boot core: none
    TimestampStart timestamp{};
};

// Loads the calling core's GDT, TSS, the IDT and its %gs. The interrupt stacks must be set in the task state.
void load_descriptors(CoreDescriptors& descriptors);

// Fills the IDT; the boot core, once.
void prepare_interrupt_table();

} // namespace mxk::arch

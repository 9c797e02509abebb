// Compiled without SSE, since handlers leave sections, too: interrupts.hpp.
#include "arch/sections.hpp"
#include "arch/nest.hpp"

#include <utility>

#include "arch/execution.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "arch/x86_64/start/cores.hpp"
#include "base/panic.hpp"

namespace mxk::arch {
namespace {

void count_off(CoreLocal& local, Execution const& execution) {
    std::uint32_t& left = local.counted_sections[execution.section_epoch]; // NOLINT(*-constant-array-index)
    --left;
    if (left != 0 || execution.section_epoch == local.section_epoch || !local.awaits_sections) return;
    local.awaits_sections = false;
    announce(local, Attention::Wake);
    if (local.running == nullptr) return; // it has ended in one
    // The worker is to see it now, and not at the slice's end, which the thread has back afterwards.
    local.slice_end = Cycles{};
    set_timer(local);
}

} // namespace

// A handler between the subtraction and this may have come first.
void leave_counted_section() {
    InterruptsOff const off;
    CoreLocal& local = core_local();
    if (static_cast<std::int32_t>(local.readers.sections) < 0) {
        local.readers.sections = 0;
        count_off(local, *local.running);
    }
}

void interrupt_thread(CoreId core) {
    leave_word(core, Attention::Hurry);
    InterruptsOff const off;
    CoreLocal& local = core_local();
    if (core != local.id) return end_halt(core);
    if (local.running == nullptr) return; // its worker looks at the word anyway
    local.slice_end = Cycles{};
    set_timer(local);
}

bool halts_quietly(CoreId core) {
    return released_cores()[index(core)]->halts_quietly.load(std::memory_order_seq_cst);
}

void begin_section_epoch() {
    CoreLocal& local = core_local();
    local.section_epoch ^= 1U;
    expect(local.counted_sections[local.section_epoch] == 0, "the epoch before is over when the next one begins");
}

bool are_sections_over() {
    CoreLocal& local = core_local();
    local.awaits_sections = local.counted_sections[local.section_epoch ^ 1U] != 0;
    return !local.awaits_sections;
}

bool is_awaited_reader(Execution const& execution, CoreId core) {
    return execution.readers.sections % 2 != 0 &&
           execution.section_epoch != released_cores()[index(core)]->section_epoch;
}

void count_section(Execution& execution) {
    CoreLocal& local = core_local();
    --execution.readers.sections;
    execution.section_epoch = local.section_epoch;
    ++local.counted_sections[local.section_epoch];
}

std::uint32_t forget_sections(Execution& execution) {
    std::uint32_t const nested = forget_nest(execution);
    std::uint32_t const word = std::exchange(execution.readers.sections, 0);
    if (word % 2 != 0) count_off(core_local(), execution);
    return (word + 1) / 2 + nested;
}

} // namespace mxk::arch

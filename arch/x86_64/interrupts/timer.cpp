// The local timer: one alarm for the core, and the end of the slice of what runs on it. Compiled without SSE:
// interrupts.hpp.
#include <algorithm>

#include "arch/attention.hpp"
#include "arch/cpu.hpp"
#include "arch/execution.hpp"
#include "arch/x86_64/apic/apic_registers.hpp"
#include "arch/x86_64/cpu/cpu_features.hpp"
#include "arch/x86_64/cpu/registers.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"

namespace mxk::arch {
namespace apic {

constinit std::uint64_t timer_ticks_per_cycle = 0;

namespace {

void fire_at(Cycles when) {
    // Zero would turn the timer off (SDM vol. 3A section 11.5.4.1); one is long past, too.
    if (timer_ticks_per_cycle == 0) return write_msr(msr::tsc_deadline, std::max<std::uint64_t>(raw(when), 1));
    std::uint64_t const now = raw(timestamp());
    std::uint64_t const cycles = raw(when) > now ? raw(when) - now : 0;
    // One that is too far away fires early, and is set again then.
    auto const ticks = static_cast<unsigned __int128>(cycles) * timer_ticks_per_cycle >> 32;
    write_register(offset::initial_count, ticks < UINT32_MAX ? static_cast<std::uint32_t>(ticks) + 1 : UINT32_MAX);
}

} // namespace
} // namespace apic

namespace {

// A preempted thread continues here, some time.
void preempt(CoreLocal& local) {
    Execution& execution = *local.running;
    std::byte* const state = execution.vector_state;
    if (vector_states != 0)
        asm volatile("xsave64 (%0)" ::"r"(state), "a"(static_cast<std::uint32_t>(vector_states)),
                     "d"(static_cast<std::uint32_t>(vector_states >> 32))
                     : "memory");
    else
        asm volatile("fxsave64 (%0)" ::"r"(state) : "memory");
    local.was_preempted = true;
    leave_execution(local);
    if (vector_states != 0)
        asm volatile("xrstor64 (%0)" ::"r"(state), "a"(static_cast<std::uint32_t>(vector_states)),
                     "d"(static_cast<std::uint32_t>(vector_states >> 32))
                     : "memory");
    else
        asm volatile("fxrstor64 (%0)" ::"r"(state) : "memory");
}

} // namespace

constinit std::uint64_t vector_states = 0;

void set_timer(CoreLocal& local) {
    Cycles const slice_end = local.running != nullptr ? local.slice_end : never;
    Cycles const next = local.alarm < slice_end ? local.alarm : slice_end;
    // One that fires too early costs an interrupt, and setting it costs about as much: so it is not moved away, which
    // it would be at each switch between threads that keep yielding.
    if (next >= local.timer_fires) return;
    local.timer_fires = next;
    apic::fire_at(next);
}

void leave_execution(CoreLocal& local) {
    Execution& execution = *local.running;
    local.running = nullptr;
    switch_stack(&execution.stack_pointer, local.own_stack_pointer);
}

void timer_interrupt() {
    CoreLocal& local = core_local();
    local.timer_fires = never;
    Cycles const now = timestamp();
    bool const rings = local.alarm <= now;
    if (rings) {
        local.alarm = never;
        announce(local, Attention::Timer);
    }
    bool const ends = local.running != nullptr && (rings || local.slice_end <= now);
    // It has ended, even if what runs is preempted later: a timer set to what is past would fire again at once, and as
    // long as what holds preemption off is interrupted each time, it never comes to let it go.
    if (ends) local.slice_end = never;
    set_timer(local);
    if (ends) end_slice(local);
}

void end_slice(CoreLocal& local) {
    if (local.preemption_holds != 0)
        local.preemption_is_due = true; // release_preemption() sees to it
    else
        preempt(local);
}

void interrupt_thread_if_told() {
    CoreLocal& local = core_local();
    bool const is_told =
        (local.attention.load(std::memory_order_relaxed) & static_cast<std::uint32_t>(Attention::Hurry)) != 0;
    if (local.running == nullptr || !is_told) return;
    // As when the slice has ended: a timer that fires meanwhile must not do it again.
    local.slice_end = never;
    end_slice(local);
}

void arm_timer(Cycles when) {
    disable_interrupts();
    CoreLocal& local = core_local();
    local.alarm = when;
    set_timer(local);
    enable_interrupts();
}

} // namespace mxk::arch

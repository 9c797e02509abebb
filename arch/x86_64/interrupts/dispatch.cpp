// Every interrupt comes through here. Compiled without SSE: see interrupts.hpp.
#include <array>
#include <atomic>

#include "arch/attention.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/board/keyboard.hpp"
#include "arch/x86_64/exceptions/fixup.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "base/fence.hpp"

extern "C" {
extern mxk::arch::Fixup const __start_mxk_fixups[];
extern mxk::arch::Fixup const __stop_mxk_fixups[];
}

namespace mxk::arch {
namespace {

// Tests touch memory that must fault; the place to continue at then stands in a table.
bool continue_at_fixup(InterruptFrame& frame) {
    if (frame.vector != exception::page_fault && frame.vector != exception::general_protection) return false;
    for (Fixup const* fixup = __start_mxk_fixups; fixup != __stop_mxk_fixups; ++fixup) {
        if (fixup->faulting != frame.rip) continue;
        frame.rip = fixup->continue_at;
        return true;
    }
    return false;
}

// One that a device sends because the firmware told it to, or nobody knows who.
void note_unclaimed(std::uint32_t vector) {
    CoreLocal& local = core_local();
    ++local.unclaimed_interrupts;
    local.unclaimed_vector = vector;
    announce(local, Attention::Unclaimed);
}

constexpr unsigned vector_count = 256;
// relaxed: a handler is set before its interrupt is asked for
constinit std::array<std::atomic<InterruptHandler>, vector_count> handlers{};

} // namespace

void set_interrupt_handler(unsigned vector, InterruptHandler handler) {
    handlers[vector % vector_count].store(handler, std::memory_order_relaxed);
}

extern "C" void dispatch_interrupt(InterruptFrame& frame) {
    // acquire: pairs with begin_end(). The ending core has no time for an NMI, be it a person's or a watchdog's.
    CoreLocal const* const ending = ending_core.load(std::memory_order_acquire);
    if (frame.vector == exception::non_maskable && ending != nullptr) {
        if (ending == &core_local()) return;
        stop_for_the_end();
    }
    if (frame.vector < exception::count) {
        if (continue_at_fixup(frame)) return;
        report_exception(frame);
    }
    // A handler may read what is protected: grace periods wait for this core from here on, and what was unlinked before
    // one found it quiet is found unlinked (pairs with rcu::GracePeriods::begin()).
    if (CoreLocal& local = core_local(); local.halts_quietly.load(std::memory_order_relaxed)) {
        local.halts_quietly.store(false, std::memory_order_seq_cst);
        store_load_fence();
    }
    switch (frame.vector) {
    case vector::timer:
        apic::end_of_interrupt(); // before: it may return much later
        return timer_interrupt();
    case vector::wake:            // notify() has set the bit; the interrupt only ends the halt, or a thread's time
        apic::end_of_interrupt(); // before: it may return much later
        return interrupt_thread_if_told();
    case vector::forget_translations: forget_translations_as_asked(); break;
    case vector::forget_pages: run_translations_handler(); break;
    case vector::sample_nest: answer_nest_sample(); break;
    case vector::serial:
        receive_serial();
        announce(core_local(), Attention::Input);
        break;
    case vector::keyboard:
        keyboard::receive();
        announce(core_local(), Attention::Input);
        break;
    default: {
        InterruptHandler const handler = handlers[frame.vector % vector_count].load(std::memory_order_relaxed);
        if (handler != nullptr)
            handler();
        else if (apic::is_in_service(static_cast<unsigned>(frame.vector)))
            note_unclaimed(static_cast<std::uint32_t>(frame.vector));
        else
            return; // spurious, from the APIC or a masked 8259: it has no end
    }
    }
    apic::end_of_interrupt();
}

} // namespace mxk::arch

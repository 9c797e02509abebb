// Every interrupt comes through here. Compiled without SSE: see interrupts.hpp.
#include "arch/core_local.hpp"
#include "arch/x86_64/apic.hpp"
#include "arch/x86_64/fixup.hpp"
#include "arch/x86_64/interrupts.hpp"

extern "C" {
extern mxk::arch::Fixup const __start_mxk_fixups[];
extern mxk::arch::Fixup const __stop_mxk_fixups[];
}

namespace mxk::arch {
namespace {

// Tests touch memory that must fault; the place to go on at then stands in a table.
bool go_on_at_fixup(InterruptFrame& frame) {
    if (frame.vector != exception::page_fault && frame.vector != exception::general_protection) return false;
    for (Fixup const* fixup = __start_mxk_fixups; fixup != __stop_mxk_fixups; ++fixup) {
        if (fixup->faulting != frame.rip) continue;
        frame.rip = fixup->go_on;
        return true;
    }
    return false;
}

void announce(Attention what) {
    // release: pairs with take_attention().
    core_local().attention.fetch_or(static_cast<std::uint32_t>(what), std::memory_order_release);
}

} // namespace

extern "C" void dispatch_interrupt(InterruptFrame& frame) {
    if (frame.vector == exception::non_maskable && machine_is_ending) halt_forever();
    if (frame.vector < exception::count) {
        if (go_on_at_fixup(frame)) return;
        report_exception(frame);
    }
    switch (frame.vector) {
    case vector::timer: announce(Attention::Timer); break;
    case vector::wake: break; // wake() has set the bit; the interrupt only ends the halt
    case vector::serial:
        receive_serial();
        announce(Attention::Input);
        break;
    default: return; // spurious, from the APIC or a masked 8259: no end-of-interrupt for it
    }
    apic::end_of_interrupt();
}

} // namespace mxk::arch

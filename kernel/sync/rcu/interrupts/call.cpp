// Giving a callback, in an interrupt handler, too. Compiled without SSE on metal:
// arch/x86_64/exceptions/interrupts.hpp.
#include "arch/attention.hpp"
#include "arch/sections.hpp"
#include "base/inject.hpp"
#include "kernel/sync/rcu/rcu.hpp"

namespace mxk::rcu {

void GracePeriods::call(CoreId core_id, Callback& callback, Urgency urgency) {
    Core& core = of(core_id);
    core.arrived_.push(callback); // seq_cst: it looks for arrivals again after it has said that it halts
    inject::point();
    if (urgency != Urgency::Batched) {
        // release: a core that takes this before it takes what has arrived, takes the callback, too. Nobody lowers it
        // but the core.
        Urgency before = core.urgency_.load(std::memory_order_relaxed);
        while (before < urgency && !core.urgency_.compare_exchange_weak(before, urgency, std::memory_order_release,
                                                                        std::memory_order_relaxed)) {
        }
        tell(core);
        if (urgency == Urgency::Expedited)
            arch::interrupt_thread(core_id); // the slice of a thread, the caller, does not hold it up
    } else if (core.presence_.load(std::memory_order_seq_cst) != Core::Presence::Awake) {
        tell(core); // else it looks every round
    }
}

void GracePeriods::tell(Core& core) {
    arch::leave_word(core.id_, arch::Attention::Grace);
    // seq_cst: either the core sees the bit before it halts, or it is seen here that it may halt.
    if (core.presence_.load(std::memory_order_seq_cst) != Core::Presence::Awake) arch::end_halt(core.id_);
}

void call(Callback& callback, Urgency urgency) {
    periods()->call(arch::home_core(), callback, urgency);
}

} // namespace mxk::rcu

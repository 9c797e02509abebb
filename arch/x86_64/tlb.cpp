#include "arch/x86_64/tlb.hpp"

#include "arch/cpu.hpp"
#include "arch/x86_64/apic.hpp"
#include "arch/x86_64/cores.hpp"
#include "arch/x86_64/interrupts.hpp"
#include "base/spin_lock.hpp"

namespace mxk::arch {
namespace {

constinit SpinLock asking{lock_bands::memory.rank(4)}; // cores_to_answer; a waiter still answers others

} // namespace

void forget_translations() {
    LockGuard const guard(asking); // holds preemption off: this core stays the one that must not be asked
    auto const cores = released_cores();
    CoreLocal const& self = core_local();
    cores_to_answer.store(cores.empty() ? 0 : cores.size() - 1, std::memory_order_relaxed);
    for (CoreLocal const* const core : cores)
        if (core != &self) apic::send(core->apic_id, vector::forget_translations);
    forget_own_translations();
    // acquire: pairs with forget_translations_as_asked()
    while (cores_to_answer.load(std::memory_order_acquire) != 0) pause();
}

} // namespace mxk::arch

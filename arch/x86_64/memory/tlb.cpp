#include "arch/x86_64/memory/tlb.hpp"

#include "arch/cpu.hpp"
#include "arch/inspect.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "arch/x86_64/start/cores.hpp"
#include "base/spin_lock.hpp"

namespace mxk::arch {
namespace {

constinit SpinLock asking{lock_bands::memory.rank(4)}; // cores_to_answer; a waiter still answers others

// relaxed: counters, they order nothing. Changed by the holder of the lock.
constinit std::atomic<std::uint64_t> shootdowns{0};
constinit std::atomic<std::uint64_t> interrupted_cores{0};

} // namespace

TranslationCounts counted_translations() {
    return {.shootdowns = shootdowns.load(std::memory_order_relaxed),
            .interrupted_cores = interrupted_cores.load(std::memory_order_relaxed),
            .flushes = own_flushes.load(std::memory_order_relaxed)};
}

void forget_translations() {
    LockGuard const guard(asking); // holds preemption off: this core stays the one that must not be asked
    auto const cores = released_cores();
    CoreLocal const& self = core_local();
    std::size_t const others = cores.empty() ? 0 : cores.size() - 1;
    cores_to_answer.store(others, std::memory_order_relaxed);
    shootdowns.fetch_add(1, std::memory_order_relaxed);
    interrupted_cores.fetch_add(others, std::memory_order_relaxed);
    for (CoreLocal const* const core : cores)
        if (core != &self) apic::send(core->apic_id, vector::forget_translations);
    forget_own_translations();
    // acquire: pairs with forget_translations_as_asked()
    while (cores_to_answer.load(std::memory_order_acquire) != 0) pause();
}

} // namespace mxk::arch

// Posting a semaphore in an interrupt handler. Compiled without SSE: arch/x86_64/exceptions/interrupts.hpp.
#include "arch/attention.hpp"
#include "tasks/threads/semaphore.hpp"

namespace mxk {

// The first post puts the semaphore into its core's list; until a task has taken it out, others only count.
void Semaphore::post_from_interrupt() {
    // acq_rel: pairs with post_deferred()
    if (interrupt_posts_.fetch_add(1, std::memory_order_acq_rel) != 0) return;
    arch::CoreLocal& local = arch::core_local();
    // relaxed, but for the last: handlers of one core do not interrupt each other, and its task takes all at once
    next_deferred_ = static_cast<Semaphore*>(local.deferred.load(std::memory_order_relaxed));
    local.deferred.store(this, std::memory_order_relaxed);
    local.attention.fetch_or(static_cast<std::uint32_t>(arch::Attention::Deferred), std::memory_order_release);
}

} // namespace mxk

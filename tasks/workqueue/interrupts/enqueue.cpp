// Enqueueing in an interrupt handler. Compiled without SSE: arch/x86_64/exceptions/interrupts.hpp.
#include "arch/attention.hpp"
#include "arch/sections.hpp"
#include "base/inject.hpp"
#include "tasks/workqueue/work_queue.hpp"

namespace mxk {

bool WorkQueue::enqueue_from_interrupt(WorkItem& item, WorkItem::Function function) {
    // seq_cst, as stop()'s store and load: either it sees this handler, or this sees that the queue is closed.
    from_interrupts_.fetch_add(1, std::memory_order_seq_cst);
    inject::point();
    if (is_closed_to_interrupts_.load(std::memory_order_seq_cst)) {
        from_interrupts_.fetch_sub(1, std::memory_order_release); // the last that it does with the queue
        return false;
    }
    inject::point();
    item.function_ = function;
    item.queue_ = this;
    arrived_.push(item);
    arch::notify(arch::home_core(), arch::Attention::Deferred);
    return true;
}

} // namespace mxk

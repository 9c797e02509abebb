#include "tests/kernel/metal/interrupts/enqueue.hpp"

#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk {
namespace {

constinit EnqueueingInterrupts* enqueueing = nullptr;

} // namespace

EnqueueingInterrupts::EnqueueingInterrupts(unsigned vector, WorkQueue& queue, std::span<WorkItem> items,
                                           WorkItem::Function function)
    : vector_(vector)
    , queue_(queue)
    , items_(items)
    , function_(function) {
    enqueueing = this;
    arch::set_interrupt_handler(vector_, &EnqueueingInterrupts::handle);
}

EnqueueingInterrupts::~EnqueueingInterrupts() {
    arch::set_interrupt_handler(vector_, nullptr);
    enqueueing = nullptr;
}

void EnqueueingInterrupts::send(std::size_t core) const {
    arch::apic::send(system_topology().cores[core].apic_id, vector_);
}

void EnqueueingInterrupts::handle() {
    EnqueueingInterrupts& self = *enqueueing;
    std::size_t const item = self.next_.fetch_add(1, std::memory_order_relaxed);
    if (!self.queue_.enqueue_from_interrupt(self.items_[item], self.function_))
        self.refused_.fetch_add(1, std::memory_order_relaxed);
    self.handled_.fetch_add(1, std::memory_order_release); // a test that sees it counted may do away with all of it
}

} // namespace mxk

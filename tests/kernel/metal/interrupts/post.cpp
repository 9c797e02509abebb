#include "tests/kernel/metal/interrupts/post.hpp"

#include "arch/core_local.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

constinit PostingInterrupts* current = nullptr;

} // namespace

PostingInterrupts::PostingInterrupts(unsigned vector, Semaphore& semaphore)
    : vector_(vector)
    , semaphore_(semaphore)
    , counts_(NodeVector<std::atomic<std::uint64_t>>::create(workers::count(), Worker::current().node()).value()) {
    for (std::size_t i = 0; i < workers::count(); ++i) counts_.emplace(0U);
    current = this;
    arch::set_interrupt_handler(vector_, &PostingInterrupts::handle);
}

PostingInterrupts::~PostingInterrupts() {
    arch::set_interrupt_handler(vector_, nullptr);
    current = nullptr;
}

void PostingInterrupts::send(std::size_t core) const {
    arch::apic::send(system_topology().cores[core].apic_id, vector_);
}

void PostingInterrupts::handle() {
    current->semaphore_.post_from_interrupt();
    // release: a test that sees it counted may do away with the semaphore
    current->counts_[index(arch::core_local().id)].fetch_add(1, std::memory_order_release);
}

} // namespace mxk

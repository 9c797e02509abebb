#include "tests/kernel/metal/interrupts/read.hpp"

#include "arch/cpu.hpp"
#include "arch/x86_64/apic/apic.hpp"
#include "arch/x86_64/exceptions/interrupts.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk {
namespace {

constinit ReadingInterrupt* current = nullptr;

} // namespace

ReadingInterrupt::ReadingInterrupt(unsigned vector)
    : vector_(vector) {
    current = this;
    arch::set_interrupt_handler(vector_, &ReadingInterrupt::handle);
}

ReadingInterrupt::~ReadingInterrupt() {
    arch::set_interrupt_handler(vector_, nullptr);
    current = nullptr;
}

void ReadingInterrupt::send(std::size_t core, rcu::Callback* callback) {
    callback_ = callback;
    is_inside_.store(false, std::memory_order_relaxed);
    may_leave_.store(false, std::memory_order_relaxed);
    has_left_.store(false, std::memory_order_release);
    arch::apic::send(system_topology().cores[core].apic_id, vector_);
}

void ReadingInterrupt::handle() {
    ReadingInterrupt& self = *current;
    {
        rcu::ReadSection const outer;
        rcu::ReadSection const inner;
        if (self.callback_ != nullptr) rcu::call(*self.callback_, rcu::Urgency::Expedited);
        self.is_inside_.store(true, std::memory_order_release);
        while (!self.may_leave_.load(std::memory_order_acquire)) arch::pause();
    }
    self.has_left_.store(true, std::memory_order_release);
}

} // namespace mxk

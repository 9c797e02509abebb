#include "locks/fabric/simulated_workers.hpp"

#include <algorithm>

#include "arch/lock_user.hpp"
#include "base/panic.hpp"
#include "kernel/topology/system_topology.hpp"

// Keeps what a called function must not change on the stack, leaves the stack's end in *from, and goes on where `to`
// was left (System V ABI, x86-64; nobody changes how floating point rounds).
extern "C" void mxk_switch_stack(void** from, void* to);
asm(R"(
    .text
    .globl mxk_switch_stack
    .type mxk_switch_stack, @function
mxk_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size mxk_switch_stack, . - mxk_switch_stack
)");

namespace mxk::locks {

Result<void> SimulatedWorkers::simulate(std::span<CoreId const> workers, Call call, void const* body) {
    NodeId const here = system_topology().cores[index(arch::lock_core())].node;
    SimulatedWorkers all(call, body);
    all.workers_ = MXK_TRY(NodeVector<Worker>::create(workers.size(), here));
    all.stacks_ = MXK_TRY(NodeArray<std::byte>::create(workers.size() * stack_bytes, here));
    for (std::size_t place = 0; place < workers.size(); ++place) {
        // As mxk_switch_stack() leaves one: six registers, and where it returns to; begin() was called by nobody.
        auto* const end = reinterpret_cast<std::uintptr_t*>(all.stacks_.data() + (place + 1) * stack_bytes);
        std::fill_n(end - 8, 8, 0);
        end[-2] = reinterpret_cast<std::uintptr_t>(&begin);
        all.workers_.emplace(Worker{.number = static_cast<WorkerNumber>(index(workers[place])), .stack = end - 8});
    }
    expect(current_ == nullptr, "one simulation runs at a time");
    current_ = &all;
    mxk_switch_stack(&all.caller_, all.workers_[0].stack);
    current_ = nullptr;
    return {};
}

void SimulatedWorkers::begin() {
    SimulatedWorkers& all = *current_;
    all.call_(all.body_, all.running_);
    Worker& self = all.workers_[all.running_];
    self.is_out = true;
    std::size_t const next = all.next();
    if (next == all.workers_.size()) mxk_switch_stack(&self.stack, all.caller_);
    all.switch_to(next);
    __builtin_unreachable();
}

std::size_t SimulatedWorkers::next() const {
    std::size_t first = workers_.size();
    for (std::size_t place = 0; place < workers_.size(); ++place)
        if (!workers_[place].is_out && (first == workers_.size() || workers_[place].now < workers_[first].now))
            first = place;
    return first;
}

void SimulatedWorkers::switch_to(std::size_t place) {
    expect(place < workers_.size(), "a worker comes to the barrier that the others wait at");
    if (place == running_) return;
    Worker& before = workers_[running_];
    running_ = place;
    mxk_switch_stack(&before.stack, workers_[place].stack);
}

void SimulatedWorkers::pass(Nanoseconds time) {
    Worker& self = workers_[running_];
    self.now = Nanoseconds{raw(self.now) + raw(time)};
    switch_to(next());
}

void SimulatedWorkers::barrier() {
    workers_[running_].is_out = true;
    if (++at_barrier_ == workers_.size()) {
        at_barrier_ = 0;
        Nanoseconds const latest = std::ranges::max(workers_, {}, &Worker::now).now;
        for (Worker& worker : workers_) {
            worker.now = latest;
            worker.is_out = false;
        }
    }
    switch_to(next());
}

} // namespace mxk::locks

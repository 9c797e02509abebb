// The two-phase task (two_phase.hpp) in the notation of a coroutine: the same steps in the same queues, to show what
// the notation costs. Where the other one changes its body and appends itself, this one goes on behind a co_await; what
// the owner needs of the instruction is a local variable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/two_phase.hpp"
#include "tasks/coroutine.hpp"

namespace mxk::bench {

template <typename Access> struct TakenInstruction {
    std::uint64_t key;
    [[no_unique_address]] typename Access::Extra extra;
    std::uint32_t owner;
    Operation operation;
    bool expected;
};

// On the home core: the next instruction; false if there are no more.
template <typename Access> bool take(TwoPhaseRun<Access> const& run, TakenInstruction<Access>& taken) {
    std::size_t const here = index(Worker::current().core());
    CoreRun& home = *run.cores[here];
    Instruction const* const instruction = home.take();
    if (instruction == nullptr) [[unlikely]]
        return false;
    taken.key = instruction->key;
    taken.extra = run.access.extra(here, home.place_of(*instruction));
    taken.owner = static_cast<std::uint32_t>(run.access.owner(instruction->key));
    taken.operation = instruction->operation;
    taken.expected = instruction->expected;
    return true;
}

template <typename Access> NextTurn to_owner(TwoPhaseRun<Access> const& run, TakenInstruction<Access> const& taken) {
    return move_to(core_id(taken.owner), run.access.line(taken.key, taken.owner));
}

// On the owner.
template <typename Access> void operate(TwoPhaseRun<Access> const& run, TakenInstruction<Access> const& taken) {
    auto const is_expected = [&]<Operation operation> {
        return run.access.template operate<operation>(taken.owner, taken.key, taken.extra, taken.expected);
    };
    bool const as_expected = taken.operation == Operation::Insert ? is_expected.template operator()<Operation::Insert>()
                             : taken.operation == Operation::Find ? is_expected.template operator()<Operation::Find>()
                                                                  : is_expected.template operator()<Operation::Erase>();
    if (!as_expected) [[unlikely]]
        run.cores[taken.owner]->count_wrong();
}

// Takes one instruction after the other where it was called. Empty without memory.
template <typename Access> Coroutine<> two_phase(TwoPhaseRun<Access> const& run) {
    TakenInstruction<Access> taken;
    while (take(run, taken)) {
        co_await to_owner(run, taken);
        operate(run, taken);
        co_await move_home(); // where the next instruction comes in sequence: the processor sees it coming
    }
    Worker& home = Worker::current();
    run.cores[index(home.core())]->task_ended(home);
}

} // namespace mxk::bench

// The two-phase task (two_phase.hpp) in the notation of a coroutine: the same steps in the same queues, to show what
// the notation costs. Where the other one changes its body and appends itself, this one goes on behind a co_await; what
// the owner needs of the instruction is a local variable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/table/two_phase.hpp"
#include "tasks/coroutine.hpp"

namespace mxk::bench {

template <typename Access> struct TakenInstruction {
    std::uint64_t key;
    void (*operate)(TwoPhaseRun<Access> const& run, TakenInstruction const& taken); // on the owner
    [[no_unique_address]] typename Access::Extra extra;
    std::uint32_t owner;
    bool expected;
};

template <typename Access, Operation operation>
void operate(TwoPhaseRun<Access> const& run, TakenInstruction<Access> const& taken) {
    if (!run.access.template operate<operation>(taken.owner, taken.key, taken.extra, taken.expected)) [[unlikely]]
        run.cores[taken.owner]->count_wrong();
}

template <typename Access> auto method(Operation operation) -> decltype(TakenInstruction<Access>::operate) {
    switch (operation) {
    case Operation::Insert: return &operate<Access, Operation::Insert>;
    case Operation::Find: return &operate<Access, Operation::Find>;
    case Operation::Erase: break;
    }
    return &operate<Access, Operation::Erase>;
}

// On the home core, which is the one at `place`: the next instruction; false if there are no more. Inline, as the other
// notation's.
template <typename Access>
[[gnu::always_inline]] inline bool take(TwoPhaseRun<Access> const& run, std::uint32_t place,
                                        TakenInstruction<Access>& taken) {
    auto const [instruction, owner, extra] = take_next(run, place);
    if (instruction == nullptr) [[unlikely]]
        return false;
    taken.key = instruction->key;
    taken.operate = method<Access>(instruction->operation);
    taken.extra = extra;
    taken.owner = static_cast<std::uint32_t>(owner);
    taken.expected = instruction->expected;
    return true;
}

template <typename Access>
[[gnu::always_inline]] inline NextTurn to_owner(TwoPhaseRun<Access> const& run, TakenInstruction<Access> const& taken) {
    return move_to(core_id(taken.owner), run.access.line(taken.key, taken.owner));
}

// Out of the way of what runs for each instruction.
[[gnu::noinline]] inline void finish(CoreRun& home) {
    home.task_ended();
}

// Takes one instruction after the other on the core at `place`, where it is called. Empty without memory.
template <typename Access> Coroutine<> two_phase(TwoPhaseRun<Access> const& run, std::uint32_t place) {
    TakenInstruction<Access> taken;
    while (take(run, place, taken)) {
        co_await to_owner(run, taken);
        taken.operate(run, taken);
        co_await move_home(); // where the next instruction comes in sequence: the processor sees it coming
    }
    finish(*run.cores[place]);
}

} // namespace mxk::bench

// The two-phase task (two_phase.hpp) in the notation of a coroutine, `--tasks-per-core` of them on each core: the same
// steps in the same queues, to show what the notation costs. Where the other one changes its body and appends itself,
// this one continues behind a co_await; what the owner needs of the instruction is a local variable.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bench/frame/steps.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/two_phase.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/coroutine.hpp"
#include "tasks/start.hpp"

namespace mxk::bench {

template <typename Access> struct TakenInstruction {
    std::uint64_t key;
    void (*operate)(TwoPhaseRun<Access> const& run, TakenInstruction const& taken); // on the owner
    [[no_unique_address]] typename Access::Extra extra;
    Order order;
    std::uint32_t owner;
};

template <typename Access, Operation operation>
void operate(TwoPhaseRun<Access> const& run, TakenInstruction<Access> const& taken) {
    if (!carry_out<operation>(run.access, taken.owner, taken.key, taken.extra, taken.order)) [[unlikely]]
        run.cores.run(taken.owner).count_wrong();
}

template <typename Access> auto method(Operation operation) -> decltype(TakenInstruction<Access>::operate) {
    return dispatch(operation, [](auto known) -> decltype(TakenInstruction<Access>::operate) {
        return &operate < Access, overwrites(known) ? Operation::Update : known > ;
    });
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
    taken.order = *instruction;
    return true;
}

template <typename Access>
[[gnu::always_inline]] inline NextTurn to_owner(TwoPhaseRun<Access> const& run, TakenInstruction<Access> const& taken) {
    return move_to(run.cores.core(taken.owner), run.access.line(taken.key, taken.owner, taken.extra));
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
        // Where the next instruction comes in sequence: the processor sees it coming.
        if (QueuesEachPhase<Access> || taken.owner != place) co_await move_home();
    }
    finish(run.cores.run(place));
}

template <typename Access> class CoroutineEngine final : public AccessEngine<Access> {
  public:
    using AccessEngine<Access>::AccessEngine;
    Result<void> make(EngineSetup const& setup) {
        std::size_t const each = setup.run.tasks_each;
        NodeId const here = setup.owners.front().node;
        coroutines_ = MXK_TRY(NodeVector<NodeVector<Coroutine<>>>::create(setup.owners.size(), here));
        auto cores = MXK_TRY(NodeVector<CoreId>::create(setup.owners.size(), here));
        for (Owner const& owner : setup.owners) {
            auto& room = coroutines_.emplace(MXK_TRY(NodeVector<Coroutine<>>::create(each, owner.node)));
            for (std::size_t i = 0; i < each; ++i) room.emplace();
            cores.emplace(owner.core);
        }
        return take_frames_once(cores.span());
    }

    void prepare(PhaseCores const& cores) override { run_.emplace(this->access(), cores); }

    void prepare_core(Worker&, std::size_t at) override {
        for (Coroutine<>& coroutine : coroutines_[at]) coroutine = two_phase(*run_, static_cast<std::uint32_t>(at));
        run_->cores.run(at).expect_tasks(coroutines_[at].size());
    }
    void start_core(Worker& worker, std::size_t at) override {
        for (Coroutine<>& coroutine : coroutines_[at])
            expect(start(worker, std::move(coroutine)), "a pool keeps the memory of the frames that were made once");
    }

  private:
    // The coroutines of a phase are made while it begins, when an error has nowhere to go: so each core makes as many
    // now, and drops them into its pool. Errors: no memory.
    Result<void> take_frames_once(std::span<CoreId const> cores) {
        TwoPhaseRun<Access> const never_run{this->access(), {}};
        std::atomic<bool> enough{true};
        bool const stepped = run_on(cores, [&](Worker&, std::size_t i) {
            for (Coroutine<>& coroutine : coroutines_[i]) coroutine = two_phase(never_run, 0);
            for (Coroutine<>& coroutine : coroutines_[i]) {
                if (!coroutine) enough.store(false, std::memory_order_relaxed); // the steps' end orders it
                coroutine.reset();
            }
            return Step::Done;
        });
        if (!stepped) return no_memory_for_steps();
        if (!enough.load(std::memory_order_relaxed))
            return Error::of("no memory for {} coroutines on each core", coroutines_[0].size());
        return {};
    }

    NodeVector<NodeVector<Coroutine<>>> coroutines_; // by core, on its node; empty until a phase begins
    std::optional<TwoPhaseRun<Access>> run_;         // of the phase
};

} // namespace mxk::bench

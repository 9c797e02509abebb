// An engine that makes `--tasks-per-core` coroutines on each core, of which each takes one instruction after the other
// and travels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bench/frame/steps.hpp"
#include "bench/table/access_engine.hpp"
#include "bench/table/two_phase_coroutine.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/start.hpp"

namespace mxk::bench {

template <typename Access> class CoroutineEngine final : public AccessEngine<Access> {
  public:
    struct Parts {
        Access access;
        NodeVector<NodeVector<Coroutine<>>> coroutines; // by core, on its node; empty until a phase begins
    };
    static Result<Parts> make(EngineSetup const& setup) {
        Parts parts{MXK_TRY(Access::create(setup)), {}};
        std::size_t const each = setup.options.tasks_per_core;
        NodeId const here = setup.owners.front().node;
        parts.coroutines = MXK_TRY(NodeVector<NodeVector<Coroutine<>>>::create(setup.owners.size(), here));
        auto cores = MXK_TRY(NodeVector<CoreId>::create(setup.owners.size(), here));
        for (Owner const& owner : setup.owners) {
            auto& room = parts.coroutines.emplace(MXK_TRY(NodeVector<Coroutine<>>::create(each, owner.node)));
            for (std::size_t i = 0; i < each; ++i) room.emplace();
            cores.emplace(owner.core);
        }
        MXK_TRY(take_frames_once(cores.span(), parts));
        return parts;
    }
    explicit CoroutineEngine(Parts parts)
        : AccessEngine<Access>(std::move(parts.access))
        , coroutines_(std::move(parts.coroutines)) {}

    void prepare(std::span<CoreRun* const> cores) override { run_.emplace(this->access(), cores); }

    void prepare_core(Worker&, std::size_t at) override {
        for (Coroutine<>& coroutine : coroutines_[at]) coroutine = two_phase(*run_, static_cast<std::uint32_t>(at));
        run_->cores[at]->expect_tasks(coroutines_[at].size());
    }
    void start_core(Worker& worker, std::size_t at) override {
        for (Coroutine<>& coroutine : coroutines_[at])
            expect(start(worker, std::move(coroutine)), "a pool keeps the memory of the frames that were made once");
    }

  private:
    // The coroutines of a phase are made while it begins, when an error has nowhere to go: so each core makes as many
    // now, and drops them into its pool. Errors: no memory.
    static Result<void> take_frames_once(std::span<CoreId const> cores, Parts& parts) {
        TwoPhaseRun<Access> const never_run{parts.access, {}};
        std::atomic<bool> enough{true};
        bool const stepped = run_on(cores, [&](Worker&, std::size_t i) {
            for (Coroutine<>& coroutine : parts.coroutines[i]) coroutine = two_phase(never_run, 0);
            for (Coroutine<>& coroutine : parts.coroutines[i]) {
                if (!coroutine) enough.store(false, std::memory_order_relaxed); // the steps' end orders it
                coroutine.reset();
            }
            return Step::Done;
        });
        if (!stepped) return no_memory_for_steps();
        if (!enough.load(std::memory_order_relaxed))
            return Error::of("no memory for {} coroutines on each core", parts.coroutines[0].size());
        return {};
    }

    NodeVector<NodeVector<Coroutine<>>> coroutines_;
    std::optional<TwoPhaseRun<Access>> run_; // of the phase
};

} // namespace mxk::bench

// Engines that make `--tasks-per-core` tasks on each core, of which each takes one instruction after the other and
// travels. TravellingTask: constructed from (TwoPhaseRun<Access> const&, CoreId home); calls its home CoreRun's
// task_ended() when there are no more instructions, and is not run again after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "bench/table/engine.hpp"
#include "bench/table/two_phase.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

template <typename Access, typename TravellingTask = TwoPhaseTask<Access>>
class TaskEngine final : public AccessEngine<Access> {
    static_assert(sizeof(TravellingTask) == cache_line_bytes, "a hop moves one line");

  public:
    struct Parts {
        Access access;
        NodeVector<NodeArray<TravellingTask>> tasks; // by core, on its node; room
    };
    static Result<Parts> make(EngineSetup const& setup) {
        Parts parts{MXK_TRY(Access::create(setup)), {}};
        parts.tasks =
            MXK_TRY(NodeVector<NodeArray<TravellingTask>>::create(setup.owners.size(), setup.owners.front().node));
        for (Owner const& owner : setup.owners)
            parts.tasks.emplace(MXK_TRY(NodeArray<TravellingTask>::create(tasks_per_core(setup.options), owner.node)));
        return parts;
    }
    explicit TaskEngine(Parts parts)
        : AccessEngine<Access>(std::move(parts.access))
        , tasks_(std::move(parts.tasks)) {}

    void prepare(PhaseCores const& cores) override { run_.emplace(this->access(), cores); }

    void prepare_core(Worker& worker, std::size_t at) override {
        for (TravellingTask& task : tasks_[at].span()) new (&task) TravellingTask(*run_, worker.core());
        run_->cores.run(at).expect_tasks(tasks_[at].size());
    }
    void start_core(Worker& worker, std::size_t at) override {
        for (TravellingTask& task : tasks_[at].span()) worker.append(task);
    }

  private:
    NodeVector<NodeArray<TravellingTask>> tasks_;
    std::optional<TwoPhaseRun<Access>> run_; // of the phase
};

} // namespace mxk::bench

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
    using AccessEngine<Access>::AccessEngine;
    Result<void> make(EngineSetup const& setup) {
        tasks_ = MXK_TRY(NodeVector<NodeArray<TravellingTask>>::create(setup.owners.size(), setup.owners.front().node));
        for (Owner const& owner : setup.owners)
            tasks_.emplace(MXK_TRY(NodeArray<TravellingTask>::create(setup.run.tasks_each, owner.node)));
        return {};
    }

    void prepare(PhaseCores const& cores) override { run_.emplace(this->access(), cores); }

    void prepare_core(Worker& worker, std::size_t at) override {
        for (TravellingTask& task : tasks_[at].span()) new (&task) TravellingTask(*run_, worker.core());
        run_->cores.run(at).expect_tasks(tasks_[at].size());
    }
    void start_core(Worker& worker, std::size_t at) override {
        for (TravellingTask& task : tasks_[at].span()) worker.append(task);
    }

  private:
    NodeVector<NodeArray<TravellingTask>> tasks_; // by core, on its node; room
    std::optional<TwoPhaseRun<Access>> run_;      // of the phase
};

} // namespace mxk::bench

// Operations in groups on a table that any core works on in place: one task on each core takes up to some
// hundred instructions in a turn and carries them out together, so that their cache misses overlap. Finds by the
// table's own batched look-up; others one after the other, when what they touch first has been asked for. Access:
// shared_access.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bench/table/engine.hpp"
#include "bench/table/two_phase.hpp"
#include "bench/workload/operation_start.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

template <typename Access> class GroupTask : public Task {
  public:
    explicit GroupTask(Access& access)
        : Task(&GroupTask::go_on)
        , access_(access) {}

    void take_from(CoreRun& run) { run_ = &run; }

  private:
    // Finds go together as long as they are no others. What changes the table lets a resize have its turn sooner: with
    // four times as many inserts in a turn, a table of chains on two cores grew at a third of the speed.
    static constexpr std::size_t finds_per_turn = Access::max_finds;
    static constexpr std::size_t changes_per_turn = 64;
    // Operations between the prefetch of what one touches first and that of what it touches then, and between that and
    // the operation.
    static constexpr std::size_t ahead = 8;

    static void go_on(Worker& worker, Task& task) {
        auto& self = static_cast<GroupTask&>(task);
        if (self.taken_.empty()) self.take();
        if (self.taken_.empty()) return self.run_->end();
        self.carry_out_some();
        worker.append(task);
    }

    void take() {
        if (run_->latency() != nullptr) start_ = OperationStart::now();
        taken_ = run_->take(finds_per_turn);
    }
    void carry_out_some() {
        Histogram* const latency = run_->latency();
        bool const are_finds = std::ranges::all_of(
            taken_, [](Instruction const& instruction) { return instruction.operation == Operation::Find; });
        auto const now = taken_.first(are_finds ? taken_.size() : std::min(taken_.size(), changes_per_turn));
        taken_ = taken_.subspan(now.size());
        std::uint64_t const wrong = are_finds ? access_.find_each(now) : carry_out_each(now);
        if (wrong != 0) [[unlikely]]
            run_->count_wrong(wrong);
        if (latency != nullptr) start_.count_end(*latency, now.size());
    }

    std::uint64_t carry_out_each(std::span<Instruction const> taken) {
        std::uint64_t wrong = 0;
        for (std::size_t at = 0; at < taken.size() + 2 * ahead; ++at) {
            if (at < taken.size()) access_.prefetch(taken[at].key);
            if (at >= ahead && at - ahead < taken.size()) access_.prefetch_first(taken[at - ahead].key);
            if (at < 2 * ahead) continue;
            Instruction const& instruction = taken[at - 2 * ahead];
            dispatch(instruction.operation, [&](auto operation) {
                constexpr Operation method = overwrites(operation) ? Operation::Update : Operation{operation};
                wrong += carry_out<method>(access_, 0, instruction.key, {}, instruction) ? 0U : 1U;
            });
        }
        return wrong;
    }

    Access& access_;
    CoreRun* run_ = nullptr;
    std::span<Instruction const> taken_; // and not carried out yet
    OperationStart start_;               // when these were taken, some of them turns ago
};

template <typename Access> class SharedBatchEngine final : public AccessEngine<Access> {
  public:
    using AccessEngine<Access>::AccessEngine;
    Result<void> make(EngineSetup const& setup) {
        owners_ = setup.owners;
        return {};
    }

    Result<void> reset() override {
        MXK_TRY(AccessEngine<Access>::reset());
        if (!tasks_.empty()) return {};
        tasks_ =
            MXK_TRY(PerCore<GroupTask<Access>>::create(owners_, [this] { return GroupTask<Access>(this->access()); }));
        return {};
    }
    void prepare(PhaseCores const& cores) override {
        for (std::size_t i = 0; i < tasks_.size(); ++i) tasks_[i].take_from(cores.run(i));
    }
    void prepare_core(Worker&, std::size_t) override {}
    void start_core(Worker& worker, std::size_t at) override { worker.append(tasks_[at]); }

  private:
    std::span<Owner const> owners_;
    PerCore<GroupTask<Access>> tasks_; // by place
};

} // namespace mxk::bench

// The two-phase task (two_phase.hpp) with an interleaved operation phase: on the owner, the operation is a walk
// (hashtable/table/walk_task.hpp) that looks at one node of its chain at a time, so that the misses of all tasks of
// that core overlap. At home it does what the plain one does.
#pragma once

#include <cstddef>

#include "bench/table/core_run.hpp"
#include "bench/table/two_phase.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/table/walk_task.hpp"

namespace mxk::bench {

// What fits behind a task's home.
struct ExpectingTask : Task {
    using Task::Task;
    bool expected = false; // the operation's result
};

// One cache line. Access: as for TwoPhaseTask; its table a Chained, and `Extra` the node for an insert.
template <typename Access>
class TwoPhaseWalkTask : public WalkTask<TwoPhaseWalkTask<Access>, typename Access::Table, ExpectingTask> {
  public:
    using Table = typename Access::Table;

    TwoPhaseWalkTask(TwoPhaseRun<Access> const& run, CoreId home_core)
        : TwoPhaseWalkTask::WalkTask(&initial, home_core)
        , run_(run) {}

    // WalkTask's.
    Table& table(Worker& worker) { return run_.access.region(run_.cores.place(worker)); }
    template <Operation operation> void ended(Worker& worker, typename Table::Node const* node) {
        bool const result = operation == Operation::Insert ? node == nullptr : node != nullptr;
        if (result != this->expected) [[unlikely]]
            run_.cores.run(run_.cores.place(worker)).count_wrong();
        this->body = &initial;
        worker.append(*this, this->home);
    }

  private:
    static void initial(Worker& worker, Task& task) {
        auto& self = static_cast<TwoPhaseWalkTask&>(task);
        std::size_t const here = self.run_.cores.place(worker);
        auto const [instruction, owner, node] = take_next(self.run_, here);
        if (instruction == nullptr) [[unlikely]]
            return self.run_.cores.run(here).task_ended();
        self.expected = instruction->expected;
        self.seek(instruction->key, node); // only an insert uses it
        Annotation const bucket = announce(worker, self.run_, instruction->key, owner);
        dispatch(instruction->operation, [&, owner_core = self.run_.cores.core(owner)](auto operation) {
            self.template go<operation>(worker, owner_core, bucket);
        });
    }

    TwoPhaseRun<Access> const& run_;
};

} // namespace mxk::bench

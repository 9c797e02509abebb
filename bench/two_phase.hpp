// The two-phase task (thesis section 3.2.2, Algorithm 3.5): one task object that travels. Initial phase, on its home
// core: take the next instruction, choose the method, say what will be touched, go to the key's owner. Operation phase,
// on the owner: run the operation on the private region, go home. The first phase changes neither the instruction nor
// its node, so that their cache lines stay clean. Several tasks per core are under way, lest queues run empty and for
// the table's lines to arrive meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/core_run.hpp"
#include "bench/instructions.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// What all tasks of a phase use; nobody writes it meanwhile. Access: the table (table_access.hpp says what it offers).
template <typename Access> struct TwoPhaseRun {
    Access& access;
    std::span<CoreRun* const> cores; // by place: core i owns region i
};

// One cache line.
template <typename Access> class TwoPhaseTask : public Task {
  public:
    TwoPhaseTask(TwoPhaseRun<Access> const& run, CoreId home_core)
        : Task(&initial, home_core)
        , run_(run) {}

  private:
    static void initial(Worker& worker, Task& task) {
        auto& self = static_cast<TwoPhaseTask&>(task);
        std::size_t const here = index(worker.core());
        CoreRun& home = *self.run_.cores[here];
        Instruction const* const instruction = home.take();
        if (instruction == nullptr) [[unlikely]]
            return home.task_ended(worker);
        Access const& access = self.run_.access;
        std::size_t const owner = access.owner(instruction->key);
        self.key_ = instruction->key;
        self.expected_ = instruction->expected;
        self.extra_ = access.extra(here, home.place_of(*instruction));
        task.body = method(instruction->operation);
        task.touches = access.line(instruction->key, owner);
        worker.append(task, core_id(owner));
    }

    static Body method(Operation operation) {
        switch (operation) {
        case Operation::Insert: return &operate<Operation::Insert>;
        case Operation::Find: return &operate<Operation::Find>;
        case Operation::Erase: break;
        }
        return &operate<Operation::Erase>;
    }

    template <Operation operation> static void operate(Worker& worker, Task& task) {
        auto& self = static_cast<TwoPhaseTask&>(task);
        std::size_t const here = index(worker.core());
        if (!self.run_.access.template operate<operation>(here, self.key_, self.extra_, self.expected_)) [[unlikely]]
            self.run_.cores[here]->count_wrong();
        task.body = &initial;
        task.touches = {}; // the next instruction comes in sequence: the processor sees it coming
        worker.append(task, task.home);
    }

    TwoPhaseRun<Access> const& run_;
    // What the owner needs of the instruction travels in the task, whose line has to move anyway: reading it there
    // would cost the owner one more miss.
    std::uint64_t key_ = 0;
    [[no_unique_address]] typename Access::Extra extra_{};
    bool expected_ = false;
};

} // namespace mxk::bench

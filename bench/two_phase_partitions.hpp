// The two-phase task (two_phase.hpp) for tables of which only the owner knows where a key is: one step more, on the
// owner, which asks for the key's memory and goes to the end of the queue until it is there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/two_phase.hpp"

namespace mxk::bench {

// One cache line.
template <typename Access> class TwoPhasePartitionsTask : public Task {
  public:
    TwoPhasePartitionsTask(TwoPhaseRun<Access> const& run, CoreId home_core)
        : Task(&initial, home_core)
        , run_(run) {}

  private:
    static void initial(Worker& worker, Task& task) {
        auto& self = static_cast<TwoPhasePartitionsTask&>(task);
        std::size_t const here = index(worker.core());
        Histogram* const latency = self.run_.cores[here]->latency();
        if (latency != nullptr) [[unlikely]]
            self.count_latency(*latency);
        auto const [instruction, owner, extra] = take_next(self.run_, here);
        if (instruction == nullptr) [[unlikely]]
            return self.run_.cores[here]->task_ended(worker);
        self.key_ = instruction->key;
        self.expected_ = instruction->expected;
        self.extra_ = extra;
        task.body = method(instruction->operation);
        worker.append(task, core_id(owner));
    }

    // Of the operation that has come home, if there was one; and the next one begins.
    void count_latency(Histogram& latency) {
        if (key_ != 0) start_.count_end(latency);
        start_ = OperationStart::now();
    }

    static Body method(Operation operation) {
        switch (operation) {
        case Operation::Insert: return &arrive<Operation::Insert>;
        case Operation::Find: return &arrive<Operation::Find>;
        case Operation::Erase: break;
        }
        return &arrive<Operation::Erase>;
    }

    template <Operation operation> static void arrive(Worker& worker, Task& task) {
        auto& self = static_cast<TwoPhasePartitionsTask&>(task);
        std::size_t const here = index(worker.core());
        if (self.run_.access.is_diverted(worker, here, self.key_, task)) [[unlikely]]
            return;
        task.body = &operate<operation>;
        if (worker.prefetch_distance() == 0) return operate<operation>(worker, task);
        self.run_.access.prefetch(here, self.key_);
        worker.append(task);
    }

    template <Operation operation> static void operate(Worker& worker, Task& task) {
        auto& self = static_cast<TwoPhasePartitionsTask&>(task);
        std::size_t const here = index(worker.core());
        if (!self.run_.access.template operate<operation>(here, self.key_, self.extra_, self.expected_)) [[unlikely]]
            self.run_.cores[here]->count_wrong();
        task.body = &initial;
        worker.append(task, task.home);
    }

    TwoPhaseRun<Access> const& run_;
    std::uint64_t key_ = 0;
    [[no_unique_address]] typename Access::Extra extra_{};
    bool expected_ = false;
    OperationStart start_; // where latency is measured
};

} // namespace mxk::bench

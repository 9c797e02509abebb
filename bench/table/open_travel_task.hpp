// The two-phase task (two_phase.hpp) on the thesis' table with open addressing (section 3.3, Algorithm 3.6): an
// operation that reaches the end of a region sends its task on to the next core, the last one's is the first, until it
// knows its result; then the task goes home. The thesis' rehash is missing, so an insert without a place is wrong.
#pragma once

#include <cstddef>

#include "bench/table/core_run.hpp"
#include "bench/table/open_travel_access.hpp"
#include "bench/table/two_phase.hpp"
#include "bench/workload/instructions.hpp"
#include "hashtable/table/travelling_probe.hpp"

namespace mxk::bench {

// One cache line.
class OpenTravelTask : public Task {
  public:
    using Run = TwoPhaseRun<OpenTravelAccess>;

    OpenTravelTask(Run const& run, CoreId home_core)
        : Task(&initial, home_core)
        , run_(run) {}

  private:
    static void initial(Worker& worker, Task& task) {
        auto& self = static_cast<OpenTravelTask&>(task);
        std::size_t const here = index(worker.core());
        auto const [instruction, owner, extra] = take_next(self.run_, here);
        if (instruction == nullptr) [[unlikely]]
            return self.run_.cores[here]->task_ended();
        self.probe_ = TravellingProbe(instruction->key, value_of(instruction->key));
        self.expected_ = instruction->expected;
        task.body = method(instruction->operation);
        task.touches = announce(worker, self.run_, instruction->key, owner);
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
        using Visit = OpenTravelAccess::Visit;
        auto& self = static_cast<OpenTravelTask&>(task);
        OpenTravelAccess& access = self.run_.access;
        std::size_t const here = index(worker.core());
        Visit const visit = access.visit<operation>(here, self.probe_, self.expected_);
        // At home, the next instruction comes in sequence; at the next core, a region's first slots, which seldom
        // happens and where a search goes on in sequence.
        task.touches = {};
        if (visit == Visit::GoesOn) [[unlikely]]
            return worker.append(task, core_id(access.next(here)));
        if (visit == Visit::Wrong) [[unlikely]]
            self.run_.cores[here]->count_wrong();
        task.body = &initial;
        worker.append(task, task.home);
    }

    bool expected_ = false; // in front: fits behind the task's home
    Run const& run_;
    TravellingProbe probe_;
};

} // namespace mxk::bench

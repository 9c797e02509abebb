// The two-phase task (thesis section 3.2.2, Algorithm 3.5): one task object that travels. Initial phase, on its home
// core: take the next instruction, choose the method, go to the key's owner. Operation phase, on the owner: run the
// operation on the private region, go home. The first phase changes neither the instruction nor its node, so that
// their cache lines stay clean. Several tasks per core are under way, lest queues run empty.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/instructions.hpp"
#include "hashtable/partitioned.hpp"
#include "kernel/clock.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

struct CoreRun;

// What all cores read during a run and none writes.
template <typename Table> struct Run {
    Partitioned<Table>& table;
    std::span<CoreRun* const> cores;  // by region: core i owns region i
    std::atomic<bool> stopped{false}; // written once, if at all: no further instructions are to be taken
};

// One core's share of a run, on its node; only its core writes it. `done` is also read by the console, to show it.
struct alignas(cache_line_bytes) CoreRun {
    Slice const* slice;
    Task* ended;                      // what to send home to the console's core when the last task has ended
    std::atomic<std::size_t> done{0}; // instructions taken
    std::size_t tasks_out = 0;        // tasks that have not ended yet
    std::uint64_t wrong = 0;          // operations on this core's region whose result was not the expected one
    Cycles start{};
    Cycles end{};
};

// One cache line.
template <typename Table> class TwoPhaseTask : public Task {
  public:
    TwoPhaseTask(Run<Table>& run, std::uint32_t home_place, CoreId home_core)
        : Task(&initial, home_core)
        , home_place_(home_place)
        , run_(run) {}

    static void initial(Worker& worker, Task& task) {
        auto& self = static_cast<TwoPhaseTask&>(task);
        CoreRun& home = *self.run_.cores[self.home_place_];
        // relaxed: only this core writes it, the console only shows it
        std::size_t const at = home.done.load(std::memory_order_relaxed);
        if (at == home.slice->size() || self.run_.stopped.load(std::memory_order_relaxed)) return finish(worker, home);
        home.done.store(at + 1, std::memory_order_relaxed);
        Instruction const& instruction = home.slice->instructions()[at];
        self.key_ = instruction.key;
        self.expected_ = instruction.expected;
        self.node_ = &home.slice->node(at);
        self.region_ = static_cast<std::uint32_t>(self.run_.table.owner(instruction.key));
        task.body = method(instruction.operation);
        worker.append(task, self.run_.table.core(self.region_));
    }

  private:
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
        Table& region = self.run_.table.region(self.region_);
        bool result = false;
        if constexpr (operation == Operation::Insert) {
            result = region.insert(*self.node_);
        } else if constexpr (operation == Operation::Find) {
            result = region.find(self.key_);
        } else {
            result = region.erase(self.key_);
        }
        if (result != self.expected_) [[unlikely]]
            ++self.run_.cores[self.region_]->wrong;
        task.body = &initial;
        worker.append(task, task.home);
    }

    static void finish(Worker& worker, CoreRun& home) {
        if (--home.tasks_out > 0) return;
        home.end = clock::timestamp();
        worker.append(*home.ended, home.ended->home);
    }

    std::uint32_t home_place_;
    Run<Table>& run_;
    // What the owner needs of the instruction travels in the task, whose line has to move anyway: reading it there
    // would cost the owner one more miss.
    std::uint64_t key_ = 0;
    ChainNode* node_ = nullptr;
    std::uint32_t region_ = 0;
    bool expected_ = false;
};

} // namespace mxk::bench

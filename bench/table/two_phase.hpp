// The two-phase task (thesis section 3.2.2, Algorithm 3.5): one task object that travels. Initial phase, on its home
// core: take the next instruction, choose the method, say what will be touched, go to the key's owner. Operation phase,
// on the owner: run the operation on the private region, go home. The first phase changes neither the instruction nor
// its node, so that their cache lines stay clean. Several tasks per core are under way, lest queues run empty and for
// the table's lines to arrive meanwhile. Where only the owner knows where a key is, it takes one step more: it asks for
// the key's memory and goes to the end of the queue until that is there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/panic.hpp"
#include "bench/table/core_run.hpp"
#include "bench/workload/instructions.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// What all tasks of a phase use; nobody writes it meanwhile. Access: the table (table_access.hpp says what it offers).
template <typename Access> struct TwoPhaseRun {
    Access& access;
    PhaseCores cores; // the one at place i owns region i
};

template <typename Access> struct NextInstruction {
    Instruction const* instruction; // null: there are no more
    std::size_t owner;              // of its key, by place
    [[no_unique_address]] typename Access::Extra extra;
};

// Tables without owners: the core that takes an instruction carries it out.
template <typename Access>
concept IsShared = requires {
    requires Access::is_shared;
};

template <typename Access>
[[gnu::always_inline]] inline std::size_t owner_of(Access const& access, std::uint64_t key, std::size_t here) {
    if constexpr (IsShared<Access>)
        return here;
    else
        return access.owner(key);
}

// What the core at place `here` takes next, on that core. Inline: for each instruction, in all notations.
template <typename Access>
[[gnu::always_inline]] inline NextInstruction<Access> take_next(TwoPhaseRun<Access> const& run, std::size_t here) {
    CoreRun& home = run.cores.run(here);
    Instruction const* const instruction = home.take();
    if (instruction == nullptr) [[unlikely]]
        return {nullptr, 0, {}};
    std::uint64_t const key = instruction->key;
    std::size_t const owner = owner_of(run.access, key, here);
    return {instruction, owner, run.access.extra(here, home.place_of(*instruction), key, owner)};
}

// What the instruction's owner will touch; blank where nothing is fetched ahead.
template <typename Access>
[[gnu::always_inline]] inline Annotation announce(Worker const& worker, TwoPhaseRun<Access> const& run,
                                                  NextInstruction<Access> const& next) {
    return worker.prefetch_distance() != 0 ? run.access.line(next.instruction->key, next.owner, next.extra)
                                           : Annotation();
}

// At the owner: whether the result was as expected. Operations that overwrite are all one method, Update's, which tells
// them apart: each of them as a method of its own would make twice as many for all tables.
template <Operation method, typename Access>
[[gnu::always_inline]] inline bool carry_out(Access& access, std::size_t at, std::uint64_t key,
                                             typename Access::Extra const& extra, Order const& order) {
    if constexpr (!overwrites(method)) {
        return access.template operate<method>(at, key, extra, order);
    } else if constexpr (requires { access.overwrite(at, key, extra, order); }) {
        return access.overwrite(at, key, extra, order);
    } else {
        panic("a table of keys only has nothing to overwrite"); // TableBenchmark::create() has refused it
    }
}

// By value of Operation, the body of a TravellingTask's first step for it: TravellingTask::first_step<method>(). Not by
// dispatch(): Clang does not instantiate what only a generic lambda names.
template <typename TravellingTask> struct MethodBodies {
    static Task::Body of(Operation operation) {
        using enum Operation;
        static constexpr Task::Body overwrite = TravellingTask::template first_step<Update>();
        static constexpr std::array<Task::Body, 6> bodies{TravellingTask::template first_step<Insert>(),
                                                          TravellingTask::template first_step<Find>(),
                                                          TravellingTask::template first_step<Erase>(),
                                                          overwrite,
                                                          overwrite,
                                                          overwrite};
        return bodies[static_cast<std::size_t>(operation)];
    }
};

// Only the owner knows what an operation touches (partitions_access.hpp), and owners change while operations flow.
template <typename Access>
concept OwnerAsks = requires(Access const& access, Worker& worker, Task& task) {
    access.is_diverted(worker, std::size_t{}, std::uint64_t{}, task);
    access.prefetch(std::size_t{}, std::uint64_t{});
};

// The thesis' tasks go through a queue for each phase, also when they are at home already; others begin with the next
// instruction then.
template <typename Access>
concept QueuesEachPhase = requires {
    requires Access::queues_each_phase;
};

// One cache line.
template <typename Access> class TwoPhaseTask : public Task {
  public:
    TwoPhaseTask(TwoPhaseRun<Access> const& run, CoreId home_core)
        : Task(&initial, home_core)
        , run_(run) {}

  private:
    friend MethodBodies<TwoPhaseTask>;

    static void initial(Worker& worker, Task& task) {
        auto& self = static_cast<TwoPhaseTask&>(task);
        std::size_t const here = worker.place();
        Histogram* const latency = self.run_.cores.run(here).latency();
        if (latency != nullptr) [[unlikely]]
            self.count_latency(*latency);
        NextInstruction<Access> const next = take_next(self.run_, here);
        if (next.instruction == nullptr) [[unlikely]]
            return self.run_.cores.run(here).task_ended();
        self.key_ = next.instruction->key;
        self.order_ = *next.instruction;
        self.extra_ = next.extra;
        task.body = MethodBodies<TwoPhaseTask>::of(next.instruction->operation);
        if constexpr (!OwnerAsks<Access>) task.touches = announce(worker, self.run_, next);
        worker.append(task, self.run_.cores.core(next.owner));
    }

    // Of the operation that has come home, if there was one; and the next one begins.
    void count_latency(Histogram& latency) {
        if (key_ != 0) start_.count_end(latency);
        start_ = OperationStart::now();
    }

    template <Operation operation> static constexpr Body first_step() {
        if constexpr (OwnerAsks<Access>)
            return &arrive<operation>;
        else
            return &operate<operation>;
    }

    // Flat, as operate(): all that the table does for a key is inline, of which GCC makes calls where a file has
    // several engines.
    template <Operation operation> [[gnu::flatten]] static void arrive(Worker& worker, Task& task) {
        auto& self = static_cast<TwoPhaseTask&>(task);
        std::size_t const here = worker.place();
        if (self.run_.access.is_diverted(worker, here, self.key_, task)) [[unlikely]]
            return;
        task.body = &operate<operation>;
        if (worker.prefetch_distance() == 0) return operate<operation>(worker, task);
        self.run_.access.prefetch(here, self.key_);
        worker.append(task);
    }

    // Not inline in arrive(), which continues with it only where nothing is fetched ahead.
    template <Operation operation> [[gnu::noinline, gnu::flatten]] static void operate(Worker& worker, Task& task) {
        auto& self = static_cast<TwoPhaseTask&>(task);
        std::size_t const here = worker.place();
        if (!carry_out<operation>(self.run_.access, here, self.key_, self.extra_, self.order_)) [[unlikely]]
            self.run_.cores.run(here).count_wrong();
        task.body = &initial;
        if constexpr (!OwnerAsks<Access>)
            task.touches = {}; // the next instruction comes in sequence: the processor sees it coming
        if constexpr (!QueuesEachPhase<Access>)
            if (task.home == worker.core()) return initial(worker, task);
        worker.append(task, task.home);
    }

    // What the owner needs of the instruction travels in the task, whose line has to move anyway: reading it there
    // would cost the owner one more miss.
    Order order_{};        // in front: fits behind the task's home
    OperationStart start_; // where latency is measured
    TwoPhaseRun<Access> const& run_;
    std::uint64_t key_ = 0;
    [[no_unique_address]] typename Access::Extra extra_{};
};

} // namespace mxk::bench

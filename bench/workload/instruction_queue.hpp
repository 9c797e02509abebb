// All instructions of a run, cut into one slice per core (see Slice), and how the cores make them: each its own, a
// piece per task. The same workload gives the same keys, in the same slices, in the same order, whichever cores run
// them and wherever they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "bench/workload/instructions.hpp"
#include "bench/workload/slice.hpp"
#include "bench/workload/workload.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

class InstructionQueue {
  public:
    // Memory for the instructions, with slice i for the i-th of `cores`, on the nodes that `kind` says. `workload` must
    // live on, and have its keys (read_keys()). Errors: no memory.
    static Result<InstructionQueue> create(Workload const& workload, QueueKind kind, std::span<CoreId const> cores);

    // The instructions for the first phase, with a table that is empty; one that needs keys gets an insert of every key
    // first and its own by continue_with(). What was in the queue is forgotten. Errors: no memory,
    // interrupted by Ctrl-C. The console's task; blocks it until done.
    Result<void> begin_with(Mix const& phase, Progress& progress);

    // For a phase that needs keys: the keys that were inserted in random order, or drawn, to be found or erased. As
    // begin_with().
    Result<void> continue_with(Mix const& phase, Progress& progress);

    [[nodiscard]] std::uint64_t operations() const { return workload_->operations; }
    [[nodiscard]] QueueKind kind() const { return kind_; }
    [[nodiscard]] std::span<CoreId const> cores() const { return cores_.span(); }
    [[nodiscard]] Slice const& slice(std::size_t place) const { return parts_[place].slice; }
    // Where a core takes its instructions from: its slice, or, from a shared queue, all there are.
    [[nodiscard]] std::span<Instruction const> source(std::size_t place) const;
    // Keys that must be in the table when all instructions made so far have run.
    [[nodiscard]] std::uint64_t live_count() const;

    // The node for what goes with a core's slice, for the instructions and whatever else is made for each.
    [[nodiscard]] NodeId node(std::size_t place) const;

  private:
    // One core's; apart from the others, whose cores draw at the same time.
    struct alignas(cache_line_bytes) Part {
        Slice slice;
        Random random;
        Zipf ranks;
    };

    InstructionQueue(Workload const& workload, QueueKind kind)
        : workload_(&workload)
        , kind_(kind) {}

    Result<std::span<Instruction>> room(std::size_t start, std::size_t size, std::size_t place);
    // step(part, from, to) over every slice, on its core, a piece per task.
    template <typename Function> Result<void> over_slices(std::string_view what, Progress& progress, Function step);

    Workload const* workload_;
    QueueKind kind_;
    NodeVector<CoreId> cores_;
    NodeVector<NodeArray<Instruction>> arrays_; // one for each slice, or one for all
    NodeVector<Part> parts_;
};

} // namespace mxk::bench

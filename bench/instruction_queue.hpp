// All instructions of a run, cut into one slice per core (see Slice), and how the cores make them: each its own, a
// piece per task. The same seed gives the same keys, in the same slices, in the same order, whoever works them off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "bench/instructions.hpp"
#include "bench/mix.hpp"
#include "bench/progress.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

class InstructionQueue {
  public:
    // Memory for `operations` in the slices of the first `cores` cores, each on its core's node; there must be so many.
    // Errors: no memory.
    static Result<InstructionQueue> create(std::uint64_t operations, std::uint64_t seed, std::uint32_t cores);

    // The instructions for a table that is empty: those of a mixed phase, else an insert of every key. What was in the
    // queue is forgotten. Errors: no memory, interrupted by Ctrl-C. The console's task; blocks it until done.
    Result<void> begin_with(Mix const& phase, Progress& progress);

    // For a phase that needs keys: the same keys in random order, to be found or erased. As begin_with().
    Result<void> go_on_with(Mix const& phase, Progress& progress);

    [[nodiscard]] std::uint64_t operations() const { return operations_; }
    [[nodiscard]] std::span<CoreId const> cores() const { return cores_.span(); }
    [[nodiscard]] Slice const& slice(std::size_t core) const { return parts_[core].slice; }

  private:
    // One core's.
    struct Part {
        Slice slice;
        Random random;
    };

    InstructionQueue(std::uint64_t operations, std::uint64_t seed)
        : operations_(operations)
        , seed_(seed) {}

    // step(part, from, to) over every slice, on its core, a piece per task.
    template <typename Function> Result<void> over_slices(std::string_view what, Progress& progress, Function step);

    std::uint64_t operations_;
    std::uint64_t seed_;
    NodeVector<CoreId> cores_;
    NodeVector<Part> parts_;
};

} // namespace mxk::bench

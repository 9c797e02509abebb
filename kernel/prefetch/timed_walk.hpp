// A walk over lines of memory at random, each asked for some lines ahead: what a table that is larger than the caches
// does, without the table. For measuring which way of asking is the fastest on this machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/prefetch_plan.hpp"
#include "base/units.hpp"

namespace mxk {

// One core uses it; never blocks.
class LineWalk {
  public:
    struct alignas(cache_line_bytes) Line {
        std::array<std::uint64_t, cache_line_bytes / sizeof(std::uint64_t)> words;
    };

    // A power of two of them, which hold anything and will be written.
    explicit LineWalk(std::span<Line> lines)
        : lines_(lines) {}

    // Reads and writes `count` lines, others in each walk, asked for as the plan says. Gives the time for all.
    [[nodiscard]] Cycles run(PrefetchPlan const& plan, std::size_t count);

  private:
    template <PrefetchHint hint, bool has_near> Cycles run_as(PrefetchPlan const& plan, std::size_t count);
    template <PrefetchHint hint> Cycles run_by(PrefetchPlan const& plan, std::size_t count);

    std::span<Line> lines_;
    std::uint64_t next_ = 0; // of the sequence of lines
    std::array<Line*, PrefetchPlan::max_far> asked_{};
};

} // namespace mxk

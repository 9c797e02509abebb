// How lines of tables are asked for ahead of their use: which instruction, and how many of them are on their way.
// Machines differ: kernel/prefetch measures which plan suits one. The default is the same everywhere.
#pragma once

#include <cstdint>

namespace mxk {

// Which cache a line of a table is brought into, by PREFETCHh (SDM volume 2B): all levels, or from the second on. Where
// the first one has a buffer for each line on its way, as in today's processors, it has few of them, and a hint for the
// second needs none: several times as many lines can be under way.
enum class PrefetchHint : std::uint8_t { T0, T1, T2, Nta };

struct PrefetchPlan {
    static constexpr std::uint32_t max_far = 256;
    static constexpr std::uint32_t max_near = 31;

    PrefetchHint hint = PrefetchHint::T2;
    std::uint32_t far = 32; // lines on their way at a time
    // Operations between the second stage, PREFETCHT0 of a line that the first has brought into the second-level cache,
    // and its use; 0: there is no second stage.
    std::uint32_t near = 0;

    // The same for a queue of tasks. Half as many: an operation that is a task by itself takes several times as long as
    // one in a loop over lines.
    [[nodiscard]] constexpr std::uint32_t tasks() const { return far / 2; }

    bool operator==(PrefetchPlan const&) const = default;
};

// Of all cores. Not atomic, so that a loop reads it once: to be changed only while no core works on a table.
inline constinit PrefetchPlan prefetch_plan{};

} // namespace mxk

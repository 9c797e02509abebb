// A chain of loads, each of whose addresses the load before it gives: what one access costs when nothing overlaps with
// it. The chain is one cycle over all places of some memory in random order (Sattolo 1986), so that no prefetcher can
// follow it; lat_mem_rd of lmbench (McVoy, Staelin 1996) measures in this way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "base/units.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/progress.hpp"

namespace mxk::bench {

// Where the places of a chain lie: one in each stride. A place is the first word of a cache line. In a stride that is
// larger than a line, places go through its lines in turn, so that they do not all fall into the same set of a cache.
struct ChaseLayout {
    struct Place {
        Place* next;
    };

    std::byte* start;
    std::size_t count;                     // of places, no less than 1
    std::size_t stride = cache_line_bytes; // a power of two, a cache line or more

    [[nodiscard]] std::size_t bytes() const { return count * stride; }
    [[nodiscard]] Place* place(std::size_t at) const {
        // An odd number of lines between neighbours: all lines of the stride come in turn.
        constexpr std::size_t shift = 7 * cache_line_bytes;
        return reinterpret_cast<Place*>(start + at * stride + (at * shift & (stride - 1)));
    }
};

// Of a chain; the same in every run, so that they can be compared.
constexpr std::uint64_t chase_seed = 1;

// Writes the chain: each place has the address of the next one. What else is there stays. Any core.
void link_places(ChaseLayout const& layout, std::uint64_t seed);

// Follows the chain for so many steps.
ChaseLayout::Place* follow(ChaseLayout::Place* place, std::size_t steps);

// Where in a lap of `count` steps one looks whether the chain is one cycle: after count / p steps, for each prime
// factor p of count. A chain that is at its start after count steps, and at none of these, has come to count different
// places: a shorter cycle that ends there, too, has a length that divides one of these.
class CycleCheckpoints {
  public:
    // 2^64 has no number with more prime factors.
    static constexpr std::size_t capacity = 15;

    // count: no less than 1.
    static CycleCheckpoints of(std::size_t count);

    // Ascending.
    [[nodiscard]] std::span<std::size_t const> steps() const { return {steps_.data(), size_}; }

  private:
    std::array<std::size_t, capacity> steps_{};
    std::size_t size_ = 0;
};

// Measures a chain that has been written: a lap, in which it is checked that each place comes once; and where a lap is
// too short to be timed, as many more laps as it takes. In pieces, so that others have a turn, and so that one during
// which the thread was preempted does not count: what a load takes is the median of the pieces.
class ChaseRun {
  public:
    // `loads`: no fewer are timed.
    ChaseRun(ChaseLayout const& layout, std::size_t loads);

    // The next piece, on the core that is measured: up to 100 ms. False: it was the last one.
    bool advance();

    [[nodiscard]] std::size_t timed_loads() const { return timed_loads_; }
    // Of a load, in the pieces so far. No piece: 0.
    [[nodiscard]] double median_cycles() const;
    [[nodiscard]] bool verified() const { return ended_ && verified_; }

  private:
    static constexpr std::size_t max_pieces = 256;

    void check_lap_further();
    void run_laps();
    Cycles time_steps(std::size_t steps);
    void count_piece(std::size_t steps, Cycles time);

    ChaseLayout layout_;
    std::size_t loads_;
    std::size_t piece_; // loads, about
    CycleCheckpoints checkpoints_;
    ChaseLayout::Place* at_;
    std::size_t step_ = 0; // of the lap that is checked
    bool is_timed_;        // that lap
    std::size_t timed_loads_ = 0;
    std::array<double, max_pieces> cycles_{}; // per load, by piece
    std::size_t pieces_ = 0;
    bool verified_ = true;
    bool ended_ = false;
};

// What a run of a chain says: nanoseconds per load.
Sample sample_of(ChaseRun const& run);

// Writes a chain there, measures it, both on this core. Errors: no memory for the task, or interrupted by Ctrl-C.
// The console's task; blocks it until done.
Result<Sample> measure_chase(CoreId core, ChaseLayout const& layout, std::size_t loads, Progress const& progress);

} // namespace mxk::bench

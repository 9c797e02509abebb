// Loads that overlap: what remains of the latency of a load when others are under way beside it. In two ways: several
// chains (chase.hpp) that are followed at a time; and one walk whose places are known ahead, and are prefetched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.hpp"
#include "bench/machine/chase.hpp"

namespace mxk::bench {

// As many loads as there are chains may be under way: a load takes the latency by their number, as far as the core can
// have so many misses. One core.
class ChainGroup {
  public:
    static constexpr std::size_t max_chains = 32;

    // `chains`: a power of two. They get the same number of the layout's places, one or more each.
    ChainGroup(ChaseLayout const& layout, std::size_t chains);

    // Writes the chains, each a cycle of its own.
    void link(std::uint64_t seed);
    // Loads each place of each chain once; in turns, a place of each chain.
    void follow();

    // Loads of follow().
    [[nodiscard]] std::size_t loads() const { return chains_ * part_.count; }
    // Whether each chain is at its start, as after any number of laps, and was not there after half of one.
    [[nodiscard]] bool verified() const { return verified_; }

  private:
    [[nodiscard]] ChaseLayout layout_of(std::size_t chain) const;
    void follow(std::size_t steps);
    [[nodiscard]] std::size_t chains_at_start() const;

    ChaseLayout part_; // of the first chain
    std::size_t chains_;
    std::array<ChaseLayout::Place*, max_chains> at_{};
    bool verified_ = true;
};

// A walk over all lines of a memory in which each load waits for the one before, and whose places can be computed ahead
// nevertheless: place n is followed by multiplier * n + 1, modulo the number of places, which is a power of two. Such a
// sequence comes to each place once (Hull, Dobell 1962). Each place holds its own number, and what is loaded or asked
// for next is computed from the number that was loaded, so that a core cannot run ahead of its loads. One core.
class PrefetchedWalk {
  public:
    // `places`: lines, a power of two, 2 or more.
    PrefetchedWalk(std::span<std::uint64_t> words, std::size_t places)
        : words_(words)
        , mask_(places - 1) {}

    void write();
    // Loads each place once, and asks for the place that comes `distance` loads later; 0: does not ask.
    void follow(std::size_t distance);

    [[nodiscard]] std::size_t loads() const { return mask_ + 1; }
    // Whether the walk is at its start, as after any number of laps, and was not there after half of one.
    [[nodiscard]] bool verified() const { return verified_; }

  private:
    static constexpr std::size_t words_per_line = cache_line_bytes / sizeof(std::uint64_t);

    // The number that comes some steps later.
    struct Jump {
        std::uint64_t multiplier = 1;
        std::uint64_t increment = 0;

        [[nodiscard]] std::uint64_t from(std::uint64_t number) const { return number * multiplier + increment; }
    };
    static constexpr Jump one_step{2'862'933'555'777'941'757U, 1}; // of full period: the multiplier is 1 modulo 4

    template <bool prefetches> void follow(std::size_t steps, Jump ahead);

    std::span<std::uint64_t> words_;
    std::uint64_t mask_;
    std::uint64_t at_ = 0;
    bool verified_ = true;
};

} // namespace mxk::bench

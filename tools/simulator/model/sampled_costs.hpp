// What blocks of code take where a sampled run skips the model. They have their times of the modelled intervals before,
// by the node of the core, times the pace: cores that wait for each other are not as near to each other there as with
// the model, so it is seen how often each block of code runs in a gap and how often in an interval of that length, and
// in the next gap they are so much faster or slower that all gaps together have as much of the program in them as
// modelled time would have.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tools/simulator/model/core.hpp"

namespace mxk::simulator {

/// Instructions of a block of code, by the address where it begins.
using InstructionsOfBlocks = std::unordered_map<std::uint64_t, double>;

class SampledCosts {
  public:
    explicit SampledCosts(Machine const& machine)
        : machine_(machine) {}

    /// Forgets all: another measured part begins.
    void clear();

    /// Between these two calls an interval of that length is modelled that counts.
    void begin_interval(std::span<Core const* const> cores);
    void end_interval(std::span<Core const* const> cores, Time length);
    /// So much was run in a gap of that length.
    void end_gap(InstructionsOfBlocks const& skipped, Time length);

    /// Of an instruction of the block that begins there, or of any block, in parts of a cycle. Nothing, as long as
    /// nothing is known.
    std::optional<double> of_block(std::uint64_t address, unsigned node) const;
    double of_any(unsigned node) const;
    double pace() const { return pace_; }

    /// Of the time of all gaps, the 95 % limit, as a part of it: how far gaps were from the intervals before them, and
    /// half of how far the intervals behind them were, since what changes does so in the gap; and 1 %. Nothing, of less
    /// than three gaps with an interval behind.
    std::optional<double> error() const;

  private:
    struct Cost {
        double time = 0;
        double instructions = 0;

        Cost& operator+=(Cost const& other) {
            time += other.time;
            instructions += other.instructions;
            return *this;
        }
        Cost operator*(double factor) const { return {time * factor, instructions * factor}; }
        double mean() const { return time / instructions; }
    };
    using ByNode = std::vector<Cost>;

    static Cost sum(ByNode const& costs);
    void add(std::span<Core const* const> cores, double sign);
    std::optional<double> progress(InstructionsOfBlocks const& run, Time length) const;

    Machine const& machine_;
    std::unordered_map<std::uint64_t, ByNode> interval_; // by address
    std::unordered_map<std::uint64_t, ByNode> known_;    // of the intervals before, the older the less
    double known_length_ = 0;                            // of those
    ByNode any_;
    double pace_ = 1;
    double gaps_ = 0;            // their length
    double made_in_gaps_ = 0;    // the length of modelled time that has as much of the program in it
    double gap_ = 0;             // of the last one
    std::vector<double> misses_; // by interval: its progress by what was known, minus 1, times the gap before it
};

} // namespace mxk::simulator

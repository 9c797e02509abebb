// Which lines of memory are moved between cores, what that costs, and who accesses them where: the table that names a
// line to blame. Memory is bounded: when there are too many lines, the half that cost less is dropped, and a line has
// to be moved more often before it is counted in detail (so what is dropped was rarely moved); of accesses beyond
// max_places only the number is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/simulator/model/line_directory.hpp"

namespace mxk::simulator {

/// A piece of code that accesses a part of a line from a core.
struct Place {
    std::uint64_t code = 0;
    std::uint32_t line = 0; // its number in the statistics; 0: an empty place of the table
    std::uint16_t core = 0;
    std::uint8_t offset = 0;
    std::uint8_t bytes = 0;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
};

struct LineRecord {
    std::uint64_t physical_address = 0;
    std::uint64_t virtual_address = 0; // the last one that it was accessed by
    std::uint64_t transfers = 0;
    std::uint64_t invalidations = 0; // copies that were invalidated
    Time waited = 0;                 // by accesses, from when they asked for the line; those that overlap count each
    Time lost = 0;                   // what cores lost by that (Cause::OtherCore)
};

class LineStatistics {
  public:
    static constexpr std::size_t max_lines = 16384;
    static constexpr std::size_t max_places = std::size_t{1} << 20;

    explicit LineStatistics(Directory& directory)
        : directory_(directory) {
        reset();
    }

    /// Whether anything is counted, as at first.
    void set_counting(bool counts) { counts_ = counts; }

    /// A line was moved or copies of it were invalidated.
    void count(LineNumber line, std::uint64_t virtual_address, unsigned transfers, unsigned invalidations, Time waited);

    /// A core lost time by a line.
    void blame(LineNumber line, Time time) {
        if (directory_.is_memory(std::uint64_t{line} * Machine::line_bytes))
            lines_[directory_[line].statistics].lost += time;
    }

    /// An access to a line whose directory entry has this number (0 is ignored). both: reads and writes.
    struct AccessedBy {
        std::uint64_t code;
        unsigned core;
        unsigned offset;
        unsigned bytes;
        bool reads;
        bool writes;
    };
    void count(std::uint32_t number, AccessedBy const& access);

    /// The first ones in the order of what they cost, the expensive ones first.
    struct Line {
        LineRecord record;
        std::vector<Place> places; // in the order of their number of accesses
    };
    std::vector<Line> by_cost(std::size_t count) const;
    std::uint64_t uncounted_accesses() const { return uncounted_accesses_; }

    void reset();

  private:
    std::size_t find(Place const& wanted) const;
    void drop_half();
    void rebuild_places(std::size_t size);

    Directory& directory_;
    std::vector<LineRecord> lines_; // [0] is none
    std::vector<Place> places_;     // a hash table with linear probing; its size is a power of two
    std::size_t used_places_ = 0;
    std::uint64_t uncounted_accesses_ = 0;
    unsigned min_events_ = 1;
    bool counts_ = true;
};

} // namespace mxk::simulator

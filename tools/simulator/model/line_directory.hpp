// What is known of each line of memory: who has it. Found by its address; room for it is made when a part of memory is
// first accessed, as large as half of that.
//
// Legal states: an owner (a core that has it exclusive or modified) is its only sharer, no other L3 than its own has
// it; `dirty` (the L3s have newer data than memory) with an L3 that has it and without an owner.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tools/simulator/model/cache.hpp"
#include "tools/simulator/model/time.hpp"

namespace mxk::simulator {

struct DirectoryLine {
    Time available = 0;        // a request has to wait for an earlier one, which moves the line, until then
    std::uint64_t sharers = 0; // groups of cores, of which some have it in a private cache
    std::uint32_t l3s = 0;     // which have it
    std::uint32_t statistics = 0;
    std::uint16_t owner = 0; // a core's number + 1, or 0
    std::uint8_t events = 0; // transfers and invalidations that were not counted in detail
    bool dirty : 1 = false;
    bool migratory : 1 = false; // it was read to be written
    bool is_remote : 1 = false; // memory's own directory says that another node has it
    std::uint16_t taker = 0;    // who read it out of an owner's cache, and nobody since: a core's number + 1, or 0
};
static_assert(sizeof(DirectoryLine) == 32);

struct MemoryRange {
    std::uint64_t begin; // physical addresses, multiples of 2 MiB
    std::uint64_t end;
    unsigned node;
};

class Directory {
  public:
    /// Throws std::runtime_error if a range is empty or above 240 GiB.
    void map(std::span<MemoryRange const> ranges);

    bool is_memory(std::uint64_t physical) const {
        std::uint64_t const number = physical >> part_bits;
        return number < parts_.size() && parts_[number].node != nowhere;
    }
    /// Both: of memory only.
    DirectoryLine& operator[](LineNumber line) {
        Part& part = parts_[line >> (part_bits - 6)];
        if (!part.lines) allocate(part);
        return part.lines[line % lines_per_part];
    }
    unsigned home(LineNumber line) const { return parts_[line >> (part_bits - 6)].node; }

    /// Page tables are not known; they are thought to be here, above the memory that was mapped, on the first node.
    std::uint64_t page_tables() const { return page_tables_; }
    static constexpr std::uint64_t page_table_pages = 32768;

  private:
    static constexpr unsigned part_bits = 21;
    static constexpr std::uint64_t lines_per_part = std::uint64_t{1} << (part_bits - 6);
    static constexpr std::uint8_t nowhere = 0xff;

    struct Part {
        std::unique_ptr<DirectoryLine[]> lines;
        std::uint8_t node = nowhere;
    };
    static void allocate(Part& part);

    std::vector<Part> parts_;
    std::uint64_t page_tables_ = 0;
};

} // namespace mxk::simulator

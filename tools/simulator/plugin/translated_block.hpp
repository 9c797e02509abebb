// A block of instructions as QEMU translates it: begins at one address, and is left at its end (or in the middle, by an
// exception). Made once per translation, executed many times.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/simulator/model/instruction.hpp"
#include "tools/simulator/model/time.hpp"

namespace mxk::simulator {

enum class Marker : std::uint8_t { None, Begin, End };

struct Block {
    std::uint64_t address = 0;
    std::uint64_t end = 0;                // of the last instruction
    std::uint64_t physical = 0;           // of the first instruction
    std::uint64_t physical_next_page = 0; // of the page that the block goes on in, if it does
    std::uint64_t target = 0;             // of the direct jump at the end, or 0
    std::uint8_t page_bits = 12;          // log2 of the size of the page that it is in
    Time extra = 0;                       // without a model: beyond a cycle for each instruction
    bool sleeps = false;                  // has an instruction that halts the core
    bool ends_anywhere = false;           // by an indirect jump or a return: any block may come next
    bool handles_interrupts = false;      // comes after an interrupt or an exception (found out as it runs)
    Marker marker = Marker::None;
    std::vector<Instruction> instructions;
    std::vector<Time> skipped_costs; // by node: of all instructions, where a sampled run skips them; none: not known
    std::uint64_t skipped = 0;       // instructions, in the gap of a sampled run
    std::vector<bool> new_line;      // by instruction: it is in another line of code than the one before

    std::uint64_t physical_of(Instruction const& instruction) const {
        std::uint64_t const page = ~std::uint64_t{0xfff};
        if ((instruction.address & page) == (address & page)) return physical + (instruction.address - address);
        return physical_next_page + (instruction.address & ~page);
    }

    /// Whether the block at that address can follow without an interrupt.
    bool may_lead_to(std::uint64_t next) const {
        return ends_anywhere || next == end || next == target || next == instructions.back().address;
    }
};

} // namespace mxk::simulator

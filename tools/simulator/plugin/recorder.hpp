// What a core does, on its way from the emulator to the model: accesses are collected while a block runs; when the next
// one begins, the block's instructions are executed in the model with their accesses.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/simulator/model/core.hpp"
#include "tools/simulator/plugin/translated_block.hpp"

namespace mxk::simulator {

class Recorder {
  public:
    void begin(Block& block) {
        block_ = &block;
        done_ = 0;
        end_ = static_cast<unsigned>(block.instructions.size());
        was_cut_ = false;
        accesses_.clear();
        used_ = 0;
    }
    /// Which was begun; null behind clear().
    Block* block() const { return block_; }
    void clear() { block_ = nullptr; }

    /// Where the block is left: instructions from there on do not run.
    unsigned end() const { return end_; }
    /// The place of one of its instructions, or end of all, if it is not one of them.
    std::size_t place_of(Instruction const& instruction) const {
        return block_ == nullptr ? ~std::size_t{0}
                                 : static_cast<std::size_t>(&instruction - block_->instructions.data());
    }
    bool has(Instruction const& instruction) const {
        return block_ != nullptr && &instruction >= block_->instructions.data() &&
               &instruction < block_->instructions.data() + block_->instructions.size();
    }

    /// By one of the block's instructions, in their order.
    void add(unsigned instruction, Access const& access) { accesses_.push_back({access, instruction}); }

    /// The block was left for an access to a device: that instruction ran in a block of its own, and another block goes
    /// on behind it.
    void cut_behind(std::uint64_t address);
    bool was_cut() const { return was_cut_; }

    /// Without a model: so many instructions were run.
    unsigned skip(unsigned end) {
        unsigned const count = end - done_;
        done_ = end;
        return count;
    }
    /// Executes those below `end` that were not yet executed. next: where the core goes on behind the last one.
    void execute(Core& core, unsigned end, std::uint64_t next);

  private:
    struct Recorded {
        Access access;
        unsigned instruction;
    };

    Block* block_ = nullptr;
    unsigned done_ = 0; // below: accounted for
    unsigned end_ = 0;
    bool was_cut_ = false;
    std::vector<Recorded> accesses_;
    std::size_t used_ = 0;        // accesses of instructions that were executed
    std::uint64_t last_line_ = 0; // of code
    std::vector<Access> of_one_;  // accesses of an instruction
};

} // namespace mxk::simulator

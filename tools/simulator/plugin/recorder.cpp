#include "tools/simulator/plugin/recorder.hpp"

#include <algorithm>

namespace mxk::simulator {

void Recorder::cut_behind(std::uint64_t address) {
    if (block_ == nullptr) return;
    auto const found = std::ranges::find(block_->instructions, address, &Instruction::address);
    if (found == block_->instructions.end()) return;
    end_ = std::min(end_, static_cast<unsigned>(found - block_->instructions.begin()) + 1);
    was_cut_ = true;
}

void Recorder::execute(Core& core, unsigned end, std::uint64_t next) {
    for (; done_ < end; ++done_) {
        Instruction const& instruction = block_->instructions[done_];
        of_one_.clear();
        std::uint64_t const line = instruction.address / Machine::line_bytes;
        if (block_->new_line[done_] && line != last_line_) {
            of_one_.push_back({.virtual_address = instruction.address,
                               .physical_address = block_->physical_of(instruction),
                               .bytes = 1,
                               .kind = Kind::Fetch,
                               .page_bits = block_->page_bits});
            last_line_ = line;
        }
        for (; used_ != accesses_.size() && accesses_[used_].instruction == done_; ++used_)
            of_one_.push_back(accesses_[used_].access);
        bool const is_last = done_ + 1 == block_->instructions.size();
        core.execute(instruction, of_one_, is_last && next != block_->end);
    }
}

} // namespace mxk::simulator

// A core's time and instructions by block of code: a hash table with linear probing that grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/simulator/model/cpi_stack.hpp"

namespace mxk::simulator {

struct BlockTime {
    std::uint64_t address = 0;
    std::uint64_t instructions = 0;
    CpiStack stack;
};

class BlockProfile {
  public:
    BlockProfile() { reset(); }

    /// The block's entry, until the next call.
    BlockTime& operator[](std::uint64_t address);

    /// Those that were entered, in no order.
    std::vector<BlockTime> blocks() const;
    void reset();

  private:
    std::size_t find(std::uint64_t address) const;

    std::vector<BlockTime> table_; // its size is a power of two
    std::vector<bool> used_;
    std::size_t count_ = 0;
};

} // namespace mxk::simulator

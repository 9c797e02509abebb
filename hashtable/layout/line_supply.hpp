// Lines for the chains of one table, on its owner's node: some made and touched in advance, more in chunks when these
// are used up, and those that were given back first. For one core at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/layout/pair_line.hpp"

namespace mxk {

class LineSupply {
  public:
    explicit LineSupply(NodeId node)
        : node_(node) {}
    ~LineSupply(); // all lines go with it
    LineSupply(LineSupply&& other) noexcept
        : freed_(std::exchange(other.freed_, nullptr))
        , fresh_(std::exchange(other.fresh_, nullptr))
        , fresh_end_(std::exchange(other.fresh_end_, nullptr))
        , in_use_(std::exchange(other.in_use_, 0))
        , made_(std::exchange(other.made_, 0))
        , newest_(std::exchange(other.newest_, nullptr))
        , node_(other.node_) {}
    LineSupply& operator=(LineSupply&&) = delete;

    // Makes `lines` lines in advance, besides those that there are, and writes them all, so that no page of theirs is
    // touched first by an operation. Errors: no memory. Blocks for the allocator's lock.
    Result<void> reserve(std::size_t lines);

    // A line that holds anything, or null when no node has memory left. Blocks (for the allocator's lock) only when the
    // lines made in advance are used up, and then once per chunk.
    [[nodiscard]] PairLine* take() {
        PairLine* const line = freed_ != nullptr ? freed_ : fresh_;
        if (line == fresh_end_) [[unlikely]]
            return grow() ? take() : nullptr;
        if (freed_ != nullptr)
            freed_ = reinterpret_cast<PairLine*>(line->link());
        else
            ++fresh_;
        // The next one, while there is time.
        __builtin_prefetch(freed_ != nullptr ? freed_ : fresh_, 1);
        ++in_use_;
        return line;
    }

    // A line that take() gave.
    void give_back(PairLine& line) {
        line.set_link(reinterpret_cast<std::uintptr_t>(freed_));
        freed_ = &line;
        --in_use_;
    }

    // Where further lines are wanted.
    void set_node(NodeId node) { node_ = node; }

    [[nodiscard]] std::size_t in_use() const { return in_use_; }
    // Lines that there is memory for, in use or not.
    [[nodiscard]] std::size_t made() const { return made_; }

  private:
    struct Chunk; // stands in the first line of its memory

    [[nodiscard]] bool grow();
    Result<void> add_chunk(std::size_t lines);

    PairLine* freed_ = nullptr;     // last in, first out: the one that is likely still cached
    PairLine* fresh_ = nullptr;     // what of the newest chunk was never given out
    PairLine* fresh_end_ = nullptr; // never a line of freed_: the newest chunk ends there
    std::size_t in_use_ = 0;
    std::size_t made_ = 0;
    Chunk* newest_ = nullptr;
    NodeId node_;
};

} // namespace mxk

// hashtable/shared/concurrent/head_block.hpp for the model checker: the heads in one piece of a run's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "hashtable/shared/concurrent/marked_link.hpp"
#include "tests/model/model_memory.hpp"

namespace mxk::concurrent {

class HeadBlock {
  public:
    HeadBlock(unsigned order, std::uintptr_t marks)
        : order_(order)
        , heads_(static_cast<AtomicLink*>(test::ModelMemory::allocate(size() * sizeof(AtomicLink), 8))) {
        for (std::size_t at = 0; at < size(); ++at) new (heads_ + at) AtomicLink(MarkedLink(&end_of_chains, marks));
    }

    [[nodiscard]] unsigned order() const { return order_; }
    [[nodiscard]] std::size_t size() const { return std::size_t{1} << order_; }
    [[nodiscard]] std::size_t index(std::uint64_t hash) const {
        return static_cast<std::size_t>(hash >> (64 - order_));
    }
    [[nodiscard]] std::uint64_t first_hash(std::size_t index) const {
        return static_cast<std::uint64_t>(index) << (64 - order_);
    }
    [[nodiscard]] AtomicLink& operator[](std::size_t index) const { return heads_[index]; }
    [[nodiscard]] AtomicLink& of(std::uint64_t hash) const { return (*this)[index(hash)]; }
    void prefetch(std::uint64_t /*hash*/) const {}

  private:
    test::ModelPlain<unsigned> order_;
    AtomicLink* heads_;
};

} // namespace mxk::concurrent

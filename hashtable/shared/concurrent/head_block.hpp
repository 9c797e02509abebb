// The heads of a concurrent table's chains: a power of two of them, so that head i of a block becomes heads 2i and 2i+1
// of one that is twice as large. They lie in equal parts, one behind the other, on the nodes that the table was given
// in turn: keys of any kind then use the memory of all of them alike.
//
//     hash of a key   | part | head in the part |  the rest: order in the chain
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "base/prefetch.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/shared/concurrent/marked_link.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::concurrent {

class HeadBlock {
  public:
    static constexpr unsigned min_order = 3;
    static constexpr unsigned max_order = 48;

    // 2^order heads, which hold anything until fill() has been called for each of them. `order`: min_order to
    // max_order. `nodes`: a part on each of them if they are a power of two, else more parts, in turn. Errors: no
    // memory. Callers as memory::allocate().
    static Result<HeadBlock> create(unsigned order, std::span<NodeId const> nodes) {
        std::size_t const parts = std::min(parts_for(nodes.size()), std::size_t{1} << order);
        HeadBlock result;
        result.order_ = order;
        result.part_order_ = order - static_cast<unsigned>(std::bit_width(parts) - 1);
        result.parts_ = MXK_TRY(NodeVector<NodeArray<AtomicLink>>::create(parts, nodes.front()));
        for (std::size_t at = 0; at < parts; ++at)
            result.parts_.emplace(
                MXK_TRY(NodeArray<AtomicLink>::create(std::size_t{1} << result.part_order_, nodes[at % nodes.size()])));
        return result;
    }

    [[nodiscard]] unsigned order() const { return order_; }
    [[nodiscard]] std::size_t size() const { return std::size_t{1} << order_; }
    [[nodiscard]] std::size_t bytes() const { return size() * sizeof(AtomicLink); }
    [[nodiscard]] std::size_t index(std::uint64_t hash) const {
        return static_cast<std::size_t>(hash >> (64 - order_));
    }
    // The smallest hash of the head's chain.
    [[nodiscard]] std::uint64_t first_hash(std::size_t index) const {
        return static_cast<std::uint64_t>(index) << (64 - order_);
    }
    [[nodiscard]] AtomicLink& operator[](std::size_t index) const {
        return parts_[index >> part_order_][index & ((std::size_t{1} << part_order_) - 1)];
    }
    [[nodiscard]] AtomicLink& of(std::uint64_t hash) const { return (*this)[index(hash)]; }
    void prefetch(std::uint64_t hash) const { prefetch_far(&of(hash)); }

    // relaxed, as nobody else has the block yet: what makes it public releases it.
    void fill(std::size_t from, std::size_t to, std::uintptr_t marks) const {
        for (std::size_t at = from; at < to; ++at) new (&(*this)[at]) AtomicLink(MarkedLink(&end_of_chains, marks));
    }

  private:
    HeadBlock() = default;

    // Where nodes are no power of two: then some have one part more than others.
    static constexpr std::size_t max_parts = 64;
    static std::size_t parts_for(std::size_t nodes) {
        bool const is_power = (nodes & (nodes - 1)) == 0; // std::has_single_bit() is a library's on a bare machine
        return is_power ? std::min(nodes, max_parts) : max_parts;
    }

    unsigned order_ = 0;
    unsigned part_order_ = 0; // of the heads of one part
    NodeVector<NodeArray<AtomicLink>> parts_;
};

} // namespace mxk::concurrent

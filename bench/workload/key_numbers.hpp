// Different keys, numbered in the order in which they come first: an open hash table of the numbers, beside the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/hash.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk::bench {

// One core uses it.
class KeyNumbers {
  public:
    static constexpr std::size_t max_keys = std::numeric_limits<std::uint32_t>::max() - 1;

    // Room for `max` different keys, 1 to max_keys. Errors: no memory.
    static Result<KeyNumbers> create(std::size_t max, NodeId node) {
        KeyNumbers result;
        result.keys_ = MXK_TRY(NodeArray<std::uint64_t>::create(max, node));
        result.places_ = MXK_TRY(NodeArray<std::uint32_t>::create_zeroed(2 * max, node));
        return result;
    }

    // 0 for the first key, and so on; the same for the same key.
    std::size_t number_of(std::uint64_t key) {
        std::size_t place = high_product(MixedHash()(key), places_.size());
        for (; places_[place] != 0; place = place + 1 == places_.size() ? 0 : place + 1)
            if (keys_[places_[place] - 1] == key) return places_[place] - 1;
        keys_[count_] = key;
        places_[place] = static_cast<std::uint32_t>(++count_);
        return count_ - 1;
    }

    // By their numbers.
    [[nodiscard]] std::span<std::uint64_t const> keys() const { return keys_.span().first(count_); }
    NodeArray<std::uint64_t> take_keys() && { return std::move(keys_); }

  private:
    KeyNumbers() = default;

    NodeArray<std::uint64_t> keys_;
    NodeArray<std::uint32_t> places_; // 1 more than the number; 0: none
    std::size_t count_ = 0;
};

} // namespace mxk::bench

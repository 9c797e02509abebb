// Sets of keys of which the last recently used one makes room: a cache without data. Each set is kept in the order of
// use, so that what was used last is found first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mxk::simulator {

/// Which of `count` sets; any count, fastest for powers of two.
class SetIndex {
  public:
    explicit SetIndex(std::uint32_t count)
        : count_(count)
        , mask_((count & (count - 1)) == 0 ? count - 1 : 0) {}

    std::uint32_t operator()(std::uint64_t key) const {
        if (mask_ != 0) return static_cast<std::uint32_t>(key) & mask_;
        return static_cast<std::uint32_t>(key % count_);
    }

  private:
    std::uint32_t count_;
    std::uint32_t mask_;
};

/// Key 0 is no key: store what is never 0.
template <class Key> class LruSets {
  public:
    LruSets(std::uint32_t sets, unsigned ways)
        : set_(sets)
        , ways_(ways)
        , keys_(std::size_t{sets} * ways) {}

    /// Whether it is there; it is the last used one then.
    bool touch(Key key, std::uint64_t index) {
        Key* const set = first(index);
        if (set[0] == key) return true;
        Key* const found = std::find(set + 1, set + ways_, key);
        if (found == set + ways_) return false;
        std::copy_backward(set, found, found + 1);
        set[0] = key;
        return true;
    }

    /// Adds what is not there; what had to make room, or 0.
    Key insert(Key key, std::uint64_t index) {
        Key* const set = first(index);
        Key const victim = set[ways_ - 1];
        std::copy_backward(set, set + ways_ - 1, set + ways_);
        set[0] = key;
        return victim;
    }

    void clear() { std::fill(keys_.begin(), keys_.end(), Key{}); }

  private:
    Key* first(std::uint64_t index) { return keys_.data() + std::size_t{set_(index)} * ways_; }

    SetIndex set_;
    unsigned ways_;
    std::vector<Key> keys_;
};

} // namespace mxk::simulator

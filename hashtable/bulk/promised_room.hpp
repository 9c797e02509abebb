// How many keys a region of a bulk table has, how many more it was promised, and how many its buckets are for. Calls
// promise keys before they have the region's lock, so that one that prepares its operations does not wait for another
// that applies its own.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/inject.hpp"

namespace mxk {

// A holder of the region's lock for writing, unless a function says otherwise.
class PromisedRoom {
  public:
    [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_relaxed); }
    // With the keys that were promised, and are not put yet, or are and still count as promised.
    [[nodiscard]] std::size_t wanted() const { return size() + promised_.load(std::memory_order_seq_cst); }
    [[nodiscard]] std::size_t limit() const { return limit_.load(std::memory_order_relaxed); }

    // Any thread, without the lock: whether so many keys more fit; then they are promised. Of keys that are put one by
    // one meanwhile, one may not be seen yet.
    bool try_promise(std::size_t keys) {
        // Without the memory for more it fails here, so that others do not meet a promise that is taken back at once.
        if (size() + promised_.load(std::memory_order_relaxed) + keys > limit()) return false;
        // seq_cst, as the limit below and close(): who makes the region smaller sees what was promised by the old
        // limit. acquire: whose promise was taken back, its keys are seen.
        std::size_t const promised = promised_.fetch_add(keys, std::memory_order_seq_cst) + keys;
        inject::point();
        if (size() + promised <= limit_.load(std::memory_order_seq_cst)) return true;
        take_back(keys);
        return false;
    }
    // Whether they fit or not. relaxed: of two promises the later one sees the other.
    void promise(std::size_t keys) { promised_.fetch_add(keys, std::memory_order_relaxed); }
    // release: who sees it sees the keys that were put. Any thread, of what it has promised.
    void take_back(std::size_t keys) { promised_.fetch_sub(keys, std::memory_order_release); }

    // Until open() nothing is promised without the lock. Behind it wanted() has all that was.
    void close() { limit_.store(0, std::memory_order_seq_cst); }
    void open(std::size_t limit) { limit_.store(limit, std::memory_order_relaxed); }

    void add_key() { size_.store(size() + 1, std::memory_order_relaxed); }
    void remove_key() { size_.store(size() - 1, std::memory_order_relaxed); }
    void remove_all() { size_.store(0, std::memory_order_relaxed); }

  private:
    std::atomic<std::size_t> size_{0};
    std::atomic<std::size_t> promised_{0};
    std::atomic<std::size_t> limit_{0};
};

} // namespace mxk

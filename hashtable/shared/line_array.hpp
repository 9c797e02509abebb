// The buckets of a table of lines: one array for each owner, its segment, on the owner's node. The leading bits of a
// key's hash say which segment, and those behind them where in it; as fractions, so that there may be any number of
// both.
//
//     hash    | segment | bucket of it |
//
// While the table is resized there is a second LineArray behind the first: with a power of two times as many buckets in
// each segment, or half as many. What is in bucket i goes to the buckets i * factor to i * factor + factor - 1, and to
// no other, or both 2 i and 2 i + 1 go to i.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/shared/concurrent_line.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/sync/rcu/callback.hpp"

namespace mxk {

// Any core; never blocks unless a function says otherwise.
class alignas(cache_line_bytes) LineArray : rcu::Callback {
  public:
    // One segment's. What is to be done to move it is claimed slice by slice.
    struct alignas(cache_line_bytes) Segment {
        ConcurrentLine* lines;
        memory::Block memory;
        alignas(cache_line_bytes) std::atomic<std::size_t> claimed{0};
    };

    enum class Lines : std::uint8_t {
        Empty, // written by the calling core
        Raw,   // hold anything
    };
    // `buckets` of each segment. Null: no memory; then nothing was taken. Blocks for the allocator's lock.
    static LineArray* create(std::span<Owner const> owners, std::size_t buckets, Lines lines);
    // Gives the memory back at once, and what follows it, too. Blocks for the allocator's lock.
    static void destroy(LineArray* array);

    // For grace.call(): gives its memory back when it runs.
    rcu::Callback& callback();

    [[nodiscard]] std::size_t segments() const { return segments_; }
    [[nodiscard]] std::size_t buckets() const { return buckets_; }
    [[nodiscard]] std::size_t all_buckets() const { return segments_ * buckets_; }
    [[nodiscard]] std::size_t bytes() const { return all_buckets() * sizeof(ConcurrentLine); }
    [[nodiscard]] Segment& segment(std::size_t at) { return (reinterpret_cast<Segment*>(this + 1))[at]; }
    [[nodiscard]] Segment const& segment(std::size_t at) const {
        return (reinterpret_cast<Segment const*>(this + 1))[at];
    }

    [[nodiscard]] std::size_t segment_of(std::uint64_t hash) const { return high_product(hash, segments_); }
    // In its segment; with this number of buckets there.
    [[nodiscard]] std::size_t bucket_of(std::uint64_t hash, std::size_t buckets) const {
        return high_product(hash * segments_, buckets);
    }
    [[nodiscard]] std::size_t bucket_of(std::uint64_t hash) const { return bucket_of(hash, buckets_); }
    [[nodiscard]] ConcurrentLine& line_of(std::uint64_t hash) const {
        return segment(segment_of(hash)).lines[bucket_of(hash)];
    }

    // The array that all goes to; null: none yet. acquire: pairs with follow().
    [[nodiscard]] LineArray* next() const { return next_.load(std::memory_order_acquire); }
    // release: who sees it sees its segments. Once.
    void follow(LineArray& next) { next_.store(&next, std::memory_order_release); }

    // So many of the array's buckets were moved. Whether these were the last. acq_rel: who finds so has seen what all
    // others have moved.
    bool note_moved(std::size_t count) {
        return moved_.fetch_add(count, std::memory_order_acq_rel) + count == all_buckets();
    }
    // A slice had to be left for lack of memory: all slices are to be claimed once more. relaxed: only a hint, a bucket
    // says itself whether it is moved.
    void note_failure() { has_failed_.store(true, std::memory_order_relaxed); }
    bool take_failure() {
        return has_failed_.load(std::memory_order_relaxed) && has_failed_.exchange(false, std::memory_order_relaxed);
    }

  private:
    LineArray(std::size_t segments, std::size_t buckets, memory::Block const& memory)
        : segments_(segments)
        , buckets_(buckets)
        , memory_(memory) {}

    std::uint64_t segments_;
    std::uint64_t buckets_;
    std::atomic<LineArray*> next_{nullptr};
    memory::Block memory_; // of this and the segments behind it
    alignas(cache_line_bytes) std::atomic<std::size_t> moved_{0};
    std::atomic<bool> has_failed_{false};
};

} // namespace mxk

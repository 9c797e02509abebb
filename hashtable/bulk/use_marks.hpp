// Which keys of a bulk table's region were used since the hand of the clock came by: a bit for each place of a bucket.
// The hand removes the first key without a mark, and clears the marks of those that it passes (Corbató, "A paging
// experiment with the Multics system", 1968). A new key has no mark until it is used, so that what comes once goes
// first (Zhang and others, "SIEVE is simpler than LRU", 2024). By keys drawn from a Zipf distribution it finds some
// hundredths more of them than LRU does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk {

class UseMarks {
  public:
    UseMarks() = default;
    // No key has a mark. Errors and callers as memory::allocate.
    static Result<UseMarks> create(std::size_t buckets, NodeId node) {
        return UseMarks(MXK_TRY(NodeArray<std::uint8_t>::create_zeroed(buckets, node)));
    }

    // Any number of threads at once. Nothing is written where a key has its mark already.
    void set(std::size_t bucket, unsigned place) {
        std::atomic_ref<std::uint8_t> const marks(marks_[bucket]);
        auto const mark = static_cast<std::uint8_t>(1U << place);
        // relaxed: a mark says nothing of other memory
        if ((marks.load(std::memory_order_relaxed) & mark) == 0) marks.fetch_or(mark, std::memory_order_relaxed);
    }

    // The three below: while nobody sets marks. Those of a bucket, a bit for each place.
    [[nodiscard]] unsigned of(std::size_t bucket) const { return marks_[bucket]; }
    void clear(std::size_t bucket) { marks_[bucket] = 0; }
    void clear(std::size_t bucket, unsigned place) { marks_[bucket] &= static_cast<std::uint8_t>(~(1U << place)); }

    [[nodiscard]] std::size_t bytes() const { return marks_.size(); }

  private:
    explicit UseMarks(NodeArray<std::uint8_t> marks)
        : marks_(std::move(marks)) {}

    NodeArray<std::uint8_t> marks_;
};

} // namespace mxk

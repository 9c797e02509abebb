// The lines behind the first ones of a shared table's buckets: a supply for each segment of the table, on its node,
// whose lock is held for some instructions. What a segment's buckets leave is for the same segment's, so that it does
// not matter which core inserts, erases or moves. A line that was unlinked may be read until a grace period is over;
// then it is the first to be used again.
//
//     supply    retired, newest -> ... -> oldest    not looked at: the one grace period that all of them wait for is
//               waiting -> ...                      that of the newest; used once it is over
//               LineSupply                          all others
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "base/lock_rank.hpp"
#include "base/spin_lock.hpp"
#include "hashtable/layout/line_supply.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/shared/concurrent_line.hpp"
#include "kernel/memory/per_core.hpp"

namespace mxk {

// Grace: machine_grace.hpp shows what it has. Any core, in a read section; blocks for the lock of a supply, and, when
// that has no line left, for the allocator's.
template <typename Grace> class OverflowLines {
  public:
    // Errors: no memory.
    static Result<OverflowLines> create(std::span<Owner const> owners, Grace grace) {
        OverflowLines result(grace);
        result.supplies_ = MXK_TRY(PerCore<Supply>::with_room(owners.size(), owners.front().node));
        for (Owner const& owner : owners) {
            auto const added = result.supplies_.add(owner.node, owner.node);
            if (!added) return added.error();
        }
        return result;
    }

    // Makes lines in advance, an equal share for each segment. Errors: no memory. While nobody else uses it.
    Result<void> reserve(std::size_t lines) {
        for (Supply& supply : supplies_) MXK_TRY(supply.lines.reserve(lines / supplies_.size() + 1));
        return {};
    }

    // An empty line that nobody else knows, for a bucket of this segment; null: no memory.
    [[nodiscard]] ConcurrentLine* take(std::size_t segment) {
        Supply& supply = supplies_[segment];
        LockGuard const guard(supply.lock);
        void* const room = take_retired(supply);
        void* const line = room != nullptr ? room : supply.lines.take();
        return line != nullptr ? new (line) ConcurrentLine() : nullptr;
    }
    // One that take() gave and nobody else has seen.
    void give_back(std::size_t segment, ConcurrentLine& line) {
        Supply& supply = supplies_[segment];
        LockGuard const guard(supply.lock);
        supply.lines.give_back(*new (static_cast<void*>(&line)) PairLine());
    }
    // One that others may be reading, and nobody finds any more.
    void retire(std::size_t segment, ConcurrentLine& line) {
        Supply& supply = supplies_[segment];
        LockGuard const guard(supply.lock);
        line.control.store(reinterpret_cast<std::uintptr_t>(supply.retired), std::memory_order_relaxed);
        supply.retired = &line;
        supply.retired_until = grace_.after_readers();
        ++supply.retired_count;
    }

    // Lines behind buckets. While nobody changes the table.
    [[nodiscard]] std::size_t in_use() const {
        std::size_t sum = 0;
        for (Supply const& supply : supplies_) sum += supply.lines.in_use() - supply.retired_count;
        return sum;
    }
    // Lines that there is memory for.
    [[nodiscard]] std::size_t made() const {
        std::size_t sum = 0;
        for (Supply const& supply : supplies_) sum += supply.lines.made();
        return sum;
    }

  private:
    struct Supply {
        explicit Supply(NodeId node)
            : lines(node) {}
        Supply(Supply&& other) noexcept // before it is used
            : lines(std::move(other.lines)) {}
        Supply& operator=(Supply&&) = delete;

        SpinLock lock{lock_bands::objects.rank(10)};
        LineSupply lines;
        // Linked by their control words, which nobody reads in a line that is not a first one.
        ConcurrentLine* retired = nullptr;
        ConcurrentLine* waiting = nullptr;
        std::uint64_t retired_until = 0;
        std::uint64_t waiting_until = 0;
        std::size_t retired_count = 0; // of both
        bool is_over = false;          // the grace period of those that wait
    };

    explicit OverflowLines(Grace grace)
        : grace_(grace) {}

    ConcurrentLine* take_retired(Supply& supply) {
        if (supply.waiting == nullptr) {
            if (supply.retired == nullptr) return nullptr;
            supply.waiting = std::exchange(supply.retired, nullptr);
            supply.waiting_until = supply.retired_until;
            supply.is_over = false;
            grace_.want(supply.waiting_until);
        }
        if (!supply.is_over) {
            if (!grace_.is_over(supply.waiting_until)) return nullptr;
            supply.is_over = true;
            if constexpr (ConcurrentLine::is_checked) poison(*supply.waiting);
        }
        ConcurrentLine* const line = supply.waiting;
        supply.waiting = behind(*line);
        --supply.retired_count;
        return line;
    }
    static ConcurrentLine* behind(ConcurrentLine const& line) {
        // The place of a line's first key has the link of a poisoned one.
        std::uint64_t const control = line.control.load(std::memory_order_relaxed);
        return reinterpret_cast<ConcurrentLine*>(
            control == ConcurrentLine::poison ? line.keys[0].load(std::memory_order_relaxed) : control);
    }
    static void poison(ConcurrentLine& first) {
        for (ConcurrentLine* line = &first; line != nullptr;) {
            ConcurrentLine* const next = behind(*line);
            line->keys[0].store(reinterpret_cast<std::uintptr_t>(next), std::memory_order_relaxed);
            line->control.store(ConcurrentLine::poison, std::memory_order_relaxed);
            line = next;
        }
    }

    Grace grace_;
    PerCore<Supply> supplies_;
};

} // namespace mxk

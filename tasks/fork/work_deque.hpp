// What a core has forked and not begun: it adds and takes at one end, other cores steal at the other one, the oldest
// first (Chase and Lev, "Dynamic circular work-stealing deque", 2005; its orders: Lê and others, 2013). An array of a
// fixed size: what has no room is not forked.
//
//     top_ (stolen up to here) <= jobs <= bottom_ (added up to here)
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/inject.hpp"
#include "base/units.hpp"

namespace mxk {

class ForkJob;

class WorkDeque {
  public:
    static constexpr std::uint64_t capacity = 512;

    // The owner. False: there is no room.
    bool push(ForkJob& job) {
        std::uint64_t const bottom = bottom_.load(std::memory_order_relaxed);
        if (bottom - known_top_ == capacity) [[unlikely]] {
            // acquire: pairs with the thief's change of top_, before which it has read the place
            known_top_ = top_.load(std::memory_order_acquire);
            if (bottom - known_top_ == capacity) return false;
        }
        jobs_[bottom % capacity].store(&job, std::memory_order_relaxed);
        inject::point();
        // seq_cst: with a core that says that it sleeps, and looks then (fork_core.hpp). Releases the job, too.
        bottom_.exchange(bottom + 1, std::memory_order_seq_cst);
        return true;
    }
    // The owner: the newest, or null if none is left.
    ForkJob* pop() {
        std::uint64_t const bottom = bottom_.load(std::memory_order_relaxed) - 1;
        // seq_cst, as the look behind it: a thief sees this one gone, or it sees what the thief has.
        bottom_.exchange(bottom, std::memory_order_seq_cst);
        inject::point();
        std::uint64_t top = top_.load(std::memory_order_seq_cst);
        if (static_cast<std::int64_t>(bottom - top) > 0)
            return jobs_[bottom % capacity].load(std::memory_order_relaxed);
        ForkJob* last = nullptr;
        if (top == bottom) {
            last = jobs_[bottom % capacity].load(std::memory_order_relaxed);
            if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
                last = nullptr; // a thief was faster
        }
        bottom_.store(bottom + 1, std::memory_order_relaxed); // as it was: nothing is in it
        return last;
    }
    // Another core: the oldest. Null: there is none, or another one took it, or still_wanted() is false, which is asked
    // once it is known which one that is.
    template <typename StillWanted> ForkJob* steal(StillWanted still_wanted) {
        std::uint64_t top = top_.load(std::memory_order_seq_cst);
        inject::point();
        // seq_cst: behind the look at top_. Acquires what was pushed.
        std::uint64_t const bottom = bottom_.load(std::memory_order_seq_cst);
        if (static_cast<std::int64_t>(bottom - top) <= 0 || !still_wanted()) return nullptr;
        ForkJob* const job = jobs_[top % capacity].load(std::memory_order_relaxed);
        inject::point();
        bool const is_mine =
            top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
        return is_mine ? job : nullptr;
    }
    // A hint, for any core; of the owner's own it is exact when it says yes.
    [[nodiscard]] bool looks_empty() const {
        std::uint64_t const top = top_.load(std::memory_order_relaxed);
        return static_cast<std::int64_t>(bottom_.load(std::memory_order_relaxed) - top) <= 0;
    }
    // For a core that has said that it sleeps: seq_cst with the push. What was stolen meanwhile may count as there.
    [[nodiscard]] bool is_empty() const {
        std::uint64_t const top = top_.load(std::memory_order_relaxed);
        return static_cast<std::int64_t>(bottom_.load(std::memory_order_seq_cst) - top) <= 0;
    }

  private:
    alignas(cache_line_bytes) std::atomic<std::uint64_t> top_{1};
    alignas(cache_line_bytes) std::atomic<std::uint64_t> bottom_{1};
    std::uint64_t known_top_ = 1; // the owner's: no less than this is top_
    alignas(cache_line_bytes) std::array<std::atomic<ForkJob*>, capacity> jobs_{};
};

} // namespace mxk

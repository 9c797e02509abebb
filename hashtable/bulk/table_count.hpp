// How many tables there are whose memory is a Runtime's, which has to outlive them.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace mxk {

// A part of each table; what was moved from counts no more. Any thread.
class TableCount {
  public:
    TableCount() { alive_.fetch_add(1, std::memory_order_relaxed); }
    TableCount(TableCount&& other) noexcept
        : counts_(std::exchange(other.counts_, false)) {}
    TableCount& operator=(TableCount&&) = delete;
    ~TableCount() {
        if (counts_) alive_.fetch_sub(1, std::memory_order_relaxed);
    }

    [[nodiscard]] static std::size_t alive() { return alive_.load(std::memory_order_relaxed); }

  private:
    static inline constinit std::atomic<std::size_t> alive_{0}; // relaxed: a number, which orders nothing
    bool counts_ = true;
};

} // namespace mxk

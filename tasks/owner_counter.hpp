// A counter that one core writes and others may read for display: a plain increment for its owner, since nobody else
// writes, and no data race for the readers, who may see a value that is a moment old.
#pragma once

#include <atomic>
#include <cstdint>

namespace mxk {

class OwnerCounter {
  public:
    // The owner only.
    void add(std::uint64_t amount) {
        // relaxed both: the value orders nothing
        value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> value_{0};
};

} // namespace mxk

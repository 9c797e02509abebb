// What coherence of TLBs has cost, and what it has saved. Of one core, or of all together; since they were made.
#pragma once

#include <atomic>
#include <cstdint>

namespace mxk::mapping {

struct CoherenceCounts {
    std::uint64_t withdrawals = 0;   // pages whose rights were made authoritative
    std::uint64_t shootdowns = 0;    // times that this asked other cores
    std::uint64_t asked = 0;         // cores that were asked
    std::uint64_t interrupts = 0;    // sent for that; on Linux, calls
    std::uint64_t page_flushes = 0;  // pages forgotten, one by one
    std::uint64_t full_flushes = 0;  // times that a core forgot all address spaces
    std::uint64_t atomics = 0;       // atomic read-modify-writes of what cores share, for all this
    std::uint64_t saved_unused = 0;  // cores not asked, because they had nothing of the address space
    std::uint64_t saved_flushed = 0; // because they had forgotten all since
    std::uint64_t saved_away = 0;    // because they halted
};

// relaxed: they order nothing. What a core counts, and its handlers.
class CoherenceCounter {
  public:
    void add(std::uint64_t amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> value_{0};
};

} // namespace mxk::mapping

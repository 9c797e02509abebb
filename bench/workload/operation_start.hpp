// When an operation began and ended, for its latency.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/histogram.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {

// A time stamp when all that comes before has been done, loads among them (SDM volume 2B, RDTSC): without it, an
// operation's time would end while its cache misses are under way.
inline Cycles stamp_after_loads() {
    __builtin_ia32_lfence();
    return clock::timestamp();
}

// In so few bytes that a task or a batch can carry it: the low half of the time stamp, which is enough for a second.
class OperationStart {
  public:
    static OperationStart now() { return OperationStart(static_cast<std::uint32_t>(raw(clock::timestamp()))); }
    // When the operation was due, which is before `now`; half a second or so if it was longer ago.
    static OperationStart due(Cycles due, Cycles now) {
        std::uint64_t const late = std::min(raw(now) - raw(due), max_late);
        return OperationStart(static_cast<std::uint32_t>(raw(now) - late));
    }
    constexpr OperationStart() = default;
    // Of so many operations that end now, with all their loads.
    void count_end(Histogram& latency, std::size_t operations = 1) const {
        Cycles const end = stamp_after_loads();
        for (std::size_t i = 0; i < operations; ++i) count_end(latency, end);
    }
    void count_end(Histogram& latency, Cycles end) const { latency.add(until(end)); }
    [[nodiscard]] std::uint32_t until(Cycles end) const { return static_cast<std::uint32_t>(raw(end)) - stamp_; }

  private:
    static constexpr std::uint64_t max_late = std::uint64_t{1} << 31; // as much again is left for the way
    explicit OperationStart(std::uint32_t stamp)
        : stamp_(stamp) {}
    std::uint32_t stamp_ = 0;
};

} // namespace mxk::bench

// When an operation began, for its latency.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/histogram.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {

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
    void count_end(Histogram& latency) const { count_end(latency, clock::timestamp()); }
    void count_end(Histogram& latency, Cycles end) const { latency.add(static_cast<std::uint32_t>(raw(end)) - stamp_); }

  private:
    static constexpr std::uint64_t max_late = std::uint64_t{1} << 31; // as much again is left for the way
    explicit OperationStart(std::uint32_t stamp)
        : stamp_(stamp) {}
    std::uint32_t stamp_ = 0;
};

} // namespace mxk::bench

// When an operation began, for its latency.
#pragma once

#include <cstdint>

#include "base/histogram.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {

// In so few bytes that a task or a batch can carry it: the low half of the time stamp, which is enough for a second.
class OperationStart {
  public:
    static OperationStart now() { return OperationStart(static_cast<std::uint32_t>(raw(clock::timestamp()))); }
    constexpr OperationStart() = default;
    void count_end(Histogram& latency) const {
        latency.add(static_cast<std::uint32_t>(raw(clock::timestamp())) - stamp_);
    }

  private:
    explicit OperationStart(std::uint32_t stamp)
        : stamp_(stamp) {}
    std::uint32_t stamp_ = 0;
};

} // namespace mxk::bench

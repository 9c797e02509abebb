// Waiting for a word that another core is about to write, with nothing between two looks: what is measured is how long
// the line takes. After some tens of microseconds the processor is offered, since the other core may need it; and there
// is an end to it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/spin_wait.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {

using LineWord = std::atomic<std::uint64_t>;

// One core's.
class LineWait {
  public:
    explicit LineWait(Cycles deadline)
        : deadline_(deadline) {}

    // Until the word is `value`, whose writer's release store this pairs with. False: the deadline came first.
    bool until(LineWord const& word, std::uint64_t value) {
        while (word.load(std::memory_order_acquire) != value)
            if (++looks_ % patience == 0 && !goes_on()) return false;
        return true;
    }
    // How often the processor was offered: more than now and then means that the cores share one, or one was taken
    // away.
    [[nodiscard]] std::uint64_t long_waits() const { return long_waits_; }

  private:
    static constexpr std::uint64_t patience = std::uint64_t{1} << 14;

    bool goes_on() {
        ++long_waits_;
        offer_processor();
        return clock::timestamp() < deadline_;
    }

    Cycles deadline_;
    std::uint64_t looks_ = 0;
    std::uint64_t long_waits_ = 0;
};

} // namespace mxk::bench

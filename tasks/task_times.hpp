// How long the tasks of one core run (Worker::measure_tasks). Long ones are counted apart if the system below the
// program has taken the processor away, or had to provide a page, since the core last looked. It looks every 64 tasks.
// What a hypervisor takes away is not visible here.
#pragma once

#include <cstdint>

#include "arch/cpu.hpp"
#include "base/histogram.hpp"
#include "base/units.hpp"

namespace mxk {

class TaskTimes {
  public:
    // In cycles: tasks longer than that are long.
    explicit TaskTimes(Cycles limit)
        : limit_(raw(limit)) {}

    void add(Cycles time) {
        if (raw(time) > limit_) [[unlikely]] {
            if (look()) return interrupted_.add(raw(time));
        } else if (++since_look_ == tasks_between_looks) {
            look();
        }
        own_.add(raw(time));
    }

    // Of all that were not long, or not interrupted; and of those that were both.
    [[nodiscard]] Histogram const& own() const { return own_; }
    [[nodiscard]] Histogram const& interrupted() const { return interrupted_; }

  private:
    static constexpr unsigned tasks_between_looks = 64;

    // Whether there was an interruption since the last time.
    bool look() {
        since_look_ = 0;
        std::uint64_t const now = arch::interruptions_by_host();
        bool const is_new = now != interruptions_;
        interruptions_ = now;
        return is_new;
    }

    std::uint64_t limit_;
    std::uint64_t interruptions_ = 0;
    unsigned since_look_ = tasks_between_looks - 1;
    Histogram own_;
    Histogram interrupted_;
};

} // namespace mxk

// How long the tasks of one core run (Worker::measure_tasks). Long ones are counted apart if the system below the
// program has taken the processor away, or had to provide a page, since the core last looked. It looks every 64 tasks.
#pragma once

#include <cstdint>
#include <utility>

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
            if (look(time)) return interrupted_.add(raw(time));
        } else if (++since_look_ == tasks_between_looks) {
            look(time);
        }
        own_.add(raw(time));
    }

    // Of all that were not long, or not interrupted; and of those that were both.
    [[nodiscard]] Histogram const& own() const { return own_; }
    [[nodiscard]] Histogram const& interrupted() const { return interrupted_; }

  private:
    static constexpr unsigned tasks_between_looks = 64;

    // Whether the core was taken away since the last time, or in the task that has just ended.
    bool look(Cycles time) {
        since_look_ = 0;
        arch::HostAccount const before = std::exchange(account_, arch::host_account());
        return arch::was_taken_away(before, account_, time);
    }

    std::uint64_t limit_;
    arch::HostAccount account_;
    unsigned since_look_ = tasks_between_looks - 1;
    Histogram own_;
    Histogram interrupted_;
};

} // namespace mxk

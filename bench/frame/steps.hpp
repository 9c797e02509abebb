// A run on many cores: its steps on each of them (run_on(), where what keeps the steps from being done is an error),
// and the time that all of them took.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "base/result.hpp"
#include "base/units.hpp"
#include "bench/frame/core_barrier.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/frame/progress.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/run_on.hpp"
#include "tasks/ticker.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// Instructions that one step makes, checks or runs: they take up to some milliseconds, so that Ctrl-C and progress get
// their turn.
constexpr std::size_t piece = 16384;

inline Error no_memory_for_steps() {
    return Error("out of memory: no room for the tasks of the run");
}

// Errors: no memory, or interrupted by Ctrl-C (a step that goes on for long must look for it too, and say Done). The
// console's task, as run_on().
template <typename Function>
Result<void> run_steps(std::span<CoreId const> cores, Progress const& progress, Function step) {
    if (!run_on(cores, step)) return no_memory_for_steps();
    return progress.check();
}

// The time that a run took: from the first core's start to the last one's end.
class TimeSpan {
  public:
    // Counts another core's time in.
    void cover(Cycles start, Cycles end) {
        first_ = std::min(first_, start);
        last_ = std::max(last_, end);
    }

    // One core or more must have been counted in.
    [[nodiscard]] double seconds() const {
        return static_cast<double>(raw(length())) / static_cast<double>(clock::frequency());
    }

    [[nodiscard]] Cycles length() const { return last_ - first_; }
    [[nodiscard]] Cycles end() const { return last_; }

  private:
    Cycles first_{std::numeric_limits<std::uint64_t>::max()};
    Cycles last_{};
};

// One core's part of a run of a set time, in turns. A loop whose operations may wait asks arch::needs_attention() after
// each (a load of the core's own line) and ends its turn then: an alarm sets it when the time is over, and every so
// often before, so that the core's timers see Ctrl-C. So a run ends in time however long one operation takes: a lock's
// holder, or the next one in its queue, may have to wait for a processor of the host.
struct TimedPart {
    Cycles start{};
    Cycles end{};
    std::optional<Ticker> alarm{};

    // A step (run_steps()). The first one waits for the other cores.
    template <typename Function>
    Step turn(CoreBarrier& barrier, Cycles time, Progress const& progress, Function function) {
        if (!alarm) {
            barrier.arrive_and_wait();
            constexpr Nanoseconds max_interval{100'000'000};
            alarm.emplace(
                std::min(clock::to_nanoseconds(time), max_interval), [](void*) {}, nullptr);
            start = clock::timestamp();
        }
        function();
        end = clock::timestamp();
        if (end < start + time && !progress.interrupted()) return Step::Again;
        alarm.reset();
        return Step::Done;
    }
};

// Runs function(place) once on each of the cores, which start together, and says how long that took: from the first
// core's start to the last one's end. A function keeps its core from everything else, so it takes up to some
// seconds; Ctrl-C counts at its end. Errors: no memory, interrupted. The console's task.
template <typename Function>
Result<TimeSpan> time_on(std::span<CoreId const> cores, Progress const& progress, Function function) {
    struct Times {
        Cycles start{};
        Cycles end{};
    };
    auto times = MXK_TRY(NodeVector<Times>::create(cores.size(), Worker::current().node()));
    for (std::size_t place = 0; place < cores.size(); ++place) times.emplace();
    CoreBarrier barrier(cores.size());
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
        barrier.arrive_and_wait();
        measured_part_begins();
        Cycles const start = clock::timestamp();
        function(place);
        times[place] = {start, clock::timestamp()};
        measured_part_ends();
        return Step::Done;
    }));
    TimeSpan span;
    for (Times const& of_core : times) span.cover(of_core.start, of_core.end);
    return span;
}

} // namespace mxk::bench

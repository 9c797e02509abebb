// The operations of a run, noted by each core for itself, and the time stamps between which one took place: what comes
// before in the program has happened when a response is stamped, and what comes behind has not begun when an invocation
// is. The processor alone would let them pass each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/clock.hpp"
#include "tests/unit/linearizable.hpp"

namespace mxk::test {

inline std::uint64_t time_of_invocation() {
    std::uint64_t const now = raw(clock::timestamp());
    asm volatile("lfence" ::: "memory"); // no later load is done before the clock was read
    return now;
}

inline std::uint64_t time_of_response() {
    asm volatile("mfence; lfence" ::: "memory"); // earlier stores are seen by all, earlier loads are done
    return raw(clock::timestamp());
}

class History {
  public:
    explicit History(std::size_t cores)
        : logs_(cores) {}

    // The core that the event names.
    void note(Event const& event) { logs_[index(event.core)].events.push_back(event); }

    // Of all cores, when none of them notes anything any more.
    [[nodiscard]] std::vector<Event> events() const {
        std::vector<Event> result;
        for (Log const& log : logs_) result.insert(result.end(), log.events.begin(), log.events.end());
        return result;
    }

  private:
    struct alignas(cache_line_bytes) Log {
        std::vector<Event> events;
    };
    std::vector<Log> logs_; // by core
};

// How many operations overlap one of another core on the same key: without any, a history proves nothing.
inline std::size_t overlapping(std::vector<Event> const& history) {
    auto const overlaps = [](Event const& a, Event const& b) {
        return a.key == b.key && a.core != b.core && a.invoked <= b.responded && b.invoked <= a.responded;
    };
    return static_cast<std::size_t>(std::count_if(history.begin(), history.end(), [&](Event const& a) {
        return std::any_of(history.begin(), history.end(), [&](Event const& b) { return overlaps(a, b); });
    }));
}

} // namespace mxk::test

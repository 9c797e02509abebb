// Which operations of an open load (arrivals.hpp) are late because the host had a core: it took the processor, or had
// to provide a page, and until the core has caught up with what was due meanwhile all that it does is late. Each core
// notes its own pauses and the operations of its own that were slow; which of them a pause of any core touched is found
// when all have ended, since what waits at the core that paused comes home at others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "arch/cpu.hpp"
#include "base/histogram.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/per_core.hpp"

namespace mxk::bench {

// Of one core, on its node; only the core writes it.
class HostPauses {
  public:
    struct Pause {
        std::uint64_t start; // time stamps
        std::uint64_t end;   // when the core had caught up
    };
    // What the host has done with the calling core, and a time stamp of after that was read: the host likes to take a
    // core that asks.
    struct Reading {
        arch::HostAccount account;
        Cycles time;
    };
    static constexpr std::size_t max_pauses = 1024; // more are one with the last one

    // `limit`: in which the host may have had the core; the core's own turns are much shorter. `room`: slow operations
    // that can be noted. `read`: as of now. Errors: no memory.
    static Result<HostPauses> create(NodeId node, Cycles limit, std::size_t room, Reading (*read)());

    // The core's measured time begins.
    void begin(Cycles now);
    // It takes its next turn. Returns the time, which is later than `now` if it had to look.
    [[nodiscard]] Cycles turn(Cycles now) {
        if (raw(now) - last_ > limit_ || ++since_look_ == turns_between_looks) [[unlikely]]
            now = look();
        last_ = raw(now);
        return now;
    }
    // All that was due has been submitted.
    void caught_up(Cycles now) {
        if (is_behind_) [[unlikely]]
            catch_up(raw(now));
    }
    // One of its operations has ended, so long after it was due.
    void ended(Cycles end, std::uint32_t latency) {
        if (latency > limit_) [[unlikely]]
            note(raw(end), latency);
    }
    // Its measured time has ended.
    void finish(Cycles now) {
        if (raw(now) - last_ > limit_) look();
        caught_up(now);
    }

    [[nodiscard]] std::span<Pause const> pauses() const { return {pauses_.data(), pause_count_}; }

  private:
    friend struct HostDelay;
    // A million of them are 8 MB: the end is known to half a microsecond, for half an hour.
    struct Slow {
        std::uint32_t end; // since the beginning, in units
        std::uint32_t latency;
    };
    static constexpr std::uint64_t unit = 1024; // time stamps
    static constexpr unsigned turns_between_looks = 64;

    HostPauses(NodeArray<Slow> slow, Cycles limit, Reading (*read)())
        : slow_(std::move(slow))
        , limit_(raw(limit))
        , read_(read) {}
    Cycles look();
    void pause_begins();
    void catch_up(std::uint64_t now);
    void note(std::uint64_t end, std::uint32_t latency);

    NodeArray<Slow> slow_; // the first slow_count_, in the order of their ends
    std::uint64_t limit_;
    Reading (*read_)();
    std::size_t slow_count_ = 0;
    bool is_slow_full_ = false; // some are not noted
    std::uint64_t begin_ = 0;
    std::uint64_t last_ = 0; // turn
    arch::HostAccount seen_;
    unsigned since_look_ = 0;
    bool is_behind_ = false;
    std::size_t pause_count_ = 0;
    std::array<Pause, max_pauses> pauses_{};
};

// What the pauses of all cores did to the latency of a phase.
struct HostDelay {
    std::size_t pauses = 0;
    Cycles time{}; // of all cores together, until they had caught up
    // Of the operations that no pause touched, the slow ones among them; none: more were slow than could be noted.
    std::optional<Histogram> rest{};

    // `all`: the latencies of all operations.
    static HostDelay of(PerCore<HostPauses> const& cores, Histogram const& all);
};

} // namespace mxk::bench

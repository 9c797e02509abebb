// When a client's batches leave, and how many may be under way, where the time from an operation's submission until its
// result is home has a cap. For each region:
//
//     | opened .......... sent ....................... home |
//     | the batch fills   | travels, waits, is run          |
//       <= cap - trip       trip: mean + 4 deviations
//
// - An open batch is due when its oldest operation is as old as the cap leaves it: what a trip takes is measured, by
//   mean and deviation as TCP does it (Jacobson, Congestion avoidance and control, 1988). Never less than a quarter of
//   the cap: smaller batches cost more time for each operation, which an overloaded owner has not got.
// - As many batches may be held as an owner returns within half of the cap. Each batch of a full window that comes home
//   in time makes the window larger by 1 / window; one that does not makes it an eighth smaller, once in a trip
//   (additive increase, multiplicative decrease: Chiu and Jain 1989).
//
// The core must look at what is due; and an owner that loses its processor is late, whatever leaves. So the cap is what
// an ordinary operation stays below, no promise for each. For one core at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk {

// A client without a cap: batches leave when they are full, or when the core has nothing else to do.
struct NoPace {
    static constexpr bool has_cap() { return false; }
};

class BatchPace {
  public:
    // No cap.
    BatchPace() = default;
    // For a client with so many batches, which must be as many for each region as it holds at a time. `cap`: 0: none,
    // and nothing else may be called then but has_cap(). Errors and callers as NodeArray::create.
    static Result<BatchPace> create(Cycles cap, std::size_t regions, std::size_t batches, NodeId node) {
        BatchPace pace(raw(cap));
        if (!pace.has_cap()) return pace;
        pace.lanes_ = MXK_TRY(NodeVector<Lane>::create(regions, node));
        for (std::size_t i = 0; i < regions; ++i) pace.lanes_.emplace(batches * one, pace.cap_);
        pace.sent_ = MXK_TRY(NodeArray<Sent>::create(batches, node));
        return pace;
    }

    [[nodiscard]] bool has_cap() const { return cap_ != 0; }

    // Whether a region for which the client holds so many may have one more. Always where it holds less than two.
    [[nodiscard]] bool may_hold_more(std::size_t region, std::size_t held) const {
        return held < lanes_[region].window / one;
    }

    void opened(std::size_t region, Cycles now) { lanes_[region].opened = raw(now); }
    // The region's open batch leaves: the client's batch number `batch`, counted from 0. `held`: of the region, this
    // one counted.
    void sent(std::size_t region, std::size_t batch, std::size_t held, Cycles now) {
        sent_[batch] = {raw(now), !may_hold_more(region, held)};
    }
    void came_home(std::size_t region, std::size_t batch, Cycles now);

    // Whether the region's open batch must leave.
    [[nodiscard]] bool is_due(std::size_t region, Cycles now) const {
        Lane const& lane = lanes_[region];
        return raw(now) - lane.opened >= lane.max_age;
    }

    // Batches that the client may hold for a region now.
    [[nodiscard]] std::size_t window(std::size_t region) const { return lanes_[region].window / one; }
    // How old an operation towards a region may become before it leaves.
    [[nodiscard]] Cycles max_age(std::size_t region) const { return static_cast<Cycles>(lanes_[region].max_age); }

  private:
    static constexpr std::uint64_t one = 256; // of a window, which has fractions
    static constexpr std::uint64_t min_window = 2;

    struct Lane {
        Lane(std::uint64_t max_window, std::uint64_t cap)
            : window(max_window)
            , limit(max_window)
            , max_age(cap / 2) {}
        std::uint64_t window;
        std::uint64_t limit; // of the window
        std::uint64_t max_age;
        std::uint64_t opened = 0;
        std::uint64_t shrunk = 0;    // when the window last became smaller
        std::uint64_t mean = 0;      // of trips; 0: none yet
        std::uint64_t deviation = 0; // the mean one
    };
    struct Sent {
        std::uint64_t at;
        bool filled_window; // none could have been opened behind it
    };

    explicit BatchPace(std::uint64_t cap)
        : cap_(cap) {}

    void note_trip(Lane& lane, std::uint64_t trip) const;

    std::uint64_t cap_ = 0; // in time stamps
    NodeVector<Lane> lanes_;
    NodeArray<Sent> sent_; // by batch
};

inline void BatchPace::came_home(std::size_t region, std::size_t batch, Cycles now) {
    Lane& lane = lanes_[region];
    auto const [at, filled_window] = sent_[batch];
    std::uint64_t const trip = raw(now) - at;
    note_trip(lane, trip);
    if (trip <= cap_ / 2) {
        if (filled_window) lane.window = std::min(lane.limit, lane.window + one * one / lane.window);
        return;
    }
    if (at < lane.shrunk) return; // it left before the window was smaller
    lane.window = std::max(min_window * one, lane.window - lane.window / 8);
    lane.shrunk = raw(now);
}

inline void BatchPace::note_trip(Lane& lane, std::uint64_t trip) const {
    if (lane.mean == 0) {
        lane.mean = trip;
        lane.deviation = trip / 2;
    }
    std::uint64_t const error = std::max(trip, lane.mean) - std::min(trip, lane.mean);
    lane.mean = trip > lane.mean ? lane.mean + error / 8 : lane.mean - error / 8;
    lane.deviation = lane.deviation - lane.deviation / 4 + error / 4;
    std::uint64_t const expected = lane.mean + 4 * lane.deviation;
    lane.max_age = std::clamp(cap_ - std::min(cap_, expected), cap_ / 4, cap_ / 4 * 3);
}

} // namespace mxk

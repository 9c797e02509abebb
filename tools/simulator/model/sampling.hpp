// Which parts of a measured part the model runs in, where it does not run in all of it: intervals of one length, with
// gaps between them whose length is drawn, so that they do not fall into step with what the program does. In the first
// quarter of an interval caches and buffers become again what they would be (warm-up); the rest counts. The first
// interval is four times as long, and the first gaps are as short as an interval, then two, four and so on. (Systematic
// sampling as of SMARTS, Wunderlich and others, ISCA 2003.)
#pragma once

#include <cstdint>

#include "tools/simulator/model/chance.hpp"
#include "tools/simulator/model/time.hpp"

namespace mxk::simulator {

class Sampling {
  public:
    enum class Phase : std::uint8_t { WarmUp, Counted, Skipped };

    /// interval: that is modelled at a time, of so much time each in the mean; the same as that: all is modelled.
    Sampling(Time interval, Time period, std::uint64_t seed)
        : interval_(interval)
        , period_(period)
        , random_(seed) {}

    bool is_on() const { return interval_ < period_; }
    Phase phase() const { return phase_; }
    /// When the next phase begins; never, where all is modelled.
    Time next() const { return next_; }

    /// A measured part begins.
    void begin(Time at);
    /// Goes on to the next phase, which begins then.
    void advance(Time at);

  private:
    static constexpr unsigned first_is_longer = 4;
    static constexpr unsigned warm_up_part = 4; // of an interval

    Time const interval_;
    Time const period_;
    Random random_;
    Phase phase_ = Phase::Counted;
    Time next_ = ~Time{0};
    Time mean_gap_ = 0; // of the next one
};

} // namespace mxk::simulator

#include "tools/simulator/model/sampling.hpp"

#include <algorithm>

namespace mxk::simulator {

void Sampling::begin(Time at) {
    if (!is_on()) return;
    phase_ = Phase::WarmUp;
    mean_gap_ = std::min(interval_, period_ - interval_);
    next_ = at + first_is_longer * interval_ - (interval_ - interval_ / warm_up_part);
}

void Sampling::advance(Time at) {
    switch (phase_) {
    case Phase::WarmUp:
        phase_ = Phase::Counted;
        next_ = at + interval_ - interval_ / warm_up_part;
        break;
    case Phase::Counted: {
        phase_ = Phase::Skipped;
        random_ ^= random_ >> 12; // xorshift64*
        random_ ^= random_ << 25;
        random_ ^= random_ >> 27;
        Time const gap = mean_gap_;
        mean_gap_ = std::min(2 * mean_gap_, period_ - interval_);
        next_ =
            at + gap / 2 + static_cast<Time>(static_cast<unsigned __int128>(random_ * 0x2545f4914f6cdd1d) * gap >> 64);
        break;
    }
    case Phase::Skipped:
        phase_ = Phase::WarmUp;
        next_ = at + interval_ / warm_up_part;
        break;
    }
}

} // namespace mxk::simulator

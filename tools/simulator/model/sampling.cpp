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
    case Phase::Counted:
        phase_ = Phase::Skipped;
        next_ = at + mean_gap_ / 2 + random_.below(mean_gap_);
        mean_gap_ = std::min(2 * mean_gap_, period_ - interval_);
        break;
    case Phase::Skipped:
        phase_ = Phase::WarmUp;
        next_ = at + interval_ / warm_up_part;
        break;
    }
}

} // namespace mxk::simulator

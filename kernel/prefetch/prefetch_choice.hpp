// Which plan of prefetching the times of some walks over memory speak for (prefetch_calibration.hpp). The default plan
// stays unless another one is clearly better: what differs by less is as likely noise, and a machine should begin with
// the same plan each time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/prefetch_plan.hpp"

namespace mxk {

// The time of a line, in any unit: the minimum of several walks, for each hint and number of lines on their way, and
// for the hint and number that were chosen, for each distance of the second stage.
struct PrefetchTimes {
    static constexpr std::array hints{PrefetchHint::T0, PrefetchHint::T1, PrefetchHint::T2, PrefetchHint::Nta};
    static constexpr std::array<std::uint32_t, 4> fars{16, 32, 64, 128};
    static constexpr std::array<std::uint32_t, 4> nears{0, 4, 8, 16};
    static constexpr double unknown = std::numeric_limits<double>::infinity();

    using ByFar = std::array<double, fars.size()>;
    std::array<ByFar, hints.size()> far{all_unknown(), all_unknown(), all_unknown(), all_unknown()};
    std::array<double, nears.size()> near = all_unknown();

    // `hint` and `lines` are among those.
    double& of(PrefetchHint hint, std::uint32_t lines) {
        auto const at = static_cast<std::size_t>(std::find(hints.begin(), hints.end(), hint) - hints.begin());
        return far[at][static_cast<std::size_t>(std::find(fars.begin(), fars.end(), lines) - fars.begin())];
    }

  private:
    static constexpr ByFar all_unknown() { return {unknown, unknown, unknown, unknown}; }
};

// Hint and number of lines; near as by default.
PrefetchPlan choose_far(PrefetchTimes const& times);
// The distance of the second stage; 0: it is not worth its instructions.
std::uint32_t choose_near(PrefetchTimes const& times);

} // namespace mxk

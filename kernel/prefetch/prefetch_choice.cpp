#include "kernel/prefetch/prefetch_choice.hpp"

#include <algorithm>

namespace mxk {
namespace {

constexpr double clearly = 0.9;    // of the default's time
constexpr double about_best = 1.1; // of the best time
// Of the time without. In a loop that does nothing else there is time for one more instruction: on Zen 4 the loop gains
// 8 %, and a table's batches lose 4 to 15.
constexpr double clearly_near = 0.75;

template <std::size_t size>
constexpr std::size_t place_of(std::array<std::uint32_t, size> const& values, std::uint32_t value) {
    return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}
constexpr std::size_t default_far = place_of(PrefetchTimes::fars, PrefetchPlan{}.far);
static_assert(default_far < PrefetchTimes::fars.size());
constexpr std::size_t no_near = place_of(PrefetchTimes::nears, 0);
static_assert(no_near < PrefetchTimes::nears.size());

double best_of(PrefetchTimes::ByFar const& times) {
    return *std::min_element(times.begin(), times.end());
}

std::size_t place_of(PrefetchHint hint) {
    auto const& hints = PrefetchTimes::hints;
    return static_cast<std::size_t>(std::find(hints.begin(), hints.end(), hint) - hints.begin());
}

// Each hint at its own best number of lines.
PrefetchHint choose_hint(PrefetchTimes const& times) {
    std::size_t const by_default = place_of(PrefetchPlan{}.hint);
    std::size_t best = by_default;
    for (std::size_t i = 0; i < times.far.size(); ++i)
        if (best_of(times.far[i]) < best_of(times.far[best])) best = i;
    bool const is_better = best_of(times.far[best]) < clearly * best_of(times.far[by_default]);
    return PrefetchTimes::hints[is_better ? best : by_default];
}

} // namespace

PrefetchPlan choose_far(PrefetchTimes const& times) {
    PrefetchPlan plan{.hint = choose_hint(times)};
    PrefetchTimes::ByFar const& of_hint = times.far[place_of(plan.hint)];
    double const best = best_of(of_hint);
    if (!(best < clearly * of_hint[default_far])) return plan;
    // No more lines than it takes: they occupy the caches.
    for (std::size_t i = 0; i < of_hint.size(); ++i) {
        if (of_hint[i] > about_best * best) continue;
        plan.far = PrefetchTimes::fars[i];
        break;
    }
    return plan;
}

std::uint32_t choose_near(PrefetchTimes const& times) {
    auto const best =
        static_cast<std::size_t>(std::min_element(times.near.begin(), times.near.end()) - times.near.begin());
    bool const is_better = times.near[best] < clearly_near * times.near[no_near];
    return PrefetchTimes::nears[is_better ? best : no_near];
}

} // namespace mxk

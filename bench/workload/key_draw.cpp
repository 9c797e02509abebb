#include "bench/workload/key_draw.hpp"

namespace mxk::bench {
namespace {

constexpr double any_theta = 1; // for ranks that are never drawn

std::uint64_t hot_keys(Distribution const& distribution, std::uint64_t count) {
    auto const keys = static_cast<std::uint64_t>(distribution.hot_keys * static_cast<double>(count));
    return std::clamp<std::uint64_t>(keys, 1, std::max<std::uint64_t>(count, 1));
}

} // namespace

KeyDraw::KeyDraw(Distribution const& distribution, std::uint64_t count, std::uint64_t seed)
    : kind_(distribution.kind)
    , count_(count)
    , hot_(hot_keys(distribution, count))
    , hot_share_(distribution.hot_share)
    , of_rank_(count, seed)
    , ranks_(std::max<std::uint64_t>(count, 1), distribution.theta != 0 ? distribution.theta : any_theta) {}

std::uint64_t KeyDraw::any(Random& random) const {
    switch (kind_) {
    case Distribution::Kind::Uniform: return random.below(count_);
    case Distribution::Kind::HotSet: {
        bool const is_hot = hot_ == count_ || random.fraction() < hot_share_;
        return of_rank_(is_hot ? random.below(hot_) : hot_ + random.below(count_ - hot_));
    }
    case Distribution::Kind::Zipf:
    case Distribution::Kind::Latest: break;
    }
    std::uint64_t const rank = ranks_(random);
    return kind_ == Distribution::Kind::Zipf ? of_rank_(rank - 1) : rank - 1;
}

// By rejection: what is left has the shares that it has among all keys.
std::uint64_t KeyDraw::operator()(Random& random, std::uint64_t known) const {
    std::uint64_t drawn = any(random);
    while (drawn >= known) drawn = any(random);
    return kind_ == Distribution::Kind::Latest ? known - 1 - drawn : drawn;
}

} // namespace mxk::bench

#include "base/spin_wait.hpp"
#include "hashtable/layout/bucketed.hpp"

namespace mxk {
namespace {

// The lines behind the first that `keys` keys in `buckets` buckets need on average, if each key's bucket is random: the
// number of keys in a bucket then has a Poisson distribution. Its terms are l^n / n! divided by their sum.
double expected_lines_behind(double keys, double buckets) {
    constexpr double max_keys_per_bucket = 64; // beyond it, the terms need no computing: nearly all lines are full
    constexpr auto places = static_cast<double>(PairLine::places);
    double const load = keys / buckets;
    if (load > max_keys_per_bucket) return keys / places;
    double term = 1;
    double sum = 1;
    double lines = 0;
    for (std::size_t n = 1; n < static_cast<std::size_t>(4 * load) + 32; ++n) {
        term *= load / static_cast<double>(n);
        sum += term;
        std::size_t const behind = (n - 1) / PairLine::places;
        lines += term * static_cast<double>(behind);
    }
    return buckets * lines / sum;
}

} // namespace

Result<void> Bucketed::reserve(std::size_t keys) {
    auto const expected =
        static_cast<std::size_t>(expected_lines_behind(static_cast<double>(keys), static_cast<double>(bucket_count_)));
    std::size_t const wanted = expected + expected / 32 + 64; // what chance may add: more than three deviations
    return wanted > supply_.made() ? supply_.reserve(wanted - supply_.made()) : Result<void>();
}

std::optional<std::uint64_t> Bucketed::read(Position const& at) const {
    for (SpinWait wait;; wait.turn()) {
        PairBucket::Reading const reading = in_one_era([&] { return PairBucket::read(*at.line, at.hash); });
        if (reading.seen == PairBucket::Seen::There) return reading.value;
        if (reading.seen == PairBucket::Seen::Absent) return std::nullopt;
    }
}

} // namespace mxk

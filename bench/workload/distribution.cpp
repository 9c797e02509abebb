#include "bench/workload/distribution.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "base/panic.hpp"
#include "kernel/console/values.hpp"

namespace mxk::bench {
namespace {

constexpr std::string_view uniform = "uniform";
constexpr std::string_view zipf_prefix = "zipf:";
constexpr std::string_view latest = "latest";
constexpr std::string_view hot_set_prefix = "hotset:";

// Below this, a few terms of a series are more exact than a difference of nearly equal numbers.
constexpr double small = 1e-3;

constexpr bool is_small(double x) {
    return x > -small && x < small;
}

// (e^x - 1) / x and ln(1 + x) / x, which are 1 at 0: theta = 1 is no special case.
double growth(double x) {
    if (is_small(x)) return 1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5)));
    return (exponential(x) - 1) / x;
}
double growth_inverse(double x) {
    if (is_small(x)) return 1 - x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x / 5)));
    return natural_logarithm(1 + x) / x;
}

// ln 2 in two parts: the first has so few digits that its product with any exponent of a double is exact.
constexpr double ln2_high = 0x1.62e42fefap-1;
constexpr double ln2_low = 0x1.cf79abc9e3b39p-40;

constexpr int mantissa_bits = 52;
constexpr std::int64_t exponent_bias = 1023;

// Of the hot set: of which something is left, on both sides.
std::optional<double> parse_part(std::string_view text) {
    constexpr double min = 0.000001;
    auto const part = console::parse_number(text, min, 1 - min);
    return part ? std::optional(part.value()) : std::nullopt;
}

// Nothing if it is none.
std::optional<Distribution> parse(std::string_view text) {
    if (text == uniform) return Distribution{};
    if (text == latest) return Distribution::latest();
    if (text.starts_with(zipf_prefix)) {
        auto const theta = console::parse_number(text.substr(zipf_prefix.size()), Zipf::min_theta, Zipf::max_theta);
        return theta ? std::optional(Distribution::zipf(theta.value())) : std::nullopt;
    }
    if (!text.starts_with(hot_set_prefix)) return std::nullopt;
    text.remove_prefix(hot_set_prefix.size());
    std::size_t const colon = std::min(text.find(':'), text.size());
    auto const keys = parse_part(text.substr(0, colon));
    auto const share = parse_part(text.substr(std::min(colon + 1, text.size())));
    return keys && share ? std::optional(Distribution::hot_set(*keys, *share)) : std::nullopt;
}

} // namespace

Result<void> parse_value(std::string_view text, Distribution& distribution) {
    auto parsed = parse(text);
    if (!parsed) {
        FixedText<32> min;
        console::print_number(min, Zipf::min_theta);
        return Error::of("expected uniform, latest, zipf:THETA with THETA from {} to {}, such as zipf:0.99, or "
                         "hotset:KEYS:SHARE with two numbers between 0 and 1, such as hotset:0.2:0.8, got '{}'",
                         min.view(), static_cast<unsigned>(Zipf::max_theta), text);
    }
    distribution = *parsed;
    distribution.is_given = true;
    return {};
}

void print_value(TextSink& out, Distribution const& distribution) {
    switch (distribution.kind) {
    case Distribution::Kind::Uniform: return out.write(uniform);
    case Distribution::Kind::Latest: return out.write(latest);
    case Distribution::Kind::Zipf: out.write(zipf_prefix); return console::print_number(out, distribution.theta);
    case Distribution::Kind::HotSet: break;
    }
    out.write(hot_set_prefix);
    console::print_number(out, distribution.hot_keys);
    out.write(":");
    console::print_number(out, distribution.hot_share);
}

void describe_value(TextSink& out, Distribution const&) {
    out.write("uniform|zipf:THETA|latest|hotset:KEYS:SHARE");
}

void complete_value(console::Candidates& candidates, Distribution const&) {
    for (std::string_view const word : {uniform, latest, zipf_prefix, hot_set_prefix}) candidates.offer(word);
}

// The areas. Rank k's is as large as its weight and ends where the integral up to k + 1/2 does; since x^-theta is
// convex, it lies within that of its interval [k - 1/2, k + 1/2], and what of the interval lies before it is rejected.
Zipf::Zipf(std::uint64_t count, double theta)
    : count_(count)
    , theta_(theta) {
    expect(count > 0 && count < std::uint64_t{1} << 53, "ranks that a double can count");
    expect(theta >= min_theta && theta <= max_theta, "a theta for which a double is exact enough");
    first_area_ = integral(1.5) - 1;
    last_area_ = integral(static_cast<double>(count) + 0.5);
    shortcut_ = 2 - inverse(integral(2.5) - weight(2));
}

std::uint64_t Zipf::operator()(Random& random) const {
    for (;;) {
        double const area = last_area_ + random.fraction() * (first_area_ - last_area_);
        double const x = inverse(area);
        double const rounded = std::clamp(x + 0.5, 1.0, static_cast<double>(count_));
        auto const rank = static_cast<std::uint64_t>(rounded);
        auto const k = static_cast<double>(rank);
        if (k - x <= shortcut_ || area >= integral(k + 0.5) - weight(k)) return rank;
    }
}

double Zipf::weight(double x) const {
    return exponential(-theta_ * natural_logarithm(x));
}

// (x^(1 - theta) - 1) / (1 - theta), or ln x.
double Zipf::integral(double x) const {
    double const logarithm = natural_logarithm(x);
    return growth((1 - theta_) * logarithm) * logarithm;
}

// (1 + (1 - theta) area)^(1 / (1 - theta)), or e^area.
double Zipf::inverse(double area) const {
    constexpr double min = -1 + 0x1p-53; // rounding must not ask for the logarithm of 0
    double const bent = std::max((1 - theta_) * area, min);
    return exponential(growth_inverse(bent) * area);
}

// x = m 2^k with m between sqrt(1/2) and sqrt(2); with s = (m - 1) / (m + 1), |s| < 0.172,
//
//     ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...)
double natural_logarithm(double x) {
    constexpr int last_power = 23; // 2 * 0.172^24 / 25 is below 1e-19
    auto const bits = std::bit_cast<std::uint64_t>(x);
    std::int64_t exponent = static_cast<std::int64_t>(bits >> mantissa_bits) - exponent_bias;
    double m = std::bit_cast<double>((bits & 0x000f'ffff'ffff'ffff) | std::uint64_t{0x3ff} << mantissa_bits);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m /= 2;
        ++exponent;
    }
    double const s = (m - 1) / (m + 1);
    double const square = s * s;
    double series = 0;
    for (int power = last_power; power > 1; power -= 2) series = (series + 1.0 / power) * square;
    auto const k = static_cast<double>(exponent);
    return k * ln2_high + (2 * s + (2 * s * series + k * ln2_low));
}

// x = k ln 2 + r with |r| <= ln 2 / 2: 2^k times the exponential series of r.
double exponential(double x) {
    constexpr int last_term = 14; // 0.347^15 / 15! is below 1e-19
    expect(x >= -700 && x <= 700, "an exponential that a double can hold");
    double const turns = x / (ln2_high + ln2_low);
    auto const k = static_cast<std::int64_t>(turns < 0 ? turns - 0.5 : turns + 0.5);
    double const r = x - static_cast<double>(k) * ln2_high - static_cast<double>(k) * ln2_low;
    double series = 1;
    for (int term = last_term; term > 0; --term) series = 1 + series * r / term;
    return series * std::bit_cast<double>(static_cast<std::uint64_t>(k + exponent_bias) << mantissa_bits);
}

} // namespace mxk::bench

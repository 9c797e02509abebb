// Which keys the operations of a run choose: each as often as any other (`uniform`), or by Zipf's law (`zipf:THETA`), a
// few of them very often, the same for those that were inserted last (`latest`), or a part of them with a share of the
// operations (`hotset:KEYS:SHARE`); how ranks are drawn by Zipf's law; and the mathematics for it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/workload/random.hpp"
#include "kernel/console/completion.hpp"

namespace mxk::bench {

struct Distribution {
    enum class Kind : std::uint8_t { Uniform, Zipf, Latest, HotSet };

    Kind kind = Kind::Uniform;
    double theta = 0;      // of Zipf's law
    double hot_keys = 0;   // of all keys; HotSet
    double hot_share = 0;  // of the operations that use these keys
    bool is_given = false; // it was typed

    static constexpr Distribution zipf(double theta) { return {.kind = Kind::Zipf, .theta = theta}; }
    static constexpr Distribution latest() { return {.kind = Kind::Latest, .theta = 0.99}; } // as YCSB
    static constexpr Distribution hot_set(double keys, double share) {
        return {.kind = Kind::HotSet, .hot_keys = keys, .hot_share = share};
    }
    [[nodiscard]] constexpr bool is_uniform() const { return kind == Kind::Uniform; }
};

// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, Distribution& distribution);
void print_value(TextSink& out, Distribution const& distribution);
void describe_value(TextSink& out, Distribution const& distribution);
void complete_value(console::Candidates& candidates, Distribution const& distribution);

// Ranks by Zipf's law: of n things, the one of rank k (1 to n) is drawn with a probability proportional to k^-theta,
// for any theta > 0. Drawn exactly, by rejection-inversion (Hörmann and Derflinger, Rejection-inversion to generate
// variates from monotone discrete distributions, ACM TOMACS 6(3), 1996): invert the integral of x^-theta, round, and
// now and then draw again. It needs no table: the 24 M entries of a cumulative or an alias table would want as much
// memory as the instructions, and for each entry the same power that is computed here for each draw.
class Zipf {
  public:
    // `count` > 0, below 2^53; min_theta <= `theta` <= max_theta.
    Zipf(std::uint64_t count, double theta);
    static constexpr double min_theta = 0.001;
    static constexpr double max_theta = 10;

    // 1 to count.
    std::uint64_t operator()(Random& random) const;

  private:
    [[nodiscard]] double weight(double x) const;     // x^-theta
    [[nodiscard]] double integral(double x) const;   // of the weight, from 1 to x
    [[nodiscard]] double inverse(double area) const; // of the integral

    std::uint64_t count_;
    double theta_;
    double first_area_ = 0; // where the areas of all ranks begin: rank 1's is its weight, 1
    double last_area_ = 0;  // and where they end
    double shortcut_ = 0;   // a rank that is so little larger than the inverse needs no further look
};

// Logarithm and exponential for drawing from distributions, without a mathematical library, which metal does not have.
// The same bits in every build, so that the same seed gives the same instructions everywhere. Relative error below
// 1e-15. Any core, never blocks.

// Of a normal number greater than 0.
double natural_logarithm(double x);

// e^x for x between -700 and 700.
double exponential(double x);

} // namespace mxk::bench

// An open load: operations are due at a set rate, in equal steps, whether or not those before have ended. Their latency
// counts from when they were due, so that an operation which the measured program could not even begin in time counts
// as late: no coordinated omission (Tene; Schroeder et al., Open versus closed, NSDI 2006).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace mxk::bench {

// Operations per second of all cores together: `20M`, or `50%` of what they reach without a set rate.
struct Rate {
    std::uint64_t per_second = 0; // 0: the share counts
    double share = 0;

    static constexpr std::uint64_t max_per_second = 1'000'000'000'000;
    static constexpr unsigned max_percent = 100;
};

// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, Rate& rate);
void print_value(TextSink& out, Rate const& rate);
void describe_value(TextSink& out, Rate const& rate);

// When the operations of one queue of instructions are due.
class Arrivals {
  public:
    // None are: as fast as they are taken.
    Arrivals() = default;
    // `time_between`: two of them, in time stamps, > 0. The first `warm_up` of them are not measured: caches, and
    // the page tables of a machine below this one, are cold, and what waits behind that has to be caught up with.
    Arrivals(double time_between, std::size_t warm_up)
        : interval_(time_between)
        , warm_up_(warm_up) {}

    [[nodiscard]] bool is_open_load() const { return interval_ != 0; }
    // The first is due now.
    void begin(Cycles now) {
        start_ = raw(now);
        measured_from_ = is_open_load() ? raw(due(warm_up_)) : 0;
    }
    // Whether what ends now is measured.
    [[nodiscard]] bool is_measured(Cycles now) const { return raw(now) >= measured_from_; }
    [[nodiscard]] Cycles due(std::size_t at) const {
        return static_cast<Cycles>(start_ + static_cast<std::uint64_t>(static_cast<double>(at) * interval_));
    }

  private:
    std::uint64_t start_ = 0;
    double interval_ = 0;
    std::size_t warm_up_ = 0;
    std::uint64_t measured_from_ = 0;
};

} // namespace mxk::bench

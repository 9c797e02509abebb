// Counts values by size: exact below 16, and from there on in 16 steps for each doubling, so that a value is known to
// a sixteenth (the scheme of HdrHistogram, Tene). For one core at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mxk {

class Histogram {
  public:
    void add(std::uint64_t value) {
        ++counts_[bin_of(value)];
        ++count_;
        sum_ += value;
        max_ = std::max(max_, value);
    }
    void add(Histogram const& other) {
        for (std::size_t i = 0; i < bins; ++i) counts_[i] += other.counts_[i];
        count_ += other.count_;
        sum_ += other.sum_;
        max_ = std::max(max_, other.max_);
    }
    // Takes out what add() has put in. The maximum is then that of its step.
    void remove(Histogram const& other) {
        std::uint64_t last = 0;
        for (std::size_t i = 0; i < bins; ++i) {
            counts_[i] -= other.counts_[i];
            if (counts_[i] != 0) last = last_of(i);
        }
        count_ -= other.count_;
        sum_ -= other.sum_;
        max_ = std::min(max_, last);
    }

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t max() const { return max_; }
    // Exact; 0 if there are none.
    [[nodiscard]] std::uint64_t mean() const { return count_ == 0 ? 0 : sum_ / count_; }
    // The last value of the step in which this part (0 to 1) of the values ends; 0 if there are none.
    [[nodiscard]] std::uint64_t quantile(double part) const {
        auto left = static_cast<std::uint64_t>(part * static_cast<double>(count_));
        for (std::size_t i = 0; i < bins; ++i) {
            if (counts_[i] > left) return std::min(last_of(i), max_);
            left -= counts_[i];
        }
        return max_;
    }
    // Values above `limit`, which counts as the last of its step.
    [[nodiscard]] std::uint64_t count_above(std::uint64_t limit) const {
        std::uint64_t sum = 0;
        for (std::size_t i = bin_of(limit) + 1; i < bins; ++i) sum += counts_[i];
        return sum;
    }

  private:
    static constexpr unsigned step_bits = 4;
    static constexpr std::size_t steps = std::size_t{1} << step_bits;
    static constexpr std::size_t bins = (64 - step_bits + 1) * steps;

    static constexpr std::size_t bin_of(std::uint64_t value) {
        if (value < steps) return value;
        auto const doublings = static_cast<unsigned>(std::bit_width(value)) - 1 - step_bits;
        return (doublings + 1) * steps + ((value >> doublings) & (steps - 1));
    }
    static constexpr std::uint64_t last_of(std::size_t bin) {
        if (bin < steps) return bin;
        auto const doublings = static_cast<unsigned>(bin / steps - 1);
        return ((steps + bin % steps + 1) << doublings) - 1;
    }

    std::array<std::uint64_t, bins> counts_{};
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
    std::uint64_t max_ = 0;
};

} // namespace mxk

// Which conditional branches are predicted wrongly: by two-bit counters, or at random at a given rate, the same ones in
// every run.
#pragma once

#include <array>
#include <cstdint>

#include "tools/simulator/model/machine_model.hpp"

namespace mxk::simulator {

class Predictor {
  public:
    Predictor(CoreParameters const& parameters, unsigned seed)
        : two_bit_(parameters.branch_predictor == BranchPredictor::TwoBit)
        , max_missed_(static_cast<std::uint64_t>(parameters.branch_miss_rate * 4294967296.0))
        , random_(0x9e3779b97f4a7c15 + seed) {
        counters_.fill(1);
    }

    /// Whether it was predicted wrongly; it has learned then.
    bool misses(std::uint64_t address, bool taken) {
        return two_bit_ ? counter_misses(address, taken) : random_misses();
    }

  private:
    bool counter_misses(std::uint64_t address, bool taken) {
        std::uint8_t& counter = counters_[(address ^ address >> 12) % counters_.size()];
        bool const predicted = counter >= 2;
        if (taken && counter < 3) ++counter;
        if (!taken && counter > 0) --counter;
        return predicted != taken;
    }

    bool random_misses() { // xorshift64*
        random_ ^= random_ >> 12;
        random_ ^= random_ << 25;
        random_ ^= random_ >> 27;
        return (random_ * 0x2545f4914f6cdd1d) >> 32 < max_missed_;
    }

    bool two_bit_;
    std::uint64_t max_missed_;
    std::uint64_t random_;
    std::array<std::uint8_t, 4096> counters_{};
};

} // namespace mxk::simulator

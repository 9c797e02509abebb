// Which conditional branches are predicted wrongly: by two-bit counters, or at random at a given rate, the same ones in
// every run.
#pragma once

#include <array>
#include <cstdint>

#include "tools/simulator/model/machine_model.hpp"
#include "tools/simulator/model/chance.hpp"

namespace mxk::simulator {

class Predictor {
  public:
    Predictor(CoreParameters const& parameters, unsigned seed)
        : two_bit_(parameters.branch_predictor == BranchPredictor::TwoBit)
        , max_missed_(static_cast<std::uint64_t>(parameters.branch_miss_rate * 4294967296.0))
        , random_(seed) {
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

    bool random_misses() { return random_.next() >> 32 < max_missed_; }

    bool two_bit_;
    std::uint64_t max_missed_;
    Random random_;
    std::array<std::uint8_t, 4096> counters_{};
};

} // namespace mxk::simulator

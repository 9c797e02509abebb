// Numbers by chance, the same ones for a seed in every run: xorshift64* (Vigna, 2016).
#pragma once

#include <cstdint>

namespace mxk::simulator {

class Random {
  public:
    explicit Random(std::uint64_t seed)
        : state_(0x9e3779b97f4a7c15 + seed) {}

    std::uint64_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1d;
    }

    /// From 0 up to, not including, that.
    std::uint64_t below(std::uint64_t end) {
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * end >> 64);
    }

  private:
    std::uint64_t state_;
};

} // namespace mxk::simulator

// The keys of a run by their number, all different and never 0. It holds nothing, so that every slice may have one.
#pragma once

#include <cstdint>

#include "bench/workload/keys.hpp"
#include "bench/workload/random.hpp"

namespace mxk::bench {

class KeySequence {
  public:
    static constexpr std::uint64_t most_keys = std::uint64_t{1} << 62;

    // Keys that look random: a bijection of numbers that never reach 0.
    explicit KeySequence(std::uint64_t seed)
        : start_(std::uint64_t{1} << 63 | Random::mixed(seed) >> 2) {}
    // What `keys` says; random ones by `seed`. Those of a file must have been read, and outlive this.
    KeySequence(Keys const& keys, std::uint64_t seed)
        : KeySequence(seed) {
        if (keys.kind == Keys::Kind::Strided) stride_ = keys.stride;
        if (keys.kind == Keys::Kind::File) listed_ = keys.listed.data();
    }

    // `index` < most_keys, and below the number of keys in the file, or that check() has allowed for this stride.
    std::uint64_t operator()(std::uint64_t index) const {
        if (listed_ != nullptr) return listed_[index];
        return stride_ != 0 ? stride_ * (index + 1) : Random::mixed(start_ + index);
    }

  private:
    std::uint64_t start_;
    std::uint64_t stride_ = 0;              // 0: random
    std::uint64_t const* listed_ = nullptr; // null: not of a file
};

} // namespace mxk::bench

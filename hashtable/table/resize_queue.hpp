// Which blocks of a table are to be split, merged or rebuilt, first in, first out. A block is noted as a fraction that
// lies in its share of all hashes: that stays right when the directory is doubled. Bounded: what does not fit is
// forgotten, and noted again by one of the next operations on that block. A block may be in it more than once, or need
// nothing any more when its turn comes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace mxk {

class ResizeQueue {
  public:
    void add(std::uint64_t fraction) {
        if (size_ == fractions_.size()) return;
        fractions_[(first_ + size_++) % fractions_.size()] = fraction;
    }
    std::optional<std::uint64_t> take() {
        if (size_ == 0) return std::nullopt;
        std::uint64_t const fraction = fractions_[first_];
        first_ = (first_ + 1) % fractions_.size();
        --size_;
        return fraction;
    }
    [[nodiscard]] bool empty() const { return size_ == 0; }

  private:
    std::array<std::uint64_t, 32> fractions_{};
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

} // namespace mxk

// The lines typed before, newest first; the oldest are forgotten where there are too many, or too long ones. Empty
// lines and a line equal to the newest are not kept.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernel/console/words.hpp"

namespace mxk::console {

class History {
  public:
    static constexpr std::size_t capacity = 32;
    static constexpr std::size_t max_characters = 4 * max_line; // of all

    // line.size() <= max_line.
    void add(std::string_view line) {
        if (line.empty() || (count_ > 0 && (*this)[0] == line)) return;
        while (count_ == capacity || used_ + line.size() > max_characters) forget_oldest();
        std::copy(line.begin(), line.end(), characters_.begin() + used_);
        used_ += line.size();
        sizes_[count_++] = static_cast<std::uint16_t>(line.size());
    }

    [[nodiscard]] std::size_t size() const { return count_; }

    // age < size(); 0 is the newest. Valid until the next add().
    [[nodiscard]] std::string_view operator[](std::size_t age) const {
        std::size_t end = used_;
        for (std::size_t i = 0; i < age; ++i) end -= sizes_[count_ - 1 - i];
        std::size_t const size = sizes_[count_ - 1 - age];
        return {characters_.data() + end - size, size};
    }

  private:
    void forget_oldest() {
        std::copy(characters_.begin() + sizes_[0], characters_.begin() + used_, characters_.begin());
        used_ -= sizes_[0];
        std::copy(sizes_.begin() + 1, sizes_.begin() + count_, sizes_.begin());
        --count_;
    }

    std::array<char, max_characters> characters_{}; // the oldest line first
    std::array<std::uint16_t, capacity> sizes_{};
    std::size_t used_ = 0;
    std::size_t count_ = 0;
};

} // namespace mxk::console

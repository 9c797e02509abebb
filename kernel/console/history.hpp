// The lines typed before, newest first; a ring that forgets the oldest. Empty lines and a line equal to the newest are
// not kept.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/text.hpp"
#include "kernel/console/line_buffer.hpp"

namespace mxk::console {

class History {
  public:
    static constexpr std::size_t capacity = 32;

    void add(std::string_view line) {
        if (line.empty() || (count_ > 0 && (*this)[0] == line)) return;
        newest_ = (newest_ + 1) % capacity;
        lines_[newest_].clear();
        lines_[newest_].append(line);
        count_ = std::min(count_ + 1, capacity);
    }

    [[nodiscard]] std::size_t size() const { return count_; }

    // age < size(); 0 is the newest. Valid until the next add().
    [[nodiscard]] std::string_view operator[](std::size_t age) const {
        return lines_[(newest_ + capacity - age) % capacity].view();
    }

  private:
    std::array<FixedText<LineBuffer::capacity>, capacity> lines_{};
    std::size_t newest_ = 0;
    std::size_t count_ = 0;
};

} // namespace mxk::console

// An input taken apart from its front: little-endian numbers, runs of bytes. What is missing at the end reads as 0, so
// that every input means something.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>

#include "tests/fuzz/targets/targets.hpp"

namespace mxk::fuzz {

class Input {
  public:
    explicit Input(InputBytes bytes)
        : bytes_(bytes) {}

    template <std::unsigned_integral T> T take() {
        T value = 0;
        InputBytes const found = take_bytes(sizeof value);
        if (!found.empty()) std::memcpy(&value, found.data(), found.size());
        return value;
    }

    // Up to `count`.
    InputBytes take_bytes(std::size_t count) {
        InputBytes const found = bytes_.first(std::min(count, bytes_.size()));
        bytes_ = bytes_.subspan(found.size());
        return found;
    }
    InputBytes take_rest() { return take_bytes(bytes_.size()); }

    [[nodiscard]] bool empty() const { return bytes_.empty(); }

  private:
    InputBytes bytes_;
};

} // namespace mxk::fuzz

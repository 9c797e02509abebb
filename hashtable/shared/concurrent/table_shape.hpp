// How a concurrent table begins, and when it changes its size.
#pragma once

#include <algorithm>
#include <cstddef>

#include "hashtable/shared/concurrent/head_block.hpp"

namespace mxk::concurrent {

struct TableShape {
    std::size_t first_heads = 64; // rounded up to a power of two; it never shrinks below
    double max_load = 2;          // nodes per head; with more it grows, with an eighth of it it shrinks

    [[nodiscard]] unsigned first_order() const {
        auto const order = static_cast<unsigned>(std::bit_width(std::max<std::size_t>(first_heads, 1) - 1));
        return std::clamp(order, HeadBlock::min_order, HeadBlock::max_order);
    }
};

} // namespace mxk::concurrent

// hashtable/layout/pair_match.hpp for the model checker: place by place, in the order of a processor that does not
// reorder loads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mxk {

template <typename Low, typename High> unsigned matching_places(Low const& low, High const& high, std::uint64_t hash) {
    unsigned result = 0;
    for (std::size_t i = 0; i < low.size(); ++i) {
        bool const is_low = low[i].load(std::memory_order_acquire) == static_cast<std::uint32_t>(hash);
        bool const is_high =
            is_low && high[i].load(std::memory_order_acquire) == static_cast<std::uint16_t>(hash >> 32);
        result |= (is_high ? 1U : 0U) << i;
    }
    return result;
}

} // namespace mxk

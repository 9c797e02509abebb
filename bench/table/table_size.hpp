// How large the options have a growing table begin, and what it may ask for while it grows.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "bench/table/table_options.hpp"
#include "hashtable/table/extendible.hpp"

namespace mxk::bench {

// A table's hash: of as many places as the table begins with, if it has places.
template <typename Hash> Hash hash_for(std::uint64_t slots) {
    if constexpr (std::constructible_from<Hash, std::uint64_t>)
        return Hash(slots);
    else
        return {};
}

// As large as the options say, or for as many keys as there are operations.
template <typename Table> TableSize table_size(TableOptions const& options) {
    if (options.initial_slots) return {.slots = *options.initial_slots};
    constexpr double default_load = 0.5;
    double const load = options.load.value_or(default_load);
    double const wanted = static_cast<double>(options.operations) / load;
    auto slots = static_cast<std::size_t>(wanted);
    if (static_cast<double>(slots) < wanted) ++slots; // std::ceil() is in a library that a bare machine has not
    // What chance adds to a block is not to make it two.
    return {.slots = slots, .load = std::max(load * 1.06, Table::Layout::default_load)};
}

// Memory that the table will ask for; 0 for one that begins large enough.
inline std::size_t growth_bytes(TableOptions const& options) {
    // What a key and a value take when all blocks have just become two, and some more.
    constexpr std::size_t most_bytes_of_pair = 48;
    return options.initial_slots ? options.operations * most_bytes_of_pair : 0;
}

} // namespace mxk::bench

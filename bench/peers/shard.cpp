#include "bench/peers/shard.hpp"

#include <cmath>

namespace mxk::bench {

std::size_t Shards::most_keys(std::size_t keys) const {
    double const mean = static_cast<double>(keys) / static_cast<double>(count());
    return static_cast<std::size_t>(mean + 8 * std::sqrt(mean)) + 8;
}

} // namespace mxk::bench

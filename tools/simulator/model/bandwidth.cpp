#include "tools/simulator/model/bandwidth.hpp"

#include <algorithm>
#include <cmath>

namespace mxk::simulator {
namespace {
constexpr std::uint64_t line_bytes = 64;
}

Bandwidth::Bandwidth(double bytes_per_cycle, std::uint64_t buckets)
    : parts_per_line_(static_cast<std::uint64_t>(
          std::llround(static_cast<double>(line_bytes * (per_cycle << part_bits)) / bytes_per_cycle)))
    , ring_(buckets) {}

Time Bandwidth::book(Time at, std::uint64_t bytes) {
    bytes_ += bytes;
    std::uint64_t const service = parts_per_line_ * bytes / line_bytes;
    std::uint64_t left = service;
    Time finish = at;
    std::uint64_t const first = at >> bucket_bits;
    for (std::uint64_t number = first; left != 0; ++number) {
        if (number - first == ring_.size()) { // longer than it remembers
            finish = number << bucket_bits;
            break;
        }
        Bucket& bucket = ring_[number & (ring_.size() - 1)];
        if (bucket.number > number) return 0;
        if (bucket.number < number) bucket = {number, 0};
        std::uint64_t const here = std::min(capacity - bucket.taken, left);
        if (here == 0) continue;
        bucket.taken += here;
        left -= here;
        finish = (number << bucket_bits) + (bucket.taken >> part_bits);
    }
    Time const idle_finish = at + (service >> part_bits);
    return finish > idle_finish ? finish - idle_finish : 0;
}

} // namespace mxk::simulator

// The bandwidth of a memory channel or a link, booked in buckets of time: clocks of cores differ while they are
// simulated, so a booking may be earlier than one before it. Each bucket says how much of it is taken; what does not
// fit waits for the next one that has room.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/simulator/model/time.hpp"

namespace mxk::simulator {

class Bandwidth {
  public:
    /// Of so many bytes per cycle; more than 0. buckets: a power of two, how many are remembered; older ones are
    /// forgotten: a booking in them does not wait.
    explicit Bandwidth(double bytes_per_cycle, std::uint64_t buckets = 4096);

    /// Books bytes from `at` on; by how much later than on an idle channel they have passed.
    Time book(Time at, std::uint64_t bytes);

    /// Whether less than half of what passes around that time is booked.
    bool is_half_free(Time at) const {
        Bucket const& bucket = ring_[(at >> bucket_bits) & (ring_.size() - 1)];
        return bucket.number != at >> bucket_bits || bucket.taken < capacity / 2;
    }

    std::uint64_t bytes() const { return bytes_; }
    void reset_count() { bytes_ = 0; }

  private:
    static constexpr unsigned bucket_bits = 12; // 64 cycles
    static constexpr unsigned part_bits = 4;    // capacity is counted in 1/16 of a Time
    static constexpr std::uint64_t capacity = std::uint64_t{1} << (bucket_bits + part_bits);

    struct Bucket {
        std::uint64_t number = 0; // since time 0
        std::uint64_t taken = 0;
    };

    std::uint64_t parts_per_line_;
    std::uint64_t bytes_ = 0;
    std::vector<Bucket> ring_;
};

} // namespace mxk::simulator

// How many iterations of a loop are run between two looks whether idle cores want some: as many as take some
// microseconds, so that looking costs little, found out by running them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel/clock.hpp"

namespace mxk::forks {

class Pace {
  public:
    // `grain`: so many; 0: found out.
    explicit Pace(std::uint64_t grain)
        : size_(grain != 0 ? grain : 1)
        , is_fixed_(grain != 0)
        , is_known_(grain != 0) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }
    // Enough was run to say that forking pays.
    [[nodiscard]] bool is_known() const { return is_known_; }

    // Of a part that is forked, whose iterations may cost more: it begins with fewer.
    [[nodiscard]] Pace of_part() const {
        Pace result = *this;
        if (!is_fixed_) result.size_ = std::max<std::uint64_t>(size_ / 8, 1);
        return result;
    }

    // Runs so many iterations of those that are left, by body(begin, end), and gives where the next ones begin.
    template <typename Body> std::uint64_t run(std::uint64_t begin, std::uint64_t end, Body&& body) {
        std::uint64_t const until = begin + std::min(size_, end - begin);
        if (is_fixed_) {
            body(begin, until);
            return until;
        }
        Cycles const start = clock::timestamp();
        body(begin, until);
        adapt(raw(clock::timestamp() - start));
        return until;
    }

  private:
    static constexpr std::uint64_t max_size = std::uint64_t{1} << 56;
    static constexpr std::uint64_t short_time = 1'000; // cycles
    static constexpr std::uint64_t enough_time = 8'000;
    static constexpr std::uint64_t long_time = 4 * enough_time;

    void adapt(std::uint64_t cycles) {
        if (cycles >= short_time) is_known_ = true;
        if (cycles < short_time)
            size_ = std::min(8 * size_, max_size);
        else if (cycles < enough_time)
            size_ = std::min(2 * size_, max_size);
        else if (cycles > long_time)
            size_ = std::max<std::uint64_t>(size_ / (cycles / enough_time), 1);
    }

    std::uint64_t size_;
    bool is_fixed_;
    bool is_known_;
};

} // namespace mxk::forks

// A core that reads memory a share of its time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"
#include "bench/machine/word_stream.hpp"

namespace mxk::bench {

// One core; others ask it afterwards.
class LoadReader {
  public:
    // `words`: that count from `first` (words_count_from()). `share`: of its time, more than 0, up to 1.
    LoadReader(Words words, std::uint64_t first, double share)
        : words_(words)
        , first_(first)
        , share_(share) {}

    // Reads the next piece, then pauses so long that the share is kept: some microseconds.
    void read_piece();

    // Per second, from the first piece on. 0: none was read.
    [[nodiscard]] double bytes_per_second() const;
    // All sums were those of the words that are there.
    [[nodiscard]] bool verified() const { return verified_; }

  private:
    Words words_;
    std::uint64_t first_;
    double share_;
    std::size_t next_ = 0; // word
    std::uint64_t bytes_ = 0;
    Cycles start_{};
    Cycles end_{};
    bool verified_ = true;
};

} // namespace mxk::bench

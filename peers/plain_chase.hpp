// The latency of a load, measured without anything of MXK, to compare `bench memory` with: memory of its own (mmap), an
// order of its own, the system's clock. As lat_mem_rd of lmbench does (McVoy, Staelin 1996), with random order: a chain
// of loads of which each gives the address of the next one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxk::bench {

class PlainChase {
  public:
    // Memory for sets of up to `bytes`, in large pages where the system gives them. Throws std::bad_alloc.
    explicit PlainChase(std::size_t bytes);
    PlainChase(PlainChase const&) = delete;
    PlainChase& operator=(PlainChase const&) = delete;
    ~PlainChase();

    struct Latency {
        double nanoseconds; // per load, the median of some parts of the run
        std::size_t loads;
        bool verified; // the chain came to each line once
    };
    // Of a set of `bytes`, with no fewer than `loads` timed, on the calling thread.
    Latency measure(std::size_t bytes, std::size_t loads);

  private:
    struct alignas(64) Line {
        Line* next;
        std::uint64_t visits;
    };

    // Gives the first line.
    Line* link(std::size_t lines);
    // Untimed: follows the chain once and counts.
    static bool goes_round(Line* first, std::size_t lines);

    Line* lines_;
    std::size_t mapped_;
};

} // namespace mxk::bench

// Whether all that was posted anywhere has ended, though messages are under way and bodies post more: two waves over
// all ranks, each of which adds up what every rank has posted and ended so far. All has ended if both waves saw the
// same four sums (Mattern, Algorithms for distributed termination detection, Distributed Computing 2, 1987, the four
// counter method): what was posted in between, or was missed by the first wave, shows in the second one.
#pragma once

#include <cstdint>
#include <optional>

namespace mxk::remote {

// Over all ranks, or of one.
struct PostedAndEnded {
    std::uint64_t posted = 0;
    std::uint64_t ended = 0;

    bool operator==(PostedAndEnded const&) const = default;
};

class Termination {
  public:
    // A wave's sums. It began after the one before had ended, and read `ended` of each rank before `posted`. True: all
    // has ended.
    [[nodiscard]] bool add_wave(PostedAndEnded const& sums) {
        bool const is_over = before_ == sums && sums.posted == sums.ended;
        before_ = sums;
        return is_over;
    }

  private:
    std::optional<PostedAndEnded> before_;
};

} // namespace mxk::remote

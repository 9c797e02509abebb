// What a core has posted, and what has ended on it, for termination.hpp. Its core counts, and any core reads: who has
// seen that a body has ended sees that it was posted, and what it has posted itself.
#pragma once

#include <atomic>
#include <cstdint>

namespace mxk::remote {

class PostCounts {
  public:
    // Its core only. A body is counted before it is on its way; its end behind all that it has posted.
    void count_posted(std::uint64_t number) {
        // relaxed both: the way to the body's core, or the end of the body that posts, makes it known
        posted_.store(posted_.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);
    }
    void count_ended(std::uint64_t number) {
        // pairs with the load in ended()
        ended_.store(ended_.load(std::memory_order_relaxed) + number, std::memory_order_release);
    }

    // `ended` of all cores is read before `posted` of any.
    [[nodiscard]] std::uint64_t ended() const { return ended_.load(std::memory_order_acquire); }
    [[nodiscard]] std::uint64_t posted() const { return posted_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> posted_{0};
    std::atomic<std::uint64_t> ended_{0};
};

} // namespace mxk::remote

// Waiting twice as long after each time that a lock was not free, between two bounds. How long is best depends on the
// machine, the number of workers and the length of sections.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mxk::locks {

struct NoBackoff {
    template <typename F, typename Part> class Delay {
      public:
        explicit Delay(Part const& part)
            : wait_(part) {}
        void pass() { wait_.turn(); }

      private:
        typename F::Wait wait_;
    };
};

// In nanoseconds.
template <std::uint64_t min, std::uint64_t max> struct Backoff {
    template <typename F, typename Part> class Delay {
      public:
        explicit Delay(Part const& part)
            : part_(part)
            , wait_(part) {}
        void pass() {
            std::uint64_t const end = F::nanoseconds(part_) + next_;
            do wait_.turn();
            while (F::nanoseconds(part_) < end);
            next_ = std::min(2 * next_, max);
        }

      private:
        Part const& part_;
        typename F::Wait wait_;
        std::uint64_t next_ = min;
    };
};

} // namespace mxk::locks

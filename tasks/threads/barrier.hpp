// Threads that wait for each other: none continues before all have come. It can be used again and again.
#pragma once

#include <cstdint>

#include "tasks/threads/condition.hpp"

namespace mxk {

// Destroyed when all threads have returned from arrive_and_wait(): who returns first, leaves others on their way out.
class Barrier {
  public:
    // Errors: fewer than one.
    static Result<std::uint32_t> check(std::int64_t threads);

    // `threads` > 0.
    explicit Barrier(std::uint32_t threads);

    // Threads. True for the last one, which comes when the others wait.
    bool arrive_and_wait();

  private:
    Mutex mutex_; // all below
    ConditionVariable all_have_come_;
    std::uint32_t threads_;
    std::uint32_t missing_;
    std::uint64_t round_ = 0;
};

} // namespace mxk

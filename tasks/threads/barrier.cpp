#include "tasks/threads/barrier.hpp"

#include "base/panic.hpp"

namespace mxk {

Result<std::uint32_t> Barrier::check(std::int64_t threads) {
    if (threads < 1 || threads > std::int64_t{UINT32_MAX})
        return Error::of("barrier: expected 1 to {} threads, got {}", UINT32_MAX, threads);
    return static_cast<std::uint32_t>(threads);
}

Barrier::Barrier(std::uint32_t threads)
    : threads_(threads)
    , missing_(threads) {
    expect(threads > 0, "a barrier is for one thread or more");
}

bool Barrier::arrive_and_wait() {
    LockGuard const guard(mutex_);
    if (--missing_ == 0) {
        missing_ = threads_;
        ++round_;
        all_have_come_.notify_all();
        return true;
    }
    std::uint64_t const mine = round_;
    all_have_come_.wait(mutex_, [&] { return round_ != mine; });
    return false;
}

} // namespace mxk

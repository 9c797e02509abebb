// What the report says of a mutex. Its holder counts, so that no counter is atomic.
#pragma once

#include <time.h>

#include <array>
#include <cstdint>

#include "base/histogram.hpp"
#include "main/preload/processors.hpp"

namespace mxk::preload {

inline std::uint64_t nanoseconds_now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

class MutexStatistics {
  public:
    // The caller has it now; it was held by another one when the caller came, at `begin`, if that is not 0.
    void acquired(void const* thread, std::uint64_t begin);
    // A wait on a condition variable took it again: nobody knows how long it waited for the mutex.
    void acquired_again(void const* thread) { acquired(thread, 0); }
    // Before it is released.
    void released(void const* thread);

    [[nodiscard]] Histogram const& waits() const { return waits_; }
    [[nodiscard]] Histogram const& holds() const { return holds_; }
    [[nodiscard]] std::uint64_t acquisitions() const { return acquisitions_; }
    [[nodiscard]] std::array<std::uint64_t, distances> const& hand_overs() const { return hand_overs_; }

  private:
    Histogram waits_;
    Histogram holds_;
    std::uint64_t acquisitions_ = 0;
    std::array<std::uint64_t, distances> hand_overs_{};
    void const* holder_ = nullptr;
    std::uint64_t since_ = 0;
    void const* last_thread_ = nullptr;
    std::uint32_t last_processor_ = 0;
};

// On standard error, of all mutexes that were locked.
void write_report(char const* kind);

} // namespace mxk::preload

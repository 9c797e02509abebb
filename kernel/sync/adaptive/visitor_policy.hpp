// When a dynamic lock is to be one visitor's without lock: when nobody else has come for a time and for a number of
// visits. A lock that others came to soon after it was disabled waits twice as long the next time. (Counting who comes
// as in V. Uhlig's dissertation; the numbers are ours.)
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.hpp"
#include "kernel/clock.hpp"

namespace mxk {

// Every function: by the holder of the lock beneath; never blocks.
class VisitorPolicy {
  public:
    struct Settings {
        std::uint32_t visits = 1024;       // looks at the clock so often
        Nanoseconds time{1'000'000};       // of one visitor alone before it becomes the owner
        Nanoseconds max_time{100'000'000}; // of a lock that was disabled in vain
    };

    explicit VisitorPolicy(Settings const& settings)
        : settings_(settings)
        , time_(raw(settings.time)) {}

    // A visit under the lock has begun. True if the visitor is to become the owner.
    bool visited_by(std::uintptr_t visitor) {
        if (visitor != last_) {
            last_ = visitor;
            visits_ = 0;
            if (has_decided_) [[unlikely]]
                learn();
            return false;
        }
        if (++visits_ % settings_.visits != 0) return false;
        Cycles const now = clock::timestamp();
        if (visits_ == settings_.visits) alone_since_ = now;
        if (raw(clock::to_nanoseconds(now - alone_since_)) < time_) return false;
        visits_ = 0;
        has_decided_ = true;
        decided_at_ = now;
        return true;
    }

    // How long one visitor must be alone now.
    [[nodiscard]] Nanoseconds time() const { return Nanoseconds{time_}; }

  private:
    // Somebody else has come after all.
    void learn() {
        has_decided_ = false;
        bool const soon = raw(clock::to_nanoseconds(clock::timestamp() - decided_at_)) < raw(settings_.max_time);
        time_ = soon ? std::min(2 * time_, raw(settings_.max_time)) : raw(settings_.time);
    }

    Settings settings_;
    std::uint64_t time_; // ns
    std::uintptr_t last_ = 0;
    std::uint64_t visits_ = 0; // of the last one, one after the other
    Cycles alone_since_{};
    bool has_decided_ = false; // and nobody else has come since
    Cycles decided_at_{};
};

} // namespace mxk

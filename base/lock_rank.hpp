// The order in which locks may be taken: a lock only while all that the holder has are of lower ranks, so that no two
// holders can wait for each other. Builds with MXK_CHECK_LOCKS (metal-debug, sanitizers) check it and who gives a lock
// back, and panic with both call sites; in others it costs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <source_location>

#include "base/panic.hpp"

namespace mxk {

enum class LockRank : std::uint8_t {
    Application = 64, // mutexes; an application with several orders its own from 1 to 127
    Condition = 128,
    ThreadList = 136,
    Stacks = 144,
    Paging = 152,
    NodeMemory = 160,
    Semaphore = 192,
    Log = 224,
    SerialLine = 232,
};

#ifdef MXK_CHECK_LOCKS
inline constexpr bool check_locks = true;
#else
inline constexpr bool check_locks = false;
#endif

// What one thread, or the tasks of one core, hold, in the order of their taking.
class HeldLocks {
  public:
    // Before waiting for it.
    void taking(void const* lock, LockRank rank, std::source_location where) const {
        if (count_ == 0) return;
        Held const& last = held_[count_ - 1];
        if (rank > last.rank) return;
        FixedText<240> message;
        format(message, "a lock of rank {} is taken while one of rank {} is held{}, taken at {}:{}",
               static_cast<unsigned>(rank), static_cast<unsigned>(last.rank), last.lock == lock ? " (the same)" : "",
               last.where.file_name(), last.where.line());
        die(message.view(), where);
    }
    void taken(void const* lock, LockRank rank, std::source_location where) {
        expect(count_ < held_.size(), "nobody holds more than eight locks");
        held_[count_++] = {lock, rank, where};
    }
    // In any order.
    void given_back(void const* lock, std::source_location where) {
        std::size_t at = count_;
        while (at > 0 && held_[at - 1].lock != lock) --at;
        expect(at != 0, "a lock is given back by who does not hold it", where);
        for (--count_; at <= count_; ++at) held_[at - 1] = held_[at];
    }

  private:
    struct Held {
        void const* lock = nullptr;
        LockRank rank{};
        std::source_location where{};
    };
    std::array<Held, 8> held_{};
    std::size_t count_ = 0;
};

// The caller's. Provided by each arch/; only asked for where locks are checked.
HeldLocks& held_locks();

} // namespace mxk

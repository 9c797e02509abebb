// The order in which locks may be taken: a lock only while all that the caller holds are of lower ranks, so that no two
// holders can wait for each other. Builds with MXK_CHECK_LOCKS (metal-debug, sanitizers) check this, and that only the
// holder unlocks, and panic with both call sites; in others it costs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <source_location>

#include "base/panic.hpp"

namespace mxk {

enum class LockRank : std::uint8_t {};

// The ranks for one purpose. A lock's own rank is named beside the lock, in its room: `lock_bands::memory.rank(8)`.
class LockBand {
  public:
    constexpr LockBand(unsigned first, unsigned last)
        : first_(first)
        , last_(last) {}

    // Counted from 0, which is the lowest. Outside the band: does not compile.
    [[nodiscard]] consteval LockRank rank(unsigned place) const {
        if (place > last_ - first_) panic("a rank is one of its band");
        return static_cast<LockRank>(first_ + place);
    }

  private:
    unsigned first_;
    unsigned last_;
};

// Outermost first: the holder of a lock of one band may still use all that the bands behind it are for.
namespace lock_bands {

inline constexpr LockBand application{1, 127}; // of programs on top, mutexes among them
inline constexpr LockBand objects{128, 143};   // lists of threads, of waiters: the holder may allocate
inline constexpr LockBand memory{144, 191};    // stacks, page tables, frames: the holder may wake threads
inline constexpr LockBand waking{192, 223};    // semaphores: the holder may report
inline constexpr LockBand output{224, 255};    // the log, the serial line

} // namespace lock_bands

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
        expect(count_ < held_.size(), "a caller holds up to eight locks");
        held_[count_++] = {lock, rank, where};
    }
    // In any order.
    void given_back(void const* lock, std::source_location where) {
        std::size_t at = count_;
        while (at > 0 && held_[at - 1].lock != lock) --at;
        expect(at != 0, "a lock is given back by a caller that does not hold it", where);
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

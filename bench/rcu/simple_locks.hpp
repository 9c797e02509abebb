// Locks as they stand in textbooks, which read sections are compared with. None of them masks interrupts or is known to
// the order of locks: they are for tasks of a benchmark. A lock for one at a time counts its sections in a plain word:
// two that are inside at once lose one of them sooner or later.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/lock.hpp"
#include "base/spin_wait.hpp"
#include "base/units.hpp"

namespace mxk::bench {

// Test and test-and-set: the first that finds it free has it.
class alignas(cache_line_bytes) TestAndSetLock {
  public:
    using Node = NoLockNode;

    void lock(Node& /*node*/ = no_lock_node) {
        // acquire: pairs with unlock()
        while (is_taken_.exchange(true, std::memory_order_acquire))
            for (SpinWait wait; is_taken_.load(std::memory_order_relaxed);) wait.turn();
        ++sections_;
    }
    void unlock(Node& /*node*/ = no_lock_node) { is_taken_.store(false, std::memory_order_release); }

    // When nobody uses it: whether it is free and has been taken so often.
    [[nodiscard]] bool has_counted(std::uint64_t sections) const {
        return !is_taken_.load(std::memory_order_relaxed) && sections_ == sections;
    }

  private:
    std::atomic<bool> is_taken_{false};
    std::uint64_t sections_ = 0;
};

// First come, first served.
class alignas(cache_line_bytes) TicketLock {
  public:
    using Node = NoLockNode;

    void lock(Node& /*node*/ = no_lock_node) {
        std::uint32_t const ticket = next_.fetch_add(1, std::memory_order_relaxed);
        // acquire: pairs with unlock()
        for (SpinWait wait; serving_.load(std::memory_order_acquire) != ticket;) wait.turn();
        ++sections_;
    }
    void unlock(Node& /*node*/ = no_lock_node) {
        serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release); // its holder's
    }

    [[nodiscard]] bool has_counted(std::uint64_t sections) const {
        return next_.load(std::memory_order_relaxed) == serving_.load(std::memory_order_relaxed) &&
               sections_ == sections;
    }

  private:
    std::atomic<std::uint32_t> next_{0};
    std::atomic<std::uint32_t> serving_{0};
    std::uint64_t sections_ = 0;
};

// Any number of readers, or one writer: one word, which each reader changes twice. A writer that waits keeps new
// readers out.
class alignas(cache_line_bytes) ReaderWriterLock {
  public:
    using Node = NoLockNode;

    // As a reader.
    void lock(Node& /*node*/ = no_lock_node) {
        // acquire: pairs with unlock_for_writing()
        while ((word_.fetch_add(1, std::memory_order_acquire) & writer) != 0) {
            word_.fetch_sub(1, std::memory_order_relaxed);
            for (SpinWait wait; (word_.load(std::memory_order_relaxed) & writer) != 0;) wait.turn();
        }
    }
    void unlock(Node& /*node*/ = no_lock_node) { word_.fetch_sub(1, std::memory_order_release); }

    void lock_for_writing() {
        // acquire: pairs with another writer's unlock_for_writing()
        while ((word_.fetch_or(writer, std::memory_order_acquire) & writer) != 0)
            for (SpinWait wait; (word_.load(std::memory_order_relaxed) & writer) != 0;) wait.turn();
        // Readers that were inside leave, and those that come go again. acquire: pairs with their unlock()
        for (SpinWait wait; word_.load(std::memory_order_acquire) != writer;) wait.turn();
    }
    // A reader that is about to go again may be counted now, so only the writer's bit is taken away.
    void unlock_for_writing() { word_.fetch_and(~writer, std::memory_order_release); }

    // When nobody uses it: a writer can have it. How often readers had it, no word of it knows.
    [[nodiscard]] bool has_counted(std::uint64_t /*sections*/) {
        std::uint32_t none = 0;
        return word_.compare_exchange_strong(none, writer, std::memory_order_acquire);
    }

  private:
    static constexpr std::uint32_t writer = std::uint32_t{1} << 31;
    std::atomic<std::uint32_t> word_{0};
};

} // namespace mxk::bench

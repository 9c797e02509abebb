// Tasks on their way from one core to one other: a ring with one writer and one reader, by pointer, eight to a cache
// line, so that the receiver knows the tasks of a whole line at once and can ask for theirs. There is no common index:
// a slot itself says whether it is filled, by a bit that changes its meaning with each lap (after FastForward,
// Giacomoni et al. 2008, whose receiver clears slots; here it writes nothing, and the line travels one way). So a
// single task costs two transfers of a line, the slot's and its own. The sender looks at the receiver's index only when
// the ring seems full.
//
//     slot:   63                  1   0
//             | address of the task | lap |
//     filled for the receiver's lap n if lap = (n + 1) mod 2; zero, at first, is not
//     head <= tail <= head + capacity; both only grow
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/inject.hpp"
#include "base/prefetch.hpp"
#include "base/units.hpp"
#include "tasks/task.hpp"

namespace mxk {

class MailRing {
  public:
    static constexpr std::uint32_t capacity = 256; // tasks
    static constexpr std::uint32_t slots_per_line = cache_line_bytes / sizeof(Task*);

    // The sender.
    [[nodiscard]] bool has_room() {
        if (tail_ - head_seen_ < capacity) [[likely]]
            return true;
        head_seen_ = head_.load(std::memory_order_acquire); // pairs with take(): the slots were read
        return tail_ - head_seen_ < capacity;
    }

    // The sender. False if the ring is full.
    bool push(Task& task) {
        if (!has_room()) [[unlikely]]
            return false;
        inject::point();
        slots_[tail_ % capacity].store(filled(task, tail_), std::memory_order_release); // pairs with take()
        ++tail_;
        // The receiver has read that line a lap ago; the right to write it again takes as long as a transfer.
        if (tail_ % slots_per_line == 0) prefetch_for_write(&slots_[(tail_ + slots_per_line) % capacity]);
        return true;
    }

    // The sender: how many tasks fill up the cache line of slots that comes next.
    [[nodiscard]] std::uint32_t room_in_line() const { return slots_per_line - tail_ % slots_per_line; }

    // The receiver. seq_cst: its last look before it stops to watch (mailbox.hpp); costs what acquire costs.
    [[nodiscard]] bool empty() const {
        std::uint32_t const head = head_.load(std::memory_order_relaxed); // only the receiver writes it
        return !is_filled(slots_[head % capacity].load(std::memory_order_seq_cst), head);
    }

    // The receiver: asks for the slots that take() will look at.
    void prefetch() const { prefetch_for_read(&slots_[head_.load(std::memory_order_relaxed) % capacity]); }

    // The receiver: up to `max_tasks`, oldest first, to sink(task). Gives their number.
    template <typename Sink> std::uint32_t take(std::uint32_t max_tasks, Sink& sink) {
        std::uint32_t const head = head_.load(std::memory_order_relaxed);
        std::uint32_t count = 0;
        for (; count < max_tasks; ++count) {
            Slot const slot = slots_[(head + count) % capacity].load(std::memory_order_acquire); // pairs with push()
            if (!is_filled(slot, head + count)) break;
            sink(*reinterpret_cast<Task*>(slot & ~lap_bit));
        }
        inject::point();
        if (count != 0) head_.store(head + count, std::memory_order_release); // pairs with has_room()
        empty_rounds_ = count != 0 ? 0 : empty_rounds_ + 1;
        return count;
    }

    // The receiver, before take(): how many tasks are in the ring, if more than `known`; else `known`.
    [[nodiscard]] std::uint32_t fill_above(std::uint32_t known) const {
        std::uint32_t const head = head_.load(std::memory_order_relaxed);
        std::uint32_t fill = known;
        // The filled slots have no gaps, so one look says whether there are more.
        while (fill < capacity &&
               is_filled(slots_[(head + fill) % capacity].load(std::memory_order_relaxed), head + fill))
            ++fill;
        return fill;
    }

    // The receiver: how often in a row take() found nothing.
    [[nodiscard]] std::uint32_t empty_rounds() const { return empty_rounds_; }

  private:
    using Slot = std::uintptr_t;
    static constexpr Slot lap_bit = 1;
    static_assert(alignof(Task) > lap_bit);

    static constexpr Slot lap_of(std::uint32_t index) { return (index / capacity + 1) & lap_bit; }
    static Slot filled(Task& task, std::uint32_t index) { return reinterpret_cast<Slot>(&task) | lap_of(index); }
    static bool is_filled(Slot slot, std::uint32_t index) { return (slot & lap_bit) == lap_of(index); }

    alignas(cache_line_bytes) std::atomic<std::uint32_t> head_{0}; // the receiver's
    std::uint32_t empty_rounds_ = 0;
    alignas(cache_line_bytes) std::uint32_t tail_ = 0; // the sender's
    std::uint32_t head_seen_ = 0;
    alignas(cache_line_bytes) std::array<std::atomic<Slot>, capacity> slots_{};
};

} // namespace mxk

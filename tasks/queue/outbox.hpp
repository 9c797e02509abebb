// The sender's end of the way from one core to one other. Tasks are written into the ring a whole cache line at a time,
// or what there is when the worker flushes: a receiver that polls would otherwise take the line away from the sender
// for each of them. What the ring cannot take waits here, in order, and goes when there is room: so sending never
// blocks and never drops. Its core only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/units.hpp"
#include "tasks/queue/mailbox.hpp"
#include "tasks/queue/task_list.hpp"

namespace mxk {

class Outbox {
  public:
    // To `receiver`, whose mailbox is `to`. `sender`: this core's place among the senders; one Outbox ever for each.
    Outbox(CoreId receiver, Mailbox& to, std::size_t sender);

    [[nodiscard]] CoreId receiver() const { return receiver_; }

    // To those that have not left yet, if there are some already and this one does not fill their line. False: nothing
    // was done.
    [[nodiscard]] bool add(Task& task) {
        if (staged_count_ == 0 || staged_count_ + 1 == line_room_) return false;
        staged_[staged_count_++] = &task;
        return true;
    }

    // True if the caller must wake the receiver now. The task leaves with flush(), if not before.
    [[nodiscard]] bool send(Task& task) {
        if (ring_ == nullptr) [[unlikely]]
            return to_.push_without_ring(task);
        staged_[staged_count_++] = &task;
        return staged_count_ == line_room_ && publish();
    }

    // Whether flush() and confirm() must be called soon: no later than when this core has nothing else to do.
    [[nodiscard]] bool needs_flush() const { return staged_count_ != 0 || unconfirmed_ || has_waiting(); }
    // Whether tasks wait for room.
    [[nodiscard]] bool has_waiting() const { return !waiting_.empty(); }

    // Sends what has not left yet, as far as there is room. True if the caller must wake the receiver now.
    [[nodiscard]] bool flush() {
        bool wake = staged_count_ != 0 && publish();
        if (!has_waiting() || !ring_->has_room()) [[likely]]
            return wake;
        return wake | send_waiting();
    }

    // Makes sure that the receiver sees what has left: one that was awake did, but it may have stopped watching at that
    // moment, which only a look after a fence tells for certain. The caller has made a store_load_fence() since the
    // last flush(). True if it must wake the receiver now.
    [[nodiscard]] bool confirm() { return std::exchange(unconfirmed_, false) && watch(); }

    // How many tasks had to wait for room since the last call.
    [[nodiscard]] std::uint64_t take_waited() { return std::exchange(waited_, 0U); }

    // For the queue that has this outbox: the next one to be flushed.
    Outbox* next_to_flush = nullptr;
    bool is_to_be_flushed = false;

  private:
    // There is room in the ring. True if the caller must wake the receiver now.
    bool send_waiting();
    // True if the caller must wake the receiver now.
    bool publish() {
        for (Task* const task : std::span(staged_).first(staged_count_))
            if (has_waiting() || !ring_->push(*task)) [[unlikely]] {
                waiting_.append(*task);
                ++waited_;
            }
        staged_count_ = 0;
        line_room_ = ring_->room_in_line();
        unconfirmed_ = true;
        return watch();
    }
    bool watch() { return !watch_.is_on() && to_.turn_on(watch_); }

    Mailbox& to_;
    Mailbox::Ring* ring_; // null: there was no memory
    Mailbox::Watch watch_;
    CoreId receiver_;
    std::uint32_t staged_count_ = 0;
    std::uint32_t line_room_ = Mailbox::Ring::slots_per_line; // of the ring's line: staged up to that
    bool unconfirmed_ = false;
    std::array<Task*, Mailbox::Ring::slots_per_line> staged_{};
    TaskList waiting_;
    std::uint64_t waited_ = 0;
};

} // namespace mxk

// The way from one output of a box to one input of another: a bounded buffer of envelopes (Falt 2010, sections 3.3 and
// 3.4). What has no room is rejected and stays with the sender, which is scheduled again when there is room: no core
// ever waits for a buffer. One sender and one receiver, each of which runs on one core at a time.
//
// The poison of the thesis, which says that nothing more will come, is a mark here and no envelope: it needs no memory
// and no room.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/fence.hpp"
#include "base/inject.hpp"
#include "tasks/dataflow/core_scheduler.hpp"
#include "tasks/dataflow/graph/envelope.hpp"
#include "tasks/owner_counter.hpp"

namespace mxk::dataflow {

class Edge {
  public:
    static constexpr std::uint32_t max_capacity = 64;

    // `capacity`: 1 to max_capacity.
    Edge(ReschedulableTask& sender, ReschedulableTask& receiver, std::uint32_t capacity)
        : sender_(sender)
        , receiver_(receiver)
        , capacity_(capacity) {}
    Edge(Edge const&) = delete;
    Edge& operator=(Edge const&) = delete;
    ~Edge() {
        for (std::uint32_t at = head_.load(std::memory_order_relaxed); at != tail_.load(std::memory_order_relaxed);
             ++at)
            EnvelopePointer const left(slots_[at % max_capacity]);
    }

    // The sender. False: there is no room, and the sender is scheduled when there is.
    [[nodiscard]] bool offer(CoreScheduler& here, Envelope& envelope) {
        std::uint32_t const tail = tail_.load(std::memory_order_relaxed);
        if (tail - head_.load(std::memory_order_acquire) == capacity_) {
            bool const waited = sender_waits_.load(std::memory_order_relaxed); // it was scheduled by something else
            sender_waits_.store(true, std::memory_order_relaxed);
            store_load_fence(); // the receiver sees that the sender waits, or the sender sees the room
            inject::point();
            if (tail - head_.load(std::memory_order_acquire) == capacity_) {
                rejected_.add(waited ? 0 : 1);
                return false;
            }
            sender_waits_.store(false, std::memory_order_relaxed);
        }
        slots_[tail % max_capacity] = &envelope;
        tail_.store(tail + 1, std::memory_order_release); // pairs with the acquire in take()
        sent_.add(1);
        receiver_.schedule(here, Binding::Bound);
        return true;
    }
    // The sender: how many envelopes are before one that is sent now, the one that the receiver works on among them; a
    // moment's number.
    [[nodiscard]] std::uint32_t load() const {
        return tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_relaxed) +
               (receiver_.is_idle() ? 0 : 1);
    }
    // The sender, which has something to send to one of several receivers. False: there is no room here, and the sender
    // is scheduled when there is.
    [[nodiscard]] bool ask_for_room() {
        std::uint32_t const tail = tail_.load(std::memory_order_relaxed);
        if (tail - head_.load(std::memory_order_acquire) != capacity_) return true;
        sender_waits_.store(true, std::memory_order_relaxed);
        store_load_fence(); // as in offer()
        return tail - head_.load(std::memory_order_acquire) != capacity_;
    }
    // The sender, last: nothing more will come.
    void end(CoreScheduler& here) {
        is_ended_.store(true, std::memory_order_release);
        receiver_.schedule(here, Binding::Bound);
    }

    // The receiver. None, if nothing is here. The sender is told if it waits for room.
    EnvelopePointer take(CoreScheduler& here) {
        EnvelopePointer envelope = take_quietly();
        if (!envelope) return envelope;
        store_load_fence();
        tell_sender(here);
        return envelope;
    }
    // The same for a receiver that is about to execute a locked instruction: it calls tell_sender() after that.
    EnvelopePointer take_quietly() {
        std::uint32_t const head = head_.load(std::memory_order_relaxed);
        std::uint32_t const tail = tail_.load(std::memory_order_acquire);
        if (head == tail) return {};
        if (tail - head > max_fill_.value()) max_fill_.add(tail - head - max_fill_.value());
        EnvelopePointer envelope(slots_[head % max_capacity]);
        head_.store(head + 1, std::memory_order_release); // pairs with the acquire in offer(), for the slot
        return envelope;
    }
    // Whether a sender may wait: there is no room. A moment's word.
    [[nodiscard]] bool is_full() const {
        return tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_relaxed) == capacity_;
    }
    // Schedules the sender if it waits.
    void tell_sender(CoreScheduler& here) {
        store_load_fence_was_there();
        if (sender_waits_.load(std::memory_order_relaxed) && sender_waits_.exchange(false, std::memory_order_relaxed))
            sender_.schedule(here, Binding::Unbound);
    }
    // The receiver, once: it wants nothing more. The sender is scheduled, drops what it has, and ends; what it has sent
    // meanwhile the receiver still takes.
    void refuse(CoreScheduler& here) {
        is_refused_.store(true, std::memory_order_release);
        sender_.schedule(here, Binding::Unbound);
    }
    // Both.
    [[nodiscard]] bool is_refused() const { return is_refused_.load(std::memory_order_acquire); }
    [[nodiscard]] bool has_envelopes() const {
        return head_.load(std::memory_order_relaxed) != tail_.load(std::memory_order_acquire);
    }
    // The receiver: nothing is here, and nothing more will come.
    [[nodiscard]] bool is_over() const { return is_ended_.load(std::memory_order_acquire) && !has_envelopes(); }
    // The receiver: has seen that it is over.
    void note_end() { is_end_noted_ = true; }
    [[nodiscard]] bool is_end_noted() const { return is_end_noted_; }

    // Any core.
    [[nodiscard]] std::uint64_t sent() const { return sent_.value(); }
    [[nodiscard]] std::uint64_t rejected() const { return rejected_.value(); }
    [[nodiscard]] std::uint64_t max_fill() const { return max_fill_.value(); }

  private:
    ReschedulableTask& sender_;
    ReschedulableTask& receiver_;
    std::uint32_t capacity_;
    OwnerCounter sent_;     // the sender's
    OwnerCounter rejected_; // the sender's
    std::atomic<bool> sender_waits_{false};
    std::atomic<bool> is_ended_{false};
    std::atomic<bool> is_refused_{false};                          // the receiver's, once
    std::atomic<std::uint32_t> tail_{0};                           // the sender's
    alignas(cache_line_bytes) std::atomic<std::uint32_t> head_{0}; // the receiver's
    OwnerCounter max_fill_;                                        // the receiver's
    bool is_end_noted_ = false;                                    // the receiver's
    alignas(cache_line_bytes) std::array<Envelope*, max_capacity> slots_{};
};

} // namespace mxk::dataflow

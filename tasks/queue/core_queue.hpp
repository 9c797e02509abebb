// The queue of one core, and the seam between queues and workers: a worker appends, sends, takes and sleeps only
// through this. Inside: the FIFO of the tasks to run next, which only its core touches, a mailbox for what comes from
// other cores, and an outbox for each core it has ever sent something to. Tasks are run in rounds: at the start of a
// round, what was sent leaves, and mail is put behind the local tasks; up to half as much as a round has tasks, so
// that where there is plenty of both they get equal turns and the FIFO does not grow. FIFO per sender.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/fence.hpp"
#include "base/units.hpp"
#include "tasks/queue/mailbox.hpp"
#include "tasks/queue/outbox.hpp"
#include "tasks/queue/task_fifo.hpp"

namespace mxk {

// What the queue counted. Any core may read it.
struct QueueStatistics {
    OwnerCounter waited;     // tasks that had to wait here, because the receiver's ring was full
    OwnerCounter high_water; // the largest number of tasks found in one ring of the mailbox
};

// Functions that send or flush take wake(CoreId), which is called for a core that must be woken.
class CoreQueue {
    using OutboxPlace = std::optional<Outbox>; // filled with the first task sent

  public:
    // Tasks that run between two looks into the mailbox.
    static constexpr std::uint32_t round = 32;

    class Memory {
      public:
        // For the queue of one core of `cores`, on `node`. Errors: no memory.
        static Result<Memory> create(std::size_t cores, NodeId node);

      private:
        friend CoreQueue;
        Memory(Mailbox::Memory its_mailbox, NodeVector<OutboxPlace> its_outboxes)
            : mailbox(std::move(its_mailbox))
            , outboxes(std::move(its_outboxes)) {}
        Mailbox::Memory mailbox;
        NodeVector<OutboxPlace> outboxes;
    };

    // The queue of core `self`.
    CoreQueue(CoreId self, Memory memory)
        : self_(self)
        , outboxes_(std::move(memory.outboxes))
        , mailbox_(std::move(memory.mailbox)) {}
    CoreQueue(CoreQueue const&) = delete;
    CoreQueue& operator=(CoreQueue const&) = delete;

    // Its core only, as everything below. To the end of this queue.
    [[gnu::always_inline]] void append(Task& task) { fifo_.append(task); }
    // In front of all others.
    void prepend(TaskList& tasks) { fifo_.prepend(tasks); }

    // The short way of send(), for nearly all tasks: behind others that have not left yet. It needs no reference to the
    // receiver's queue, which the caller would have to look up. False, with nothing done, if send() is needed.
    [[nodiscard]] bool send_with_others(Task& task, CoreId target) {
        OutboxPlace& place = outboxes_[index(target)];
        return place && place->add(task);
    }

    // To the end of the queue of another core, `target`. Never blocks, except for the memory of the first task ever
    // sent there. Reads nothing of `to` that its core writes: that would cost a transfer of a line for each task.
    template <typename Wake> void send(Task& task, CoreQueue& to, CoreId target, Wake wake) {
        if (send_with_others(task, target)) return;
        OutboxPlace& place = outboxes_[index(target)];
        if (!place) [[unlikely]]
            open(place, to, target);
        Outbox& outbox = *place;
        if (outbox.send(task)) wake(target);
        if (outbox.is_to_be_flushed || !outbox.needs_flush()) return;
        outbox.is_to_be_flushed = true;
        outbox.next_to_flush = to_flush_;
        to_flush_ = &outbox;
    }

    // Any thread of the system, be it a core or not: to the end of this queue. True if the caller must wake its core.
    [[nodiscard]] bool send_from_outside(Task& task) { return mailbox_.push_without_ring(task); }

    // Sends what has not left yet, as far as there is room, and makes sure that its receivers see what has left.
    template <typename Wake> void flush(Wake wake) {
        send_staged(wake);
        confirm(wake);
    }
    // Whether flush() has something to do: after a flush(), whether a receiver has had no room.
    [[nodiscard]] bool needs_flush() const { return to_flush_ != nullptr; }

    // The next task of this round; null when the round is over.
    Task* take() {
        if (fifo_.begin() == round_end_) [[unlikely]]
            return nullptr;
        return fifo_.take();
    }

    // take() gives null next.
    void end_round() { round_end_ = fifo_.begin(); }

    // After take() gave null. False if there is nothing to do.
    template <typename Wake> [[gnu::noinline]] bool begin_round(Wake wake) {
        if (needs_flush()) leave(wake);
        std::uint32_t const budget = fifo_.empty() ? round : round / 2;
        std::uint32_t const end = fifo_.end();
        std::uint32_t const count = mailbox_.collect(budget, [this](Task& task) { fifo_.append_arrived(task); });
        round_end_ = fifo_.begin() + round;
        if (count == 0) return !fifo_.empty();
        fifo_.fetch_for_arrived(end);
        statistics_.high_water.add(mailbox_.high_water() - statistics_.high_water.value());
        return true;
    }

    // After begin_round() found nothing: calls `sleep` unless there is mail by now. A sender that comes later wakes
    // this core.
    template <typename Sleep> void sleep_unless_mail(Sleep sleep) { mailbox_.sleep_unless_mail(sleep); }

    // A look without side effects, for polling.
    [[nodiscard]] bool has_mail() const { return mailbox_.has_mail(); }

    // Of the prefetch pipeline (task_fifo.hpp), in tasks.
    void set_prefetch_distance(std::uint32_t distance) { fifo_.set_distance(distance); }
    [[nodiscard]] std::uint32_t prefetch_distance() const { return fifo_.distance(); }

    // Any core, as TaskFifo::latest().
    [[nodiscard]] Task const* latest() const { return fifo_.latest(); }

    // Any core.
    [[nodiscard]] QueueStatistics const& statistics() const { return statistics_; }
    [[nodiscard]] OwnerCounter const& prefetched() const { return fifo_.prefetched(); }

  private:
    void open(OutboxPlace& place, CoreQueue& to, CoreId target);

    static constexpr std::uint32_t rounds_per_confirmation = 8;

    // At the start of a round. The fence of a confirmation waits until all that this core has written is visible. That
    // is expensive while there is something else to do, and needed only where a receiver has fallen asleep at that very
    // moment. So it comes once in some rounds, and before what is written now.
    template <typename Wake> void leave(Wake wake) {
        if (fifo_.empty()) return flush(wake);
        if (++unconfirmed_rounds_ >= rounds_per_confirmation) confirm(wake);
        send_staged(wake);
    }

    template <typename Wake> void send_staged(Wake wake) {
        for (Outbox* outbox = to_flush_; outbox != nullptr; outbox = outbox->next_to_flush) {
            if (outbox->flush()) wake(outbox->receiver());
            statistics_.waited.add(outbox->take_waited());
        }
    }

    template <typename Wake> void confirm(Wake wake) {
        unconfirmed_rounds_ = 0;
        store_load_fence();
        Outbox* next = std::exchange(to_flush_, nullptr);
        while (next != nullptr) {
            Outbox& outbox = *std::exchange(next, next->next_to_flush);
            if (outbox.confirm()) wake(outbox.receiver());
            outbox.is_to_be_flushed = outbox.needs_flush();
            if (!outbox.is_to_be_flushed) continue;
            outbox.next_to_flush = to_flush_;
            to_flush_ = &outbox;
        }
    }

    CoreId self_;
    std::uint32_t round_end_ = 0; // place in the FIFO
    std::uint32_t unconfirmed_rounds_ = 0;
    Outbox* to_flush_ = nullptr;
    NodeVector<OutboxPlace> outboxes_; // by receiver
    QueueStatistics statistics_;
    TaskFifo fifo_;
    alignas(cache_line_bytes) Mailbox mailbox_; // others look at it
};

} // namespace mxk

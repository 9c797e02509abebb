// The queue of one core, and the seam between queues and workers: a worker appends, sends, takes and sleeps only
// through this. Inside: the FIFO of the tasks to run next, which only its core touches, a mailbox for what comes from
// other cores, and an outbox for each core it has ever sent something to. Tasks are run in rounds: at the start of a
// round, what was sent leaves, and mail is put behind the local tasks; at most half as much as a round has tasks, so
// that where there is plenty of both they get equal turns and the FIFO does not grow. FIFO per sender.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/fence.hpp"
#include "base/units.hpp"
#include "tasks/mailbox.hpp"
#include "tasks/outbox.hpp"
#include "tasks/task_fifo.hpp"

#ifndef MAILBOX
#define MAILBOX 4
#endif
namespace mxk {
#if MAILBOX == 2
// Vyukov's intrusive list: one exchange per push.
struct ListMail {
    struct Stub : Task { Stub() : Task(nullptr) {} } stub;
    alignas(64) Task* head = &stub; // newest
    alignas(64) Task* tail = &stub; // receiver
    void push(Task& t) {
        __atomic_store_n(&t.next, nullptr, __ATOMIC_RELAXED);
        Task* prev = __atomic_exchange_n(&head, &t, __ATOMIC_SEQ_CST);
        __atomic_store_n(&prev->next, &t, __ATOMIC_RELEASE);
    }
    Task* pop() {
        Task* t = tail; Task* n = __atomic_load_n(&t->next, __ATOMIC_ACQUIRE);
        if (t == &stub) { if (!n) return nullptr; tail = n; t = n; n = __atomic_load_n(&n->next, __ATOMIC_ACQUIRE); }
        if (n) { tail = n; return t; }
        if (t != __atomic_load_n(&head, __ATOMIC_SEQ_CST)) return nullptr;
        push(stub);
        n = __atomic_load_n(&t->next, __ATOMIC_ACQUIRE);
        if (n) { tail = n; return t; }
        return nullptr;
    }
    bool has() const { return __atomic_load_n(&head, __ATOMIC_SEQ_CST) != &stub || tail != &stub; }
};
#elif MAILBOX == 3
// Vyukov's bounded queue, many producers: one compare-exchange on the tail per push.
struct SharedRing {
    static constexpr unsigned cap = 1024;
    struct Slot { unsigned long seq; Task* task; };
    Slot slots[cap];
    alignas(64) unsigned long tail = 0;
    alignas(64) unsigned long head = 0;
    SharedRing() { for (unsigned i = 0; i < cap; ++i) slots[i].seq = i; }
    void push(Task& t) {
        for (;;) {
            unsigned long at = __atomic_load_n(&tail, __ATOMIC_RELAXED);
            Slot& s = slots[at % cap];
            unsigned long q = __atomic_load_n(&s.seq, __ATOMIC_ACQUIRE);
            if (q == at) { if (__atomic_compare_exchange_n(&tail, &at, at + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) { s.task = &t; __atomic_store_n(&s.seq, at + 1, __ATOMIC_SEQ_CST); return; } }
        }
    }
    Task* pop() {
        Slot& s = slots[head % cap];
        if (__atomic_load_n(&s.seq, __ATOMIC_ACQUIRE) != head + 1) return nullptr;
        Task* t = s.task; __atomic_store_n(&s.seq, head + cap, __ATOMIC_RELEASE); ++head; return t;
    }
    bool has() const { return __atomic_load_n(&slots[head % cap].seq, __ATOMIC_SEQ_CST) == head + 1; }
};
#endif

// What the queue counted. Any core may read it.
struct QueueStatistics {
    OwnerCounter waited;     // tasks that had to wait here, because the receiver's ring was full
    OwnerCounter high_water; // the most tasks found in one ring of the mailbox
};

// Functions that send or flush take wake(CoreId), which is called for a core that must be woken.
template <typename Delay = NoDelay> class CoreQueue {
    using OutboxPlace = std::optional<Outbox<Delay>>; // filled with the first task sent
    using MailboxMemory = typename Mailbox<Delay>::Memory;

  public:
    // Tasks that run between two looks into the mailbox.
    static constexpr std::uint32_t round = 32;

    class Memory {
      public:
        // For the queue of one core of `cores`, on `node`. Errors: no memory.
        static Result<Memory> create(std::size_t cores, NodeId node) {
            auto outboxes = MXK_TRY(NodeVector<OutboxPlace>::create(cores, node));
            for (std::size_t i = 0; i < cores; ++i) outboxes.emplace();
            return Memory(MXK_TRY(MailboxMemory::create(cores, node)), std::move(outboxes));
        }

      private:
        friend CoreQueue;
        Memory(MailboxMemory its_mailbox, NodeVector<OutboxPlace> its_outboxes)
            : mailbox(std::move(its_mailbox))
            , outboxes(std::move(its_outboxes)) {}
        MailboxMemory mailbox;
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
    void append(Task& task) { fifo_.append(task); }

    // To the end of the queue of another core, `target`. Never blocks, except for the memory of the first task ever
    // sent there. (Nothing of `to` is read here that its core writes: that would cost a transfer of a line for each
    // task.)
    template <typename Wake> void send(Task& task, CoreQueue& to, CoreId target, Wake wake) {
#if MAILBOX == 1
        to.stack_.push(task);
        if (to.bell_.must_ring()) wake(target);
        return;
#elif MAILBOX == 2 || MAILBOX == 3
        to.mail_.push(task);
        if (to.bell_.must_ring()) wake(target);
        return;
#endif
        OutboxPlace& place = outboxes_[index(target)];
        if (!place) [[unlikely]]
            place.emplace(target, to.mailbox_, index(self_));
        Outbox<Delay>& outbox = *place;
        if (outbox.send(task)) wake(target);
        if (outbox.is_to_be_flushed || !outbox.needs_flush()) return;
        outbox.is_to_be_flushed = true;
        outbox.next_to_flush = to_flush_;
        to_flush_ = &outbox;
    }

    // Makes sure that all that was sent is seen by its receivers, as far as there is room for it.
    template <typename Wake> void flush(Wake wake) {
        store_load_fence();
        Outbox<Delay>* outbox = to_flush_;
        to_flush_ = nullptr;
        while (outbox != nullptr) {
            Outbox<Delay>* const next = outbox->next_to_flush;
            if (outbox->flush()) wake(outbox->receiver());
            statistics_.waited.add(outbox->take_waited());
            outbox->is_to_be_flushed = outbox->needs_flush();
            if (outbox->is_to_be_flushed) {
                outbox->next_to_flush = to_flush_;
                to_flush_ = outbox;
            }
            outbox = next;
        }
    }
    // Whether flush() has something to do: after a flush(), whether a receiver has had no room.
    [[nodiscard]] bool needs_flush() const { return to_flush_ != nullptr; }

    // The next task of this round; null when the round is over.
    Task* take() {
        if (left_in_round_ == 0) [[unlikely]]
            return nullptr;
        --left_in_round_;
        return fifo_.take();
    }

    // After take() gave null. False if there is nothing to do.
    template <typename Wake> [[gnu::noinline]] bool begin_round(Wake wake) {
        if (needs_flush()) flush(wake);
        std::uint32_t const budget = fifo_.empty() ? round : round / 2;
#if MAILBOX == 1
        TaskList got = stack_.take_all();
        got_.splice(got);
        std::uint32_t count = 0;
        for (; count < budget && !got_.empty(); ++count) fifo_.append_arrived(*got_.take());
#elif MAILBOX == 2 || MAILBOX == 3
        std::uint32_t count = 0;
        for (; count < budget; ++count) { Task* t = mail_.pop(); if (!t) break; fifo_.append_arrived(*t); }
#else
        std::uint32_t const count = mailbox_.collect(budget, [this](Task& task) { fifo_.append_arrived(task); });
#endif
        left_in_round_ = round;
        if (count == 0) return !fifo_.empty();
        fifo_.arrived();
        statistics_.high_water.add(mailbox_.high_water() - statistics_.high_water.value());
        return true;
    }

    // After begin_round() found nothing: calls `sleep` unless there is mail by now. Whoever sends from here on wakes
    // this core.
    template <typename Sleep> void sleep_unless_mail(Sleep sleep) {
#if MAILBOX == 1 || MAILBOX == 2 || MAILBOX == 3
        bell_.going_to_sleep();
        if (!has_mail()) sleep();
        bell_.awake();
#else
        mailbox_.sleep_unless_mail(sleep);
#endif
    }

    // A look without side effects, for polling.
    [[nodiscard]] bool has_mail() const {
#if MAILBOX == 1
        return stack_.has_mail() || !got_.empty();
#elif MAILBOX == 2 || MAILBOX == 3
        return mail_.has();
#else
        return mailbox_.has_mail();
#endif
    }

    // Of the prefetch pipeline (task_fifo.hpp), in tasks.
    void set_prefetch_distance(std::uint32_t distance) { fifo_.set_distance(distance); }
    [[nodiscard]] std::uint32_t prefetch_distance() const { return fifo_.distance(); }

    // Any core.
    [[nodiscard]] QueueStatistics const& statistics() const { return statistics_; }
    [[nodiscard]] OwnerCounter const& prefetched() const { return fifo_.prefetched(); }

  private:
    CoreId self_;
    std::uint32_t left_in_round_ = 0;
    Outbox<Delay>* to_flush_ = nullptr;
    NodeVector<OutboxPlace> outboxes_; // by receiver
    QueueStatistics statistics_;
    TaskFifo fifo_;
    alignas(cache_line_bytes) Mailbox<Delay> mailbox_; // others look at it
#if MAILBOX == 1
    alignas(64) MailStack<Delay> stack_; Doorbell<Delay> bell_; alignas(64) TaskList got_;
#elif MAILBOX == 2
    alignas(64) ListMail mail_; alignas(64) Doorbell<Delay> bell_;
#elif MAILBOX == 3
    alignas(64) SharedRing mail_; alignas(64) Doorbell<Delay> bell_;
#endif
};

} // namespace mxk

// Where the tasks for one core arrive: a ring for each core that has ever sent it something (mail_ring.hpp), and a bit
// for each that says whether the receiver watches that ring. The receiver looks only into rings that it watches, and
// stops watching one that it has found empty for a while, and all of them before it sleeps. So a steady stream costs
// neither side an atomic read-modify-write, and a core that sends nothing costs one bit.
//
// Nothing is lost between the two. Sender: pushes, executes a fence, looks at its bit. Receiver: takes the bit back,
// looks into the ring once more, both sequentially consistent. So one of them sees the other.
//
// A sender for whose ring there is no memory uses a stack that all such senders share (mail_stack.hpp). FIFO per sender
// holds, for a sender uses either its ring or the stack for good.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/inject.hpp"
#include "base/result.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/queue/doorbell.hpp"
#include "tasks/queue/mail_ring.hpp"
#include "tasks/queue/mail_rings.hpp"
#include "tasks/queue/mail_stack.hpp"

namespace mxk {

class Mailbox {
    using Word = std::atomic<std::uint64_t>;
    static constexpr std::size_t word_bits = 64;
    using RingPlace = std::atomic<MailRing*>; // null: not opened

  public:
    using Ring = MailRing;

    // What a mailbox needs from the start. A sender's ring comes with its first task.
    class Memory {
      public:
        // For senders 0 to `senders` - 1, on `node`, which should be the receiver's. Errors: no memory.
        static Result<Memory> create(std::size_t senders, NodeId node);

      private:
        friend Mailbox;
        Memory(NodeId its_node, MailRings::Memory its_ring_memory)
            : node(its_node)
            , ring_memory(std::move(its_ring_memory)) {}
        NodeId node;
        MailRings::Memory ring_memory;
        NodeVector<RingPlace> rings;
        NodeVector<Word> watched;
    };

    explicit Mailbox(Memory memory)
        : rings_(std::move(memory.rings))
        , watched_(std::move(memory.watched))
        , ring_memory_(std::move(memory.ring_memory), memory.node) {}
    Mailbox(Mailbox const&) = delete;
    Mailbox& operator=(Mailbox const&) = delete;

    // Sender `at` only, once: its ring, or null if there is no memory for it. May block for a lock, and for that of the
    // node's memory.
    Ring* open(std::size_t at);

    // What a sender looks at all the time: nothing but its word of bits, which seldom changes.
    class Watch {
      public:
        // Whether the receiver watches the sender's ring. Certain only after a fence.
        [[nodiscard]] bool is_on() const { return (word_->load(std::memory_order_relaxed) & bit_) != 0; }

      private:
        friend Mailbox;
        Watch(Word* word, std::uint64_t mask)
            : word_(word)
            , bit_(mask) {}
        Word* word_;
        std::uint64_t bit_;
    };
    [[nodiscard]] Watch watch(std::size_t sender) const { return {&watched_[sender / word_bits], bit(sender)}; }

    // That sender only: makes the receiver watch its ring. True if the caller must wake the receiver now.
    [[nodiscard]] bool turn_on(Watch const& watch) {
        inject::point();
        watch.word_->fetch_or(watch.bit_, std::memory_order_seq_cst);
        return doorbell_.must_ring();
    }

    // A sender that has no ring. True if the caller must wake the receiver now.
    [[nodiscard]] bool push_without_ring(Task& task) {
        stack_.push(task);
        return doorbell_.must_ring();
    }

    // The receiver: up to `budget` tasks to sink(task), the oldest of each sender first. What it leaves for want of
    // budget comes first the next time. Gives their number.
    template <typename Sink> std::uint32_t collect(std::uint32_t budget, Sink sink) {
        std::uint32_t const all = budget;
        collect_stack(budget, sink);
        // All of them at once: one after the other, each would be waited for.
        for_each_watched([](Ring const& ring) { ring.prefetch(); });
        std::size_t const words = watched_.size();
        std::size_t const first_word = next_ / word_bits;
        std::uint64_t const from_next = ~std::uint64_t{0} << next_ % word_bits;
        for (std::size_t i = 0; i <= words && budget > 0; ++i) { // the first word's lower half comes last
            std::size_t const w = first_word + i < words ? first_word + i : first_word + i - words;
            // acquire: pairs with turn_on(), which comes after open()
            std::uint64_t bits = watched_[w].load(std::memory_order_acquire);
            if (i == 0) bits &= from_next;
            if (i == words) bits &= ~from_next;
            for (; bits != 0 && budget > 0; bits &= bits - 1) {
                std::size_t const at = w * word_bits + static_cast<std::size_t>(std::countr_zero(bits));
                collect_ring(at, budget, sink);
                if (budget == 0) next_ = at + 1 == rings_.size() ? 0 : at + 1;
            }
        }
        return all - budget;
    }

    // The receiver: the largest number of tasks it ever found in one ring.
    [[nodiscard]] std::uint32_t high_water() const { return high_water_; }

    // The receiver: a look without side effects, for polling.
    [[nodiscard]] bool has_mail() const {
        return has_stacked() || any_watched([](Ring const& ring) { return !ring.empty(); });
    }

    // The receiver: calls `sleep` unless there is mail by now. A sender that comes later rings.
    template <typename Sleep> void sleep_unless_mail(Sleep sleep) {
        for (std::size_t at = 0; at < rings_.size(); ++at)
            if (watch(at).is_on()) stop_watching(at);
        doorbell_.going_to_sleep();
        if (!has_stacked() && !any_watched([](Ring const&) { return true; })) sleep();
        doorbell_.awake();
    }

  private:
    // Looking into an empty ring costs a load; being watched again costs the sender a transfer of a cache line or two.
    static constexpr std::uint32_t patience = 32;

    static constexpr std::uint64_t bit(std::size_t at) { return std::uint64_t{1} << at % word_bits; }
    [[nodiscard]] Ring& ring(std::size_t at) const { return *rings_[at].load(std::memory_order_relaxed); }

    template <typename Sink> void collect_stack(std::uint32_t& budget, Sink& sink) {
        if (!has_stacked()) [[likely]]
            return;
        fetch_stacked();
        for (; budget > 0 && !stacked_.empty(); --budget) sink(*stacked_.take());
    }
    void fetch_stacked();
    [[nodiscard]] bool has_stacked() const { return stack_.has_mail() || !stacked_.empty(); }

    template <typename Sink> void collect_ring(std::size_t at, std::uint32_t& budget, Sink& sink) {
        Ring& from = ring(at);
        std::uint32_t const count = from.take(budget, sink);
        high_water_ = std::max(high_water_, count);
        if (count == budget) high_water_ = count + from.fill_above(high_water_ - count); // there may be more
        budget -= count;
        if (from.empty_rounds() >= patience) stop_watching(at);
    }

    void stop_watching(std::size_t at);

    template <typename Visit> void for_each_watched(Visit visit) const {
        static_cast<void>(any_watched([&](Ring const& ring) {
            visit(ring);
            return false;
        }));
    }
    template <typename Predicate> [[nodiscard]] bool any_watched(Predicate predicate) const {
        for (std::size_t w = 0; w < watched_.size(); ++w) {
            for (std::uint64_t bits = watched_[w].load(std::memory_order_seq_cst); bits != 0; bits &= bits - 1) {
                if (predicate(ring(w * word_bits + static_cast<std::size_t>(std::countr_zero(bits))))) return true;
            }
        }
        return false;
    }

    // Read by all, written by nobody.
    alignas(cache_line_bytes) NodeVector<RingPlace> rings_; // by sender; each written by its sender once
    NodeVector<Word> watched_;
    // The receiver's.
    alignas(cache_line_bytes) std::uint32_t high_water_ = 0;
    std::size_t next_ = 0; // the sender whose turn is first
    TaskList stacked_;     // taken from the stack already
    // What senders write who have no ring, and what others read when they may have to wake the receiver.
    alignas(cache_line_bytes) MailStack stack_;
    Doorbell doorbell_;
    // For open().
    alignas(cache_line_bytes) MailRings ring_memory_;
};

} // namespace mxk

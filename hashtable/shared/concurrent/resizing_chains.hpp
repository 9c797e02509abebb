// A concurrent table of nodes that grows and shrinks by itself: chains (chains.hpp), a count of what is in them, and
// the tasks that exchange their heads. Nothing is waited for: an insert that finds the table too full has it grow and
// goes on; look-ups and updates go on while it does.
//
//     ResizingChains<MyReclaim> table(MXK_TRY(ResizingChains<MyReclaim>::make(shape)), MyReclaim());
//     ... any core, in a section: table.insert_unique(node, matches), table.find(hash, matches), table.remove(...)
//
// Each core counts the nodes that it inserts and removes. Now and then it adds its count to the sum, and looks whether
// the table should have another size. One task leads a resize; the work on the heads is done by tasks on
// all cores, in pieces (piece_tasks.hpp), and by updaters for their own buckets. The memory for new heads is asked for
// once; if there is none, the table goes on as it is with a WARN, and tries again when it has an eighth more nodes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "arch/sections.hpp"
#include "base/inject.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"
#include "base/push_stack.hpp"
#include "hashtable/shared/concurrent/chains.hpp"
#include "hashtable/shared/concurrent/head_block.hpp"
#include "hashtable/shared/concurrent/piece_tasks.hpp"
#include "hashtable/shared/concurrent/size_limits.hpp"
#include "hashtable/shared/concurrent/table_shape.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/count_down.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/run_on.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"

namespace mxk::concurrent {

// Reclaim: called with each node that has left the table and was unlinked, once, by the core that has done it; it may
// be given back, or used again, after a grace period.
template <typename Reclaim> class ResizingChains {
    struct Counter {
        std::atomic<std::int64_t> nodes{0}; // inserted less removed since the core has added them to the sum
        // So many it counts before it adds them.
        std::atomic<std::int64_t> together{SizeLimits::max_together};
    };

  public:
    struct Parts {
        TableShape shape;
        NodeVector<NodeId> nodes; // for the heads
        HeadBlock heads;
        PerCore<Counter> counters;
        PieceTasks pieces;
    };
    // Errors: no memory. A task of the console, or another one that may wait.
    static Result<Parts> make(TableShape const& shape, std::span<NodeId const> nodes);
    ResizingChains(Parts parts, Reclaim reclaim)
        : max_load_(parts.shape.max_load)
        , nodes_(std::move(parts.nodes))
        , counters_(std::move(parts.counters))
        , pieces_(std::move(parts.pieces))
        , chains_(blocks_[0].emplace(std::move(parts.heads)), std::move(reclaim))
        , limits_(parts.shape) {
        count_together();
    }
    ResizingChains(ResizingChains const&) = delete;
    ResizingChains& operator=(ResizingChains const&) = delete;
    // Waits for a resize under way. Nobody uses the table any more. A task that may wait, or a thread. Builds that
    // check look at all of it once more: its nodes are still there.
    ~ResizingChains() {
        settle();
        if constexpr (inject::enabled) check();
    }

    // As in chains.hpp; in a section, any core.
    template <typename Match> [[nodiscard]] Node* find(std::uint64_t hash, Match match) const {
        return chains_.find(hash, match);
    }
    template <typename Match> [[nodiscard]] Node* find_next(Node const& node, Match match) const {
        return chains_.find_next(node, match);
    }
    template <typename Match> void find_each(std::span<Lookup> lookups, Match match) const {
        chains_.find_each(lookups, match);
    }
    template <typename Visit> std::uint64_t visit_from(std::uint64_t from, Visit visit) const {
        return chains_.visit_from(from, visit);
    }
    void prefetch(std::uint64_t hash) const { chains_.prefetch(hash); }
    // Of the chain, when its head has come.
    void prefetch_first(std::uint64_t hash) const { prefetch_far(chains_.first(hash)); }
    [[nodiscard]] void const* head(std::uint64_t hash) const { return &chains_.current().of(hash); }

    void insert(Node& node) {
        chains_.insert(node);
        count(1);
    }
    template <typename Match> [[nodiscard]] Node* insert_unique(Node& node, Match match) {
        Node* const other = chains_.insert_unique(node, match);
        if (other == nullptr) count(1);
        return other;
    }
    template <typename Match> [[nodiscard]] Node* replace_or_insert(Node& node, Match match) {
        Node* const other = chains_.replace_or_insert(node, match);
        if (other == nullptr) count(1);
        return other;
    }
    template <typename Match> [[nodiscard]] Node* replace(Node& node, Match match) {
        return chains_.replace(node, match);
    }
    template <typename Match> [[nodiscard]] Node* remove(std::uint64_t hash, Match match) {
        Node* const node = chains_.remove(hash, match);
        if (node != nullptr) count(-1);
        return node;
    }
    template <typename Match> std::size_t remove_all(std::uint64_t hash, Match match) {
        std::size_t const removed = chains_.remove_all(hash, match);
        if (removed != 0) count(-static_cast<std::int64_t>(removed));
        return removed;
    }
    [[nodiscard]] bool remove(Node& node) {
        bool const is_mine = chains_.remove(node);
        if (is_mine) count(-1);
        return is_mine;
    }

    // Room for so many nodes: the table becomes as large as it should be with them, and no smaller from then on.
    // Returns when it is. Errors: no memory for the heads. Then nothing has changed; or, as it grows step by
    // step, and the last step needs the old heads and the new ones at once, it is as large as it could become, and
    // stays so. A task that may wait, or a thread.
    Result<void> reserve(std::size_t nodes) {
        double const heads = std::min(static_cast<double>(nodes) / max_load_, 0x1p63); // more than there may be
        TableShape const wanted{.first_heads = static_cast<std::size_t>(heads)};
        MXK_TRY(HeadBlock::create(wanted.first_order(), nodes_.span())); // before it is asked for step by step
        limits_.reserve(static_cast<std::int64_t>(nodes));               // start() publishes it
        settle();                                                        // one under way may have looked already
        start();
        settle();
        unsigned const order = limits_.order(); // not of the heads: another resize may give them back at this moment
        if (limits_.wants_more(order, static_cast<std::int64_t>(nodes)))
            return Error::of("out of memory: {} heads for {} nodes", std::size_t{1} << order, nodes);
        return {};
    }
    // Returns when no resize is under way. A task that may wait, or a thread.
    void settle() {
        Waiter waiter;
        waiters_.push(waiter);
        start(); // the leader says when there is nothing left to do
        waiter.idle.wait();
    }

    // Any core, about; exact while nobody inserts or removes.
    [[nodiscard]] std::size_t size() const {
        std::int64_t sum = sum_.load(std::memory_order_relaxed);
        for (Counter const& counter : counters_) sum += counter.nodes.load(std::memory_order_relaxed);
        return sum > 0 ? static_cast<std::size_t>(sum) : 0;
    }
    // Any core, in a section.
    [[nodiscard]] std::size_t head_count() const { return chains_.current().size(); }
    [[nodiscard]] std::size_t bytes() const { return chains_.current().bytes(); }
    // Panics where the chains are not what they must be (chains.hpp), or hold more or fewer nodes than were counted.
    // While nobody uses the table, after settle().
    void check() const { expect(chains_.check() == size(), "a table has as many nodes as were inserted less removed"); }
    // Any core: how often the heads have been exchanged.
    [[nodiscard]] std::uint64_t resizes() const { return resizes_.load(std::memory_order_relaxed); }

  private:
    static constexpr std::size_t heads_per_fill = 2048;
    static constexpr std::size_t buckets_per_piece = 16;

    // Of settle().
    struct Waiter {
        Waiter* next = nullptr;
        CountDown idle{1};
    };
    struct Leader : Task {
        explicit Leader(ResizingChains& its_table)
            : Task(&Leader::decide)
            , table(its_table) {}
        static void decide(Worker&, Task& task) { static_cast<Leader&>(task).table.decide(); }
        static void publish(Worker&, Task& task) { static_cast<Leader&>(task).table.publish(); }
        static void wait_for_updaters(Worker&, Task& task) {
            static_cast<Leader&>(task).table.after_grace_period(&Leader::separate);
        }
        static void separate(Worker&, Task& task) { static_cast<Leader&>(task).table.separate(); }
        static void finish(Worker&, Task& task) {
            static_cast<Leader&>(task).table.chains_.finish();
            static_cast<Leader&>(task).table.after_grace_period(&Leader::forget);
        }
        static void forget(Worker&, Task& task) { static_cast<Leader&>(task).table.forget(); }
        ResizingChains& table;
    };

    // So many more, or fewer.
    void count(std::int64_t nodes) {
        Counter& mine = counters_[arch::home_core()];
        // relaxed, all of these: numbers that order nothing. An atomic step: threads of a core may interrupt each
        // other.
        std::int64_t const sum_of_mine = mine.nodes.fetch_add(nodes, std::memory_order_relaxed) + nodes;
        std::int64_t const together = mine.together.load(std::memory_order_relaxed);
        if (nodes > 0 ? sum_of_mine < together : sum_of_mine + together > 0) [[likely]]
            return;
        std::int64_t const taken = mine.nodes.exchange(0, std::memory_order_relaxed);
        std::int64_t const sum = sum_.fetch_add(taken, std::memory_order_relaxed) + taken;
        if (limits_.may_want_resize(sum)) [[unlikely]]
            start();
    }
    // What all cores have counted. The leader.
    std::int64_t collect() {
        std::int64_t taken = 0;
        for (Counter& counter : counters_) taken += counter.nodes.exchange(0, std::memory_order_relaxed);
        return sum_.fetch_add(taken, std::memory_order_relaxed) + taken;
    }
    // The heads have been exchanged.
    void count_together() {
        std::int64_t const together = limits_.counted_together(chains_.current().order(), counters_.size());
        for (Counter& counter : counters_) counter.together.store(together, std::memory_order_relaxed);
    }

    // Whether a resize is under way, and whether it was asked for another one since the leader has decided: that is not
    // lost then.
    enum class State : std::uint8_t { Idle, Busy, AskedAgain };

    // Any core.
    void start() {
        State state = state_.load(std::memory_order_relaxed);
        inject::point();
        // acq_rel, and even where it is asked for already: the leader finds what was counted before
        while (!state_.compare_exchange_weak(state, state == State::Idle ? State::Busy : State::AskedAgain,
                                             std::memory_order_acq_rel, std::memory_order_relaxed)) {
        }
        if (state != State::Idle) return;
        leader_.body = &Leader::decide;
        send_task(leader_, arch::home_core());
    }

    // Below: the leader, one step after the other, on any core.

    void decide() {
        std::optional<HeadBlock> block;
        do {
            inject::point();
            state_.exchange(State::Busy, std::memory_order_acq_rel); // pairs with start()
            block = make_block();
            if (!block && stop()) return; // this may be gone
        } while (!block);
        HeadBlock& next = spare_block().emplace(std::move(*block));
        leader_.body = &Leader::publish;
        pieces_.begin(
            next.size(), heads_per_fill,
            [](void* self, std::size_t from, std::size_t to) {
                static_cast<ResizingChains*>(self)->spare_block()->fill(from, to, MarkedLink::invalid);
            },
            this, leader_);
    }
    void publish() {
        chains_.begin(*spare_block());
        leader_.body = &Leader::wait_for_updaters;
        pieces_.begin(
            bucket_count(), buckets_per_piece,
            [](void* self, std::size_t from, std::size_t to) {
                for (std::size_t at = from; at < to; ++at) static_cast<ResizingChains*>(self)->chains_.transfer(at);
            },
            this, leader_);
    }
    void separate() {
        leader_.body = &Leader::finish;
        pieces_.begin(
            bucket_count(), buckets_per_piece,
            [](void* self, std::size_t from, std::size_t to) {
                for (std::size_t at = from; at < to; ++at) static_cast<ResizingChains*>(self)->chains_.separate(at);
            },
            this, leader_);
    }
    void after_grace_period(Task::Body body) {
        leader_.body = body;
        later_.append(leader_, rcu::Urgency::Next);
    }
    void forget() {
        chains_.forget_last();
        spare_block().reset();
        // relaxed: a number for display
        resizes_.store(resizes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        limits_.resized_to(chains_.current().order());
        count_together();
        decide();
    }
    // For what is wanted; none: nothing else, or there is no memory.
    std::optional<HeadBlock> make_block() {
        unsigned const order = chains_.current().order();
        std::int64_t const sum = collect();
        unsigned const wanted = limits_.wanted_order(order, sum);
        if (wanted == order) return std::nullopt;
        auto block = HeadBlock::create(wanted, nodes_.span());
        if (block) return std::move(block.value());
        limits_.refused(order, wanted, sum);
        log::warn("concurrent table: {} heads remain for {} nodes: {}", chains_.current().size(), sum,
                  block.error().message());
        return std::nullopt;
    }
    // False: it was asked for another one meanwhile.
    bool stop() {
        limits_.set_limits(chains_.current().order());
        Waiter* waiter = waiters_.take_newest_first();
        State expected = State::Busy;
        inject::point();
        // release: pairs with start()
        bool const has_stopped =
            state_.compare_exchange_strong(expected, State::Idle, std::memory_order_acq_rel, std::memory_order_relaxed);
        while (waiter != nullptr) {
            Waiter& told = *std::exchange(waiter, waiter->next);
            if (has_stopped)
                told.idle.count(); // who is told may end this
            else
                waiters_.push(told);
        }
        return has_stopped;
    }

    // Of those that become one, or are made of one.
    [[nodiscard]] std::size_t bucket_count() const {
        return std::min(chains_.current().size(), chains_.next()->size());
    }
    // The one that is not current.
    [[nodiscard]] std::optional<HeadBlock>& spare_block() {
        bool const is_first = blocks_[0] && &*blocks_[0] == &chains_.current();
        return blocks_[is_first ? 1 : 0];
    }

    double max_load_;
    NodeVector<NodeId> nodes_;
    std::optional<HeadBlock> blocks_[2];
    PerCore<Counter> counters_;
    PieceTasks pieces_;
    Chains<Reclaim> chains_;
    Leader leader_{*this};
    rcu::LaterTask later_;
    PushStack<Waiter, &Waiter::next> waiters_;
    // Both read by all updaters now and then; the first written with each resize.
    SizeLimits limits_;
    alignas(cache_line_bytes) std::atomic<std::int64_t> sum_{0};
    std::atomic<State> state_{State::Idle};
    std::atomic<std::uint64_t> resizes_{0};
};

template <typename Reclaim>
Result<typename ResizingChains<Reclaim>::Parts> ResizingChains<Reclaim>::make(TableShape const& shape,
                                                                              std::span<NodeId const> nodes) {
    unsigned const order = shape.first_order();
    auto its_nodes = MXK_TRY(NodeVector<NodeId>::create(nodes.size(), nodes.front()));
    for (NodeId const node : nodes) its_nodes.emplace(node);
    Parts parts{shape, std::move(its_nodes), MXK_TRY(HeadBlock::create(order, nodes)),
                MXK_TRY(PerCore<Counter>::create(system_topology().cores, [] { return Counter{}; })),
                MXK_TRY(PieceTasks::create())};
    auto cores = MXK_TRY(NodeVector<CoreId>::create(workers::count(), nodes.front()));
    for (std::size_t at = 0; at < workers::count(); ++at) cores.emplace(core_id(at));
    std::atomic<std::size_t> next{0};
    bool const ran = run_on(cores.span(), [&](Worker&, std::size_t) {
        std::size_t const from = next.fetch_add(heads_per_fill, std::memory_order_relaxed); // relaxed: only a number
        if (from >= parts.heads.size()) return Step::Done;
        parts.heads.fill(from, std::min(from + heads_per_fill, parts.heads.size()), 0);
        return Step::Again;
    });
    if (!ran) return Error("out of memory: no room for the tasks that make a table");
    return parts;
}

} // namespace mxk::concurrent

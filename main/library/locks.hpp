// Locks of the suite (docs/locks.md) for programs: any thread, and tasks, may take them, as they take a std::mutex:
//
//     mxk::TtsMutex lock;
//     std::scoped_lock const guard(lock);
//
// A thread that waits polls, and after some tens of microseconds offers its processor: for sections of less than a
// microsecond, and no more threads than processors. Those that are first come, first served (all but TtsMutex) pass the
// lock to a thread whether it runs or not: with more threads than processors a std::mutex is faster.
//
//     TtsMutex       the first that finds it free has it; 8 bytes. Few threads, or more than processors
//     TicketMutex    first come, first served; 16 bytes
//     McsMutex       the same; each polls a line of its own: many threads on one node. 16 bytes
//     CohortMutex    passes the lock on within a node, 50 times while others wait: machines with several nodes
//     HmcsMutex      the same by shared caches, too; without try_lock()
//
// With a limit (try_lock_for(), try_lock_until(), lock_unless()) a thread gives up, and the others go on without it. In
// TimedMcsMutex (16 bytes) and TimedCohortMutex it waits at its place in the queue until then, and leaves a line of 64
// bytes there until the holder unlocks, which passes over all of them; the others it tries until they are free, while
// those who come to wait without a limit go first.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "arch/lock_user.hpp"
#include "base/result.hpp"
#include "hashtable/bulk/table_count.hpp"
#include "locks/abortable_mcs_lock.hpp"
#include "locks/cohort_lock.hpp"
#include "locks/fabric/smp.hpp"
#include "locks/fabric/stored_topology.hpp"
#include "locks/give_up.hpp"
#include "locks/hmcs_lock.hpp"
#include "locks/mcs_lock.hpp"
#include "locks/ticket_lock.hpp"
#include "locks/tts_lock.hpp"
#include "main/library/lock_node.hpp"
#include "tasks/workers.hpp"

namespace mxk {

namespace locks {

// What a holder keeps from lock() to unlock(): a small node is kept in the lock, whose holder alone uses it; one that
// others refer to, in a line of the thread.
template <typename Node> class HeldNode {
  public:
    static constexpr bool is_shared = !std::is_copy_constructible_v<Node>;
    class New {
      public:
        New() {
            if constexpr (is_shared) node_ = new (take_lock_node()) Node{};
        }
        New(New const&) = delete;
        New& operator=(New const&) = delete;
        ~New() {
            if constexpr (is_shared)
                if (node_ != nullptr) give_back(node_);
        }
        Node& operator*() {
            if constexpr (is_shared)
                return *node_;
            else
                return node_;
        }

      private:
        friend HeldNode;
        std::conditional_t<is_shared, Node*, Node> node_{};
    };

    void keep(New& held) {
        held_ = held.node_;
        if constexpr (is_shared) held.node_ = nullptr;
    }
    // release(node), with which others may have the lock.
    template <typename Release> void end(Release release) {
        auto held = held_;
        if constexpr (is_shared) {
            release(*held);
            give_back(held);
        } else {
            release(held);
        }
    }

  private:
    static_assert(sizeof(Node) <= sizeof(LockLine) && alignof(Node) <= alignof(LockLine));
    static void give_back(Node* node) {
        node->~Node();
        give_lock_node(node);
    }

    [[no_unique_address]] std::conditional_t<is_shared, Node*, Node> held_{};
};

// The fabric of a program's threads: records that go from user to user are lines of theirs, and need no Runtime.
template <bool near = false> struct ThreadSmp : BasicSmp<NoCounts, near> {
    using Near = ThreadSmp<true>;
    template <typename V> using Word = typename BasicSmp<NoCounts, near>::template Word<V>;

    template <typename Record> class RotatingRecords {
        static_assert(sizeof(Record) <= sizeof(LockLine));

      public:
        struct Own {};
        constexpr explicit RotatingRecords(SmpSite const& /*site*/) {}
        static Record* take(Own& /*own*/) { return new (take_lock_node()) Record{}; }
        static void keep(Own& /*own*/, Record* record) { give_lock_node(record); }
        template <typename V> static Word<V>& far(Record* record, Word<V> Record::*word) { return record->*word; }
    };
};

// What the standard's guards with a limit want, of a Mutex with lock_unless().
template <typename Mutex> class TimedLocking {
  public:
    // Whether the caller has it before the time is over. Also as long as try_lock().
    template <typename Clock, typename Duration>
    bool try_lock_until(std::chrono::time_point<Clock, Duration> const& end) {
        return static_cast<Mutex*>(this)->lock_unless([&] { return Clock::now() >= end; });
    }
    template <typename Rep, typename Period> bool try_lock_for(std::chrono::duration<Rep, Period> const& time) {
        using Steady = std::chrono::steady_clock;
        using Seconds = std::chrono::duration<double>; // in which no time is too long
        auto const now = Steady::now();
        bool const ends = Seconds(time) < Seconds(Steady::time_point::max() - now);
        return try_lock_until(ends ? now + std::chrono::ceil<Steady::duration>(time) : Steady::time_point::max());
    }
};

// A lock of all, as the standard's guards want it. It needs no Runtime. lock() and the tries throw std::bad_alloc
// where a thread has no memory for a node; unlock() is the holder's, in the thread of its lock().
template <typename AlgorithmType> class AnyThreadMutex : public TimedLocking<AnyThreadMutex<AlgorithmType>> {
    using Node = typename AlgorithmType::Node;

  public:
    constexpr AnyThreadMutex()
        : AnyThreadMutex(SmpSite{}) {}
    constexpr explicit AnyThreadMutex(SmpSite const& site)
        : algorithm_(site) {}
    AnyThreadMutex(AnyThreadMutex const&) = delete;
    AnyThreadMutex& operator=(AnyThreadMutex const&) = delete;

    void lock() {
        prepare();
        typename HeldNode<Node>::New node;
        algorithm_.acquire(*node);
        held_.keep(node);
    }
    bool try_lock() requires requires(AlgorithmType& algorithm, Node& node) { algorithm.try_acquire(node); }
    {
        prepare();
        typename HeldNode<Node>::New node;
        bool const has_it = algorithm_.try_acquire(*node);
        if (has_it) held_.keep(node);
        return has_it;
    }
    // Waits until it has the lock, or give_up() says yes, which is asked while it waits; whether it has it. A give_up()
    // that throws ends the program: the lock may be handed over meanwhile.
    template <typename GiveUp> bool lock_unless(GiveUp give_up) requires CanGiveUp<AlgorithmType> {
        prepare();
        auto const asked = [&]() noexcept { return static_cast<bool>(give_up()); };
        typename HeldNode<Node>::New node;
        bool const has_it = acquire_unless<Smp>(algorithm_, *node, asked) != still_waits;
        if (has_it) held_.keep(node);
        return has_it;
    }
    void unlock() {
        held_.end([this](Node& node) { algorithm_.release(node); });
    }

  private:
    // Behind the first of its locks a cohort takes a record for the second one.
    static void prepare() {
        if constexpr (Abortable<AlgorithmType>) reserve_lock_nodes(2);
    }

    AlgorithmType algorithm_;
    [[no_unique_address]] HeldNode<Node> held_;
};

// A lock that has a part in each node's memory: a Runtime's, which has to outlive it. It may be destroyed when all
// unlock() have returned, not already when the caller has it. A thread that is no core counts to the node where it ran
// when it last held none of these and took one, or up to 63 such times before.
template <typename AlgorithmType> class NodesMutex : public TimedLocking<NodesMutex<AlgorithmType>> {
    using Mutex = AnyThreadMutex<AlgorithmType>;

  public:
    // Errors: no memory, no Runtime that runs.
    static Result<NodesMutex> create() {
        if (workers::count() == 0) return Error("a lock for nodes needs a Runtime that runs");
        Holding const holding(workers::count());
        std::unique_ptr<Parts> parts(new (std::nothrow) Parts(MXK_TRY(StoredTopology::of_machine())));
        if (parts == nullptr || parts->has_failed) return Error("out of memory: no room for the lock's parts");
        return NodesMutex(std::move(parts));
    }

    void lock() {
        Holding holding(parts_->view.workers());
        parts_->mutex.lock();
        holding.go_on();
    }
    bool try_lock() requires requires(Mutex& mutex) { mutex.try_lock(); }
    {
        Holding holding(parts_->view.workers());
        bool const has_it = parts_->mutex.try_lock();
        if (has_it) holding.go_on();
        return has_it;
    }
    // As AnyThreadMutex'.
    template <typename GiveUp> bool lock_unless(GiveUp give_up) requires CanGiveUp<AlgorithmType> {
        Holding holding(parts_->view.workers());
        bool const has_it = parts_->mutex.lock_unless(give_up);
        if (has_it) holding.go_on();
        return has_it;
    }
    void unlock() {
        parts_->mutex.unlock();
        arch::end_holding();
    }

  private:
    // Up to its end, or to the unlock() behind it.
    class Holding {
      public:
        explicit Holding(std::size_t cores) { arch::begin_holding(cores); }
        Holding(Holding const&) = delete;
        Holding& operator=(Holding const&) = delete;
        ~Holding() {
            if (!goes_on_) arch::end_holding();
        }
        void go_on() { goes_on_ = true; }

      private:
        bool goes_on_ = false;
    };
    struct Parts {
        explicit Parts(StoredTopology its_topology)
            : topology(std::move(its_topology)) {}
        TableCount count; // the last to go
        StoredTopology topology;
        LockTopology view = topology.view();
        bool has_failed = false;
        alignas(cache_line_bytes) Mutex mutex{SmpSite(view, has_failed)};
    };
    explicit NodesMutex(std::unique_ptr<Parts> parts)
        : parts_(std::move(parts)) {}

    std::unique_ptr<Parts> parts_;
};

template <typename F> using AnyTicket = Ticket<F>;
template <typename F> using AnyMcs = Mcs<F>;
template <typename F> using AnyTimedMcs = AbortableMcs<F>;

} // namespace locks

using TtsMutex = locks::AnyThreadMutex<locks::Tts<locks::Smp>>;
using TicketMutex = locks::AnyThreadMutex<locks::Ticket<locks::Smp>>;
using McsMutex = locks::AnyThreadMutex<locks::Mcs<locks::Smp>>;
using CohortMutex = locks::NodesMutex<locks::Cohort<locks::Smp, locks::AnyTicket, locks::AnyMcs>>;
using TimedMcsMutex = locks::AnyThreadMutex<locks::AbortableMcs<locks::ThreadSmp<>>>;
using TimedCohortMutex = locks::NodesMutex<locks::Cohort<locks::ThreadSmp<>, locks::AnyTimedMcs, locks::AnyTimedMcs>>;
using HmcsMutex = locks::NodesMutex<locks::Hmcs<locks::Smp>>;

// What std::lock_guard and std::scoped_lock of one lock take; with try_lock() std::scoped_lock of several, and
// std::unique_lock.
template <typename T>
concept GuardedLock = requires(T& lock) {
    lock.lock();
    lock.unlock();
};
static_assert(GuardedLock<TtsMutex> && GuardedLock<TicketMutex> && GuardedLock<McsMutex> && GuardedLock<CohortMutex> &&
              GuardedLock<HmcsMutex>);

} // namespace mxk

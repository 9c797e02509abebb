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
//     HmcsMutex      the same by shared caches, too
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "arch/lock_user.hpp"
#include "base/result.hpp"
#include "hashtable/bulk/table_count.hpp"
#include "locks/cohort_lock.hpp"
#include "locks/fabric/stored_topology.hpp"
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

// A lock of all, as the standard's guards want it. It needs no Runtime. lock() and try_lock() throw std::bad_alloc
// where a thread has no memory for a node; unlock() is the holder's, in the thread of its lock().
template <typename AlgorithmType> class AnyThreadMutex {
    using Node = typename AlgorithmType::Node;

  public:
    constexpr AnyThreadMutex()
        : AnyThreadMutex(SmpSite{}) {}
    constexpr explicit AnyThreadMutex(SmpSite const& site)
        : algorithm_(site) {}
    AnyThreadMutex(AnyThreadMutex const&) = delete;
    AnyThreadMutex& operator=(AnyThreadMutex const&) = delete;

    void lock() {
        typename HeldNode<Node>::New node;
        algorithm_.acquire(*node);
        held_.keep(node);
    }
    bool try_lock() requires requires(AlgorithmType& algorithm, Node& node) { algorithm.try_acquire(node); }
    {
        typename HeldNode<Node>::New node;
        bool const has_it = algorithm_.try_acquire(*node);
        if (has_it) held_.keep(node);
        return has_it;
    }
    void unlock() {
        held_.end([this](Node& node) { algorithm_.release(node); });
    }

  private:
    AlgorithmType algorithm_;
    [[no_unique_address]] HeldNode<Node> held_;
};

// A lock that has a part in each node's memory: a Runtime's, which has to outlive it. It may be destroyed when all
// unlock() have returned, not already when the caller has it. A thread that is no core counts to the node where it ran
// when it last held none of these and took one, or up to 63 such times before.
template <typename AlgorithmType> class NodesMutex {
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

} // namespace locks

using TtsMutex = locks::AnyThreadMutex<locks::Tts<locks::Smp>>;
using TicketMutex = locks::AnyThreadMutex<locks::Ticket<locks::Smp>>;
using McsMutex = locks::AnyThreadMutex<locks::Mcs<locks::Smp>>;
using CohortMutex = locks::NodesMutex<locks::Cohort<locks::Smp, locks::AnyTicket, locks::AnyMcs>>;
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

// A lock of all beneath which each node has a lock of its own: a holder hands both on to a waiter of its node, up to a
// number of times, and then gives the upper one back. So what the lock protects stays in the node's caches, and few
// hand-overs need another node. A node that waits sees up to max_passes + 1 sections of each other node, if the upper
// lock is first come, first served. (D. Dice, V. Marathe and N. Shavit, Lock Cohorting, PPoPP 2012; A.
// Uffmann, RMA locks, LMU 2022, for the place of the count and the queue record that a node's workers share.)
//
// One-sided operations: none for a pass within the node if the count is handed on (PassCount::Inline) or is the node's
// plain word; else 1 at the home or on the node's record. Those of the upper lock when that changes nodes.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"
#include "locks/give_up.hpp"

namespace mxk::locks {

// Where it is counted how often the upper lock has been passed on.
enum class PassCount : std::uint8_t {
    Home,   // one word at the lock's home
    Node,   // a word of the node, by one-sided operations
    Plain,  // the same by plain loads and stores: only the holder uses it
    Inline, // in what is handed on
};

template <typename F, template <typename> typename Upper, template <typename> typename Lower,
          PassCount where = PassCount::Inline>
class Cohort {
    using Local = Lower<typename F::Near>;
    static_assert(LocalAlgorithm<Local>);
    struct Passes {
        typename F::template Word<std::uint32_t> count{0};
    };
    struct NoCount {
        template <typename... Arguments> explicit NoCount(Arguments const&... /*unused*/) {}
    };
    struct InUpper {
        typename Upper<F>::Node node{};
    };
    struct OfNode {
        explicit OfNode(typename F::Near::Site const& site)
            : lock(site)
            , in_upper(site) {}
        // The node's in the upper lock: one of its workers at a time is there, and any of them may release.
        typename Upper<F>::Node& upper() { return in_upper.direct().node; }
        Local lock;
        alignas(64) typename F::Near::template Home<InUpper> in_upper;
    };

  public:
    struct Node {
        typename Local::Node local;
        Handed passes = 0; // as handed on
        [[no_unique_address]] typename F::Count count;
    };
    explicit Cohort(typename F::Site const& site)
        : max_passes_(site.max_passes())
        , upper_(site.of_groups(Level::Node))
        , nodes_(site, Level::Node, [&](std::size_t node) { return OfNode(site.at_group(Level::Node, node)); })
        , home_count_(site)
        , node_counts_(site, Level::Node) {}

    void acquire(Node& node) {
        OfNode& own = nodes_.own();
        node.passes = own.lock.acquire(node.local);
        bool at_once = node.local.count.was_at_once();
        if (node.passes == acquire_upper) {
            inject::point();
            upper_.acquire(own.upper());
            at_once = at_once && own.upper().count.was_at_once();
        }
        node.count.acquired(at_once);
    }
    // still_waits: the caller has given up, and its node goes on without it; behind others, if it was the one that
    // waited for the upper lock.
    template <typename GiveUp>
    Handed acquire_unless(Node& node, GiveUp give_up) requires Abortable<Local> && CanGiveUp<Upper<F>> {
        OfNode& own = nodes_.own();
        node.passes = own.lock.acquire_unless(node.local, give_up);
        bool at_once = node.local.count.was_at_once();
        if (node.passes == acquire_upper) {
            inject::point();
            if (locks::acquire_unless<F>(upper_, own.upper(), give_up) == still_waits) {
                own.lock.release(node.local, acquire_upper);
                return still_waits;
            }
            at_once = at_once && own.upper().count.was_at_once();
        }
        if (node.passes != still_waits) node.count.acquired(at_once);
        return node.passes;
    }
    // Whether the caller has it now.
    bool try_acquire(Node& node) requires requires(Local& local, Upper<F>& upper, OfNode& own) {
        local.try_acquire(node.local);
        upper.try_acquire(own.upper());
    }
    {
        OfNode& own = nodes_.own();
        if (!own.lock.try_acquire(node.local)) return false;
        inject::point();
        node.passes = acquire_upper; // nobody has handed it on
        bool const has_both = upper_.try_acquire(own.upper());
        if (has_both)
            node.count.acquired(true);
        else
            own.lock.release(node.local, acquire_upper); // one of its node that has come meanwhile waits for the upper
        return has_both;
    }
    void release(Node& node) {
        OfNode& own = nodes_.own();
        bool stays = !own.lock.alone(node.local) && count_pass(node);
        if constexpr (where != PassCount::Inline) node.passes = 1;
        if constexpr (Abortable<Local>) stays = stays && own.lock.pass(node.local, node.passes); // all may have left
        node.count.released(stays);
        if constexpr (Abortable<Local>) {
            if (stays) return;
        } else {
            if (stays) return own.lock.release(node.local, node.passes);
        }
        reset_count();
        // Before the node's, whose release publishes the node's record in the upper lock, which is the next holder's
        // then.
        upper_.release(own.upper());
        own.lock.release(node.local, acquire_upper);
    }

  private:
    // Whether there may be another one. Counts are relaxed: they are the holder's, which gets them with the lock.
    bool count_pass(Node& node) {
        if constexpr (where == PassCount::Inline) {
            return ++node.passes <= max_passes_;
        } else if constexpr (where == PassCount::Home) {
            return home_count_.far(&Passes::count).add(1, std::memory_order_relaxed) < max_passes_;
        } else if constexpr (where == PassCount::Node) {
            return node_counts_.far(node_counts_.own_group(), &Passes::count).add(1, std::memory_order_relaxed) <
                   max_passes_;
        } else {
            auto& count = node_counts_.own().count;
            std::uint32_t const passes = count.load(std::memory_order_relaxed);
            count.store(passes + 1, std::memory_order_relaxed);
            return passes < max_passes_;
        }
    }
    void reset_count() {
        if constexpr (where == PassCount::Home) home_count_.far(&Passes::count).put(0, std::memory_order_relaxed);
        if constexpr (where == PassCount::Node)
            node_counts_.far(node_counts_.own_group(), &Passes::count).put(0, std::memory_order_relaxed);
        if constexpr (where == PassCount::Plain) node_counts_.own().count.store(0, std::memory_order_relaxed);
    }

    std::uint32_t max_passes_;
    Upper<F> upper_;
    typename F::template PerGroup<OfNode> nodes_;
    [[no_unique_address]] std::conditional_t<where == PassCount::Home, typename F::template Home<Passes>, NoCount>
        home_count_;
    [[no_unique_address]] std::conditional_t<where == PassCount::Node || where == PassCount::Plain,
                                             typename F::template Groups<Passes>, NoCount>
        node_counts_;
};

} // namespace mxk::locks

// MCS locks in a tree, one for the workers of each cache, one for the caches of each node, one for the nodes: what is
// cohort locking with two levels, with as many as the machine has. A holder hands all upper locks on at the lowest
// level where somebody waits, up to a number of times each. (M. Chabbi, M. Fagan and J. Mellor-Crummey, High
// Performance Locks for Multi-level NUMA Systems, PPoPP 2015.) Up to max_passes others of each level overtake a
// waiter of that level.
//
// One-sided operations: those of MCS among nodes when the lock changes nodes; else none.
#pragma once

#include <cstdint>

#include <cstddef>

#include "base/inject.hpp"
#include "locks/algorithm.hpp"
#include "locks/mcs_lock.hpp"

namespace mxk::locks {

template <typename F> class Hmcs {
    using Near = typename F::Near;
    // A group's in the lock above: used by one of its workers at a time, released by any of them.
    struct InNode {
        typename Mcs<Near>::Node node{};
        typename F::template Plain<Handed> passes{0}; // as the cache got its node's lock
    };
    struct InMachine {
        typename Mcs<F>::Node node{};
    };
    struct OfCache {
        explicit OfCache(typename Near::Site const& site)
            : workers(site)
            , in_node(site) {}
        Mcs<Near> workers;
        typename Near::template Home<InNode> in_node;
    };
    struct OfNode {
        explicit OfNode(typename Near::Site const& site)
            : caches(site.of_groups(Level::Cache))
            , in_machine(site) {}
        Mcs<Near> caches;
        typename Near::template Home<InMachine> in_machine;
    };

  public:
    struct Node {
        typename Mcs<Near>::Node in_cache;
        Handed passes_in_cache = 0;
        [[no_unique_address]] typename F::Count count;
    };
    explicit Hmcs(typename F::Site const& site)
        : max_passes_(site.max_passes())
        , caches_(site, Level::Cache, [&](std::size_t cache) { return OfCache(site.at_group(Level::Cache, cache)); })
        , nodes_(site, Level::Node, [&](std::size_t node) { return OfNode(site.at_group(Level::Node, node)); })
        , machine_(site.of_groups(Level::Node)) {}

    void acquire(Node& node) {
        OfCache& cache = caches_.own();
        node.passes_in_cache = cache.workers.acquire(node.in_cache);
        bool at_once = node.in_cache.count.was_at_once();
        if (node.passes_in_cache == acquire_upper) {
            inject::point();
            OfNode& numa = nodes_.own();
            InNode& in_node = cache.in_node.direct();
            in_node.passes = numa.caches.acquire(in_node.node);
            at_once = at_once && in_node.node.count.was_at_once();
            if (in_node.passes == acquire_upper) {
                auto& in_machine = numa.in_machine.direct().node;
                machine_.acquire(in_machine);
                at_once = at_once && in_machine.count.was_at_once();
            }
        }
        node.count.acquired(at_once);
    }
    static constexpr std::size_t levels = 2; // below the machine, whose passes are limited each
    // The holder's: how often the lock was passed on within the cache, or else the node, up to it; 0: it has acquired
    // the machine's lock.
    [[nodiscard]] Handed passes(Node& node) {
        return node.passes_in_cache != 0 ? node.passes_in_cache : Handed{caches_.own().in_node.direct().passes};
    }
    void release(Node& node) {
        OfCache& cache = caches_.own();
        OfNode& numa = nodes_.own();
        if (node.passes_in_cache < max_passes_ && !cache.workers.alone(node.in_cache)) {
            node.count.released(true);
            return cache.workers.release(node.in_cache, static_cast<Handed>(node.passes_in_cache + 1));
        }
        InNode& in_node = cache.in_node.direct();
        bool const stays = in_node.passes < max_passes_ && !numa.caches.alone(in_node.node);
        node.count.released(stays);
        if (stays) {
            numa.caches.release(in_node.node, static_cast<Handed>(in_node.passes + 1));
        } else {
            machine_.release(numa.in_machine.direct().node);
            numa.caches.release(in_node.node, acquire_upper);
        }
        cache.workers.release(node.in_cache, acquire_upper);
    }

  private:
    Handed max_passes_;
    typename F::template PerGroup<OfCache> caches_;
    typename F::template PerGroup<OfNode> nodes_;
    Mcs<F> machine_;
};

} // namespace mxk::locks

// MCS locks in a tree, one for the workers of each cache, one for the caches of each node, one for the nodes: what is
// cohort locking with two levels, with as many as the machine has. A holder hands all upper locks on at the lowest
// level where somebody waits, up to a number of times for each level. (M. Chabbi, M. Fagan and J. Mellor-Crummey, High
// Performance Locks for Multi-level NUMA Systems, PPoPP 2015.) Up to max_passes() others of each level overtake a
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

  protected:
    // A place in the queue of a cache's lock, or of a node's: a worker's, or its cache's, which one of the cache's
    // workers uses at a time, and any of them releases.
    struct Place {
        typename Mcs<Near>::Node node{};
        typename F::template Plain<Handed> passes{0}; // of the lock up to its holder; 0: it has acquired the upper one
    };

  private:
    struct InMachine {
        typename Mcs<F>::Node node{};
    };
    struct OfCache {
        explicit OfCache(typename Near::Site const& site)
            : workers(site)
            , in_node(site) {}
        Mcs<Near> workers;
        typename Near::template Home<Place> in_node;
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
        Place in_cache;
        [[no_unique_address]] typename F::Count count;
    };
    explicit Hmcs(typename F::Site const& site)
        : max_passes_(site.max_passes(Level::Cache), site.max_passes(Level::Node))
        , caches_(site, Level::Cache, [&](std::size_t cache) { return OfCache(site.at_group(Level::Cache, cache)); })
        , nodes_(site, Level::Node, [&](std::size_t node) { return OfNode(site.at_group(Level::Node, node)); })
        , machine_(site.of_groups(Level::Node)) {}

    void acquire(Node& node) { node.count.acquired(enter_cache(node.in_cache).all_free); }
    void release(Node& node) { node.count.released(leave_cache(node.in_cache)); }
    static constexpr std::size_t levels = 2; // below the machine, whose passes are limited each
    // The holder's: how often the lock was passed on within the cache, or else the node, up to it; 0: it has acquired
    // the machine's lock.
    [[nodiscard]] Handed passes(Node& node) { return passes_of(node.in_cache); }

  protected:
    struct Entry {
        bool first_free; // the lock that it has entered
        bool all_free;
    };
    Entry enter_cache(Place& own) {
        OfCache& cache = caches_.own();
        auto const entry = cache.workers.enter(own.node);
        own.passes = entry.handed;
        if (entry.handed != acquire_upper) return {false, false};
        inject::point();
        Entry const upper = enter_node(cache.in_node.direct());
        return {entry.at_once, entry.at_once && upper.all_free};
    }
    Entry enter_node(Place& own) {
        OfNode& numa = nodes_.own();
        auto const entry = numa.caches.enter(own.node);
        own.passes = entry.handed;
        if (entry.handed != acquire_upper) return {false, false};
        bool const is_free = machine_.enter(numa.in_machine.direct().node).at_once;
        return {entry.at_once, entry.at_once && is_free};
    }
    // What the lock has stayed in: a cache, a node, or only the machine.
    Level leave_cache(Place& own) {
        OfCache& cache = caches_.own();
        if (passes_on(cache.workers, own, max_passes_.in_cache)) return Level::Cache;
        Level const stays_in = leave_node(cache.in_node.direct());
        cache.workers.release(own.node, acquire_upper);
        return stays_in;
    }
    Level leave_node(Place& own) {
        OfNode& numa = nodes_.own();
        if (passes_on(numa.caches, own, max_passes_.in_node)) return Level::Node;
        machine_.release(numa.in_machine.direct().node);
        numa.caches.release(own.node, acquire_upper);
        return Level::Machine;
    }
    // Of one that has entered the cache's lock.
    [[nodiscard]] Handed passes_of(Place& own) {
        return own.passes != 0 ? Handed{own.passes} : Handed{caches_.own().in_node.direct().passes};
    }
    Mcs<Near>& of_cache() { return caches_.own().workers; }
    Mcs<Near>& of_node() { return nodes_.own().caches; }
    Mcs<F>& of_machine() { return machine_; }

  private:
    static bool passes_on(Mcs<Near>& lock, Place& own, Handed limit) {
        Handed const passes = own.passes;
        if (passes >= limit || lock.alone(own.node)) return false;
        lock.release(own.node, passes + 1);
        return true;
    }

    MaxPasses max_passes_;
    typename F::template PerGroup<OfCache> caches_;
    typename F::template PerGroup<OfNode> nodes_;
    Mcs<F> machine_;
};

} // namespace mxk::locks

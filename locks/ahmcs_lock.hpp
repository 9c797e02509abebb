// HMCS whose users enter the tree where there are others: one that has met another before it and one behind in the
// queue that it joined enters one level nearer to its cache the next time, one that has met nobody one level nearer to
// the machine. A lock that is mostly free takes what MCS takes, one that many want is passed on within caches and
// nodes. Where the lock of the level and the machine's are free, the latter is taken at once. (M. Chabbi and J.
// Mellor-Crummey, Contention-conscious, Locality-preserving Locks, PPoPP 2016.) A user that enters a node's lock or the
// machine's has a place of its own there, beside those of caches and nodes.
//
// The level is kept in the user's node: one that is new enters at its cache. Of one memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "locks/hmcs_lock.hpp"

namespace mxk::locks {

template <typename F> class Ahmcs : Hmcs<F> {
    static_assert(F::is_one_memory);
    using Tree = Hmcs<F>;

  public:
    struct Node {
        typename Tree::Place own;           // in the lock of the cache or of the node
        typename Mcs<F>::Node in_machine{}; // or in the machine's
        Level level = Level::Cache;         // whose lock it is to enter
        Level entered = Level::Cache;       // has entered
        bool found_free = true;             // that lock: nobody was before
        [[no_unique_address]] typename F::Count count;
    };
    explicit Ahmcs(typename F::Site const& site)
        : Tree(site) {}

    void acquire(Node& node) {
        node.entered = are_free(node.level) ? Level::Machine : node.level;
        auto const entry = enter(node);
        node.found_free = entry.first_free;
        node.count.acquired(entry.all_free);
    }
    void release(Node& node) {
        bool const has_next = !alone(node);
        // Somebody was before and is behind, or nobody.
        if (node.found_free != has_next) node.level = (has_next ? inner : outer)[static_cast<std::size_t>(node.level)];
        node.count.released(leave(node));
    }
    using Tree::levels;
    // As Hmcs'.
    [[nodiscard]] Handed passes(Node& node) {
        switch (node.entered) {
        case Level::Cache: return Tree::passes_of(node.own);
        case Level::Node: return node.own.passes;
        case Level::Machine: break;
        }
        return acquire_upper;
    }

  private:
    // One level nearer to the cache, or to the machine, by the level.
    static constexpr std::array inner{Level::Cache, Level::Cache, Level::Node};
    static constexpr std::array outer{Level::Node, Level::Machine, Level::Machine};
    bool are_free(Level level) {
        switch (level) {
        case Level::Cache: return Tree::of_cache().is_free() && Tree::of_machine().is_free();
        case Level::Node: return Tree::of_node().is_free() && Tree::of_machine().is_free();
        case Level::Machine: break;
        }
        return false; // finds out
    }
    typename Tree::Entry enter(Node& node) {
        switch (node.entered) {
        case Level::Cache: return Tree::enter_cache(node.own);
        case Level::Node: return Tree::enter_node(node.own);
        case Level::Machine: break;
        }
        bool const is_free = Tree::of_machine().enter(node.in_machine).at_once;
        return {is_free, is_free};
    }
    bool alone(Node& node) {
        switch (node.entered) {
        case Level::Cache: return Tree::of_cache().alone(node.own.node);
        case Level::Node: return Tree::of_node().alone(node.own.node);
        case Level::Machine: break;
        }
        return Tree::of_machine().alone(node.in_machine);
    }
    Level leave(Node& node) {
        switch (node.entered) {
        case Level::Cache: return Tree::leave_cache(node.own);
        case Level::Node: return Tree::leave_node(node.own);
        case Level::Machine: break;
        }
        Tree::of_machine().release(node.in_machine);
        return Level::Machine;
    }
};

} // namespace mxk::locks

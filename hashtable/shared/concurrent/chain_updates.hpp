// Changes of one chain of a concurrent table: a list without locks, sorted by hash (Harris 2001; Michael, "High
// Performance Dynamic Lock-Free Hash Tables and List-Based Sets", SPAA 2002). A node is removed in two steps: DELETED
// into its own link: from then on it is not in the table. Then the link before it is changed so that it leads past it,
// by the next updater that comes there. chains.hpp says how a chain is split and joined.
//
// All in a section. Loads of links acquire, and pair with the compare-exchange that wrote them, which releases: what a
// node is, is visible to who finds it. All changes of links are compare-exchanges (acq_rel).
#pragma once

#include <cstdint>
#include <utility>

#include "base/inject.hpp"
#include "hashtable/shared/concurrent/marked_link.hpp"

namespace mxk::concurrent {

// How an updater treats what is JOINT in the chain that it walks along.
enum class Mode : std::uint8_t {
    Normal, // nothing is, as far as it knows: what it meets shows that a resize has begun
    Lower,  // in the lower half of a chain that is split: the last node, behind which the chain will be cut
    Joined, // in its upper half, or in a chain that was joined: a node that must not be unlinked yet
};

// Where an updater has to work for a hash.
struct Place {
    AtomicLink* head;
    Mode mode;
};

// Where a node with a hash belongs: between the node, or head, that `link` is in, and node(). `value`: what was in the
// link.
struct Window {
    AtomicLink* link = nullptr;
    MarkedLink value;
    [[nodiscard]] Node* node() const { return value.node(); }
};

// Reclaim: called with each node once, by the one who has unlinked it.
template <typename Reclaim> class ChainUpdates {
  public:
    explicit ChainUpdates(Reclaim reclaim)
        : reclaim_(std::move(reclaim)) {}

    static MarkedLink load(AtomicLink const& link) { return link.load(std::memory_order_acquire); }
    // `expected` becomes what is there if that is something else.
    static bool change(AtomicLink& link, MarkedLink& expected, MarkedLink desired) {
        inject::point();
        return link.compare_exchange_strong(expected, desired, std::memory_order_acq_rel, std::memory_order_acquire);
    }
    // If it still is `expected`.
    static void change_to(AtomicLink& link, MarkedLink expected, MarkedLink desired) {
        change(link, expected, desired);
    }

    // The window before the first node whose hash is not below `limit`. Deleted nodes before it are unlinked. False if
    // somebody else has changed something: the caller has to look for its place again.
    [[nodiscard]] bool search(Place const& place, std::uint64_t limit, Window& window) const {
        window = {place.head, load(*place.head)};
        if (place.mode == Mode::Normal && !window.value.is_clean()) return false;
        for (Node* node = window.node(); node->hash < limit; node = window.node()) {
            MarkedLink const link = load(node->link);
            if (place.mode == Mode::Normal && link.is_joint()) return false;
            if (!link.is_deleted() || (place.mode == Mode::Joined && link.is_joint()))
                window = {&node->link, link};
            else if (!unlink(window, *node, link))
                return false;
        }
        return true;
    }

    // `node` into the window that search() has found for it, if that is still there.
    [[nodiscard]] static bool insert(Place const& place, Window const& window, Node& node) {
        // The last node before a cut is the new one then; a node that must not be unlinked remains one.
        std::uintptr_t const inherited = place.mode == Mode::Lower ? window.value.marks() : 0;
        // relaxed: the compare-exchange releases it
        node.link.store(MarkedLink(window.node(), inherited), std::memory_order_relaxed);
        MarkedLink expected = window.value;
        return change(*window.link, expected, MarkedLink(&node, window.value.marks() ^ inherited));
    }

    // Removes `node`, which had `link` in it and was not deleted, and puts `by` in its place; from then on `node` leads
    // to `by`.
    [[nodiscard]] static bool replace(Place const& place, Node& node, MarkedLink link, Node& by) {
        std::uintptr_t const inherited = place.mode == Mode::Lower ? link.marks() : 0;
        by.link.store(MarkedLink(link.node(), inherited), std::memory_order_relaxed); // as above
        return change(node.link, link, MarkedLink(&by, (link.marks() ^ inherited) | MarkedLink::deleted));
    }

    // Whether it was this call that has removed the node: the moment at which it leaves the table.
    [[nodiscard]] static bool mark_deleted(Node& node) {
        MarkedLink link = load(node.link);
        while (!link.is_deleted())
            if (change(node.link, link, link.with(MarkedLink::deleted))) return true;
        return false;
    }
    static void set_joint(Node& node) {
        MarkedLink link = load(node.link);
        while (!link.is_joint() && !change(node.link, link, link.with(MarkedLink::joint))) {
        }
    }
    static void clear_joint(Node& node) {
        MarkedLink link = load(node.link);
        while (link.is_joint() && !change(node.link, link, link.without(MarkedLink::joint))) {
        }
    }

  private:
    // Past `node`, which is deleted and has `link` in it.
    [[nodiscard]] bool unlink(Window& window, Node& node, MarkedLink link) const {
        // In a lower half what is JOINT is the last node: now the one before it is. In an upper half it is the node in
        // the window's link, which keeps it.
        MarkedLink const past(link.node(), window.value.marks() | (link.marks() & MarkedLink::joint));
        if (!change(*window.link, window.value, past)) return false;
        window.value = past;
        reclaim_(node);
        return true;
    }

    Reclaim reclaim_;
};

} // namespace mxk::concurrent

// The chains of a concurrent table under heads whose number can change while they are used (Hraska, "Read-Copy-Update
// for HelenOS", 2013: the concurrent hash table; that an order by hash makes chains easy to split is Shalev's and
// Shavit's, "Split-Ordered Lists", JACM 2006).
//
// A look-up reads; it never writes, waits or begins again: it takes as many steps as the chain has nodes. All functions
// are called in a read section of RCU (kernel/sync/rcu/rcu.hpp): a task's body, or a rcu::ReadSection; a node that was
// found is valid until it ends. Nothing here blocks or allocates.
//
//     current, 4 heads  | 0 | 1 | 2 | 3 |       next, 8 heads  | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
//                         |                                      |   |
//                         '-> a -> b -> c -> end                 '-> a -> b' -> c' -> end
//                                                                    '----------^
//
// **Resizing** has to do with two blocks of heads. An updater that meets a head which is not clean does its bucket's
// part of the resize before anything else; a look-up does not. The steps for a bucket that grows:
//
//     move    FROZEN into the old head, its chain under the lower new head, INVALID into the old one. From the first
//             step on nobody can change the old head.
//     split   JOINT into the last node of the lower half (b), or into its head: nobody can change what leads to the
//             upper half any more; JOINT into the first node of the upper half (c); that one under the upper new head.
//     -- a grace period: everybody who came through an old head has ended
//     cut     the lower half ends behind the node that is JOINT
//     unjoin  the first node of the upper half is no longer JOINT: it can be unlinked as others can
//
// Of two buckets that become one, each head is moved, the upper one's chain behind the lower one's after its first node
// was made JOINT (join); a grace period; unjoin. When all buckets are done the next block is the current one; a grace
// period later the last block is free.
//
// Those are two grace periods; Hraska has five. One before the first head is frozen, so that all know the next block:
// but loads of heads acquire, and who finds one that is not clean can see the next block. One between cut and unjoin,
// for look-ups that have gone over the cut: but what is unlinked then is only given back after a grace period of its
// own, and nobody reaches it any more who begins after the cut. One after unjoin: but no mark is left then on which an
// updater of the last mode and one of the next could disagree.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/inject.hpp"
#include "base/panic.hpp"
#include "base/prefetch.hpp"
#include "hashtable/shared/concurrent/chain_updates.hpp"
#include "hashtable/shared/concurrent/head_block.hpp"
#include "hashtable/shared/concurrent/marked_link.hpp"

namespace mxk::concurrent {

// One of many look-ups: for find_each().
struct Lookup {
    std::uint64_t hash;
    Node* node = nullptr; // what was found; null: nothing
};

template <typename Reclaim> class Chains {
    using Updates = ChainUpdates<Reclaim>;

  public:
    // `first`: filled with no marks; outlives this.
    Chains(HeadBlock& first, Reclaim reclaim)
        : current_(&first)
        , updates_(std::move(reclaim)) {}
    Chains(Chains const&) = delete;
    Chains& operator=(Chains const&) = delete;

    // Look-ups. match(node): whether it is the one that is looked for; called with nodes of this hash only.

    template <typename Match> [[nodiscard]] Node* find(std::uint64_t hash, Match match) const {
        Node* node = first(hash);
        while (node->hash < hash) node = Updates::load(node->link).node();
        return find_from(*node, hash, match);
    }
    // The next one after one that was found.
    template <typename Match> [[nodiscard]] Node* find_next(Node const& node, Match match) const {
        return find_from(*Updates::load(node.link).node(), node.hash, match);
    }
    template <typename Match> [[nodiscard]] static Node* find_from(Node& from, std::uint64_t hash, Match match) {
        for (Node* node = &from; node->hash == hash;) {
            MarkedLink const link = Updates::load(node->link);
            if (!link.is_deleted() && match(*node)) return node;
            node = link.node();
        }
        return nullptr;
    }
    // The same for up to 64 look-ups, whose cache misses overlap: each of them takes one step after the other.
    // match(at, node): whether it is what lookups[at] looks for.
    template <typename Match> void find_each(std::span<Lookup> lookups, Match match) const {
        for (Lookup const& lookup : lookups) prefetch(lookup.hash);
        for (Lookup& lookup : lookups) go_to(lookup, first(lookup.hash));
        std::uint64_t left = lookups.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lookups.size()) - 1;
        while (left != 0) {
            for (std::uint64_t bits = left; bits != 0; bits &= bits - 1) {
                auto const at = static_cast<std::size_t>(std::countr_zero(bits));
                Lookup& lookup = lookups[at];
                Node* const node = lookup.node;
                MarkedLink const link = Updates::load(node->link);
                bool const is_here = node->hash == lookup.hash && !link.is_deleted() && match(at, *node);
                if (is_here || node->hash > lookup.hash) {
                    left &= ~(std::uint64_t{1} << at);
                    if (!is_here) lookup.node = nullptr;
                } else {
                    go_to(lookup, link.node());
                }
            }
        }
    }
    // The first node of the chain that has the hash.
    [[nodiscard]] Node* first(std::uint64_t hash) const {
        MarkedLink const head = Updates::load(current().of(hash));
        if (!head.is_invalid()) [[likely]]
            return head.node();
        return first_in_next(hash);
    }
    void prefetch(std::uint64_t hash) const { current().prefetch(hash); }

    // visit(node) for the nodes of a stretch of hashes that begins at `from`, in their order, those of equal hash
    // together. Gives where the stretch ends; 0: there are no more. A node that is in the table from the first stretch
    // on until the last is visited once; one that comes or goes meanwhile, once or not at all.
    template <typename Visit> std::uint64_t visit_from(std::uint64_t from, Visit visit) const {
        std::uint64_t const end = end_of_bucket(from); // before the head is read: there may be more buckets then
        for (Node* node = first(from); node != &end_of_chains && (end == 0 || node->hash < end);) {
            MarkedLink const link =
                Updates::load(node->link); // of before visit(), and before it is replaced by another one
            if (node->hash >= from && !link.is_deleted()) visit(*node);
            node = link.node();
        }
        return end;
    }

    // Updates.

    // Before all that have this hash.
    void insert(Node& node) {
        for (;;) {
            Place const where = place(node.hash);
            Window window;
            if (updates_.search(where, node.hash, window) && Updates::insert(where, window, node)) return;
        }
    }
    // Null, or the node that matches already: then nothing was inserted.
    template <typename Match> [[nodiscard]] Node* insert_unique(Node& node, Match match) {
        for (;;) {
            Place const where = place(node.hash);
            Window window;
            if (!updates_.search(where, node.hash, window)) continue;
            // One that is inserted meanwhile would change the window.
            if (Node* const other = find_from(*window.node(), node.hash, match)) return other;
            if (Updates::insert(where, window, node)) return nullptr;
        }
    }
    // Null, or the node that matched, in whose place `node` is now, by one step.
    template <typename Match> [[nodiscard]] Node* replace_or_insert(Node& node, Match match) {
        for (;;) {
            Place const where = place(node.hash);
            Window window;
            if (!updates_.search(where, node.hash, window)) continue;
            Node* const other = find_from(*window.node(), node.hash, match);
            if (other == nullptr) {
                if (Updates::insert(where, window, node)) return nullptr;
            } else if (replace_at(where, *other, node)) {
                return other;
            }
        }
    }
    // The node that matched, which `node` has replaced; null: there is none.
    template <typename Match> [[nodiscard]] Node* replace(Node& node, Match match) {
        for (;;) {
            Place const where = place(node.hash);
            Window window;
            if (!updates_.search(where, node.hash, window)) continue;
            Node* const other = find_from(*window.node(), node.hash, match);
            if (other == nullptr || replace_at(where, *other, node)) return other;
        }
    }
    // Removes the first that matches, and gives it; null: there is none. It is unlinked when this returns, or will be
    // at the end of a resize.
    template <typename Match> [[nodiscard]] Node* remove(std::uint64_t hash, Match match) {
        for (;;) {
            Window window;
            if (!updates_.search(place(hash), hash, window)) continue;
            Node* const node = find_from(*window.node(), hash, match);
            if (node == nullptr || remove(*node)) return node;
        }
    }
    // Removes all that match, but for those that are inserted meanwhile. Gives how many.
    template <typename Match> std::size_t remove_all(std::uint64_t hash, Match match) {
        std::size_t removed = 0;
        for (Node* node = find(hash, match); node != nullptr; node = find_next(*node, match))
            removed += Updates::mark_deleted(*node) ? 1U : 0U;
        if (removed != 0) sweep(hash);
        return removed;
    }
    // False: somebody else has removed it. The node was found in this section.
    [[nodiscard]] bool remove(Node& node) {
        std::uint64_t const hash = node.hash;
        if (!Updates::mark_deleted(node)) return false;
        sweep(hash);
        return true;
    }

    // The resizer, one at a time; in a section, too.

    [[nodiscard]] HeadBlock& current() const { return *current_.load(std::memory_order_acquire); }
    // Null: there is no resize.
    [[nodiscard]] HeadBlock* next() const { return next_.load(std::memory_order_acquire); }
    // Half or twice as many heads, all of them filled with MarkedLink::invalid.
    void begin(HeadBlock& next) { change(next_, &next); }
    // Move and split, or move and join, of the bucket at `index` of the block that has fewer; in any order.
    void transfer(std::size_t index) {
        HeadBlock const& now = current();
        HeadBlock const& other = *next();
        if (other.order() > now.order()) {
            move(now[index], other[2 * index]);
            split(other, 2 * index);
        } else {
            move(now[2 * index], other[index]);
            join(now[2 * index + 1], other[index]);
        }
    }
    // A grace period after the last transfer(): cut and unjoin of the same bucket, once each.
    void separate(std::size_t index) {
        HeadBlock const& other = *next();
        if (other.order() > current().order()) {
            cut(other[2 * index], other.first_hash(2 * index + 1));
            unjoin(other[2 * index + 1]);
        } else {
            unjoin(other[index]);
        }
    }
    // All buckets are done: the next block is the current one; and after a grace period nobody uses the last one.
    void finish() { change(current_, next()); }
    void forget_last() { change(next_, nullptr); }

    // Panics where the chains are not what they must be: each node in its bucket's chain, in the order of hashes, and
    // no mark of a resize. Gives how many nodes there are; those that were removed may still be linked. While nobody
    // uses the table, and no resize is under way.
    [[nodiscard]] std::size_t check() const {
        expect(next() == nullptr, "a table is checked while no resize is under way");
        std::size_t nodes = 0;
        for (std::size_t at = 0; at < current().size(); ++at) nodes += check_chain(at);
        return nodes;
    }

  private:
    [[nodiscard]] std::size_t check_chain(std::size_t index) const {
        MarkedLink link = Updates::load(current()[index]);
        expect(link.is_clean(), "a head has no mark while no resize is under way");
        std::size_t nodes = 0;
        for (std::uint64_t hash = 0; link.node() != &end_of_chains;) {
            Node const& node = *link.node();
            expect(current().index(node.hash) == index, "a node is in its bucket's chain");
            expect(node.hash >= hash, "a chain is in the order of its hashes");
            hash = node.hash;
            link = Updates::load(node.link);
            expect(!link.is_joint(), "no node is joint while no resize is under way");
            nodes += link.is_deleted() ? 0U : 1U;
        }
        return nodes;
    }

    static void go_to(Lookup& lookup, Node* node) {
        lookup.node = node;
        prefetch_for_read(node);
    }
    // release: pairs with the loads of current() and next().
    static void change(std::atomic<HeadBlock*>& block, HeadBlock* to) {
        inject::point();
        block.store(to, std::memory_order_release);
    }

    [[gnu::noinline]] [[nodiscard]] Node* first_in_next(std::uint64_t hash) const {
        HeadBlock const& next = *this->next();
        std::size_t const at = next.index(hash);
        MarkedLink const head = Updates::load(next[at]);
        // An upper half that was not split off yet is still in the lower half's chain.
        return head.is_invalid() ? Updates::load(next[at ^ 1]).node() : head.node();
    }
    // The chain at first(from) has all of this stretch.
    [[nodiscard]] std::uint64_t end_of_bucket(std::uint64_t from) const {
        HeadBlock const& now = current();
        HeadBlock const* const next = this->next();
        HeadBlock const& finer = next != nullptr && next->order() > now.order() ? *next : now;
        std::size_t const behind = finer.index(from) + 1;
        return behind == finer.size() ? 0 : finer.first_hash(behind);
    }

    // Where to update.
    [[nodiscard]] Place place(std::uint64_t hash) {
        HeadBlock const& now = current();
        AtomicLink& head = now.of(hash);
        if (Updates::load(head).is_clean()) [[likely]]
            return {&head, Mode::Normal};
        return place_in_next(now, hash);
    }
    // The bucket's part of the resize is done first.
    [[gnu::noinline]] [[nodiscard]] Place place_in_next(HeadBlock const& now, std::uint64_t hash) {
        HeadBlock const& other = *next();
        std::size_t const at = other.index(hash);
        if (other.order() > now.order()) {
            move(now[at / 2], other[at & ~std::size_t{1}]);
            if (at % 2 == 0) return {&other[at], Mode::Lower};
            split(other, at - 1);
        } else {
            move(now[2 * at], other[at]);
            if (now.index(hash) % 2 != 0) join(now[2 * at + 1], other[at]);
        }
        return {&other[at], Mode::Joined};
    }

    // What is in the head; from now on it cannot be changed, but to INVALID.
    static MarkedLink freeze(AtomicLink& head) {
        MarkedLink old = Updates::load(head);
        while (old.is_clean())
            if (MarkedLink const frozen = old.with(MarkedLink::frozen); Updates::change(head, old, frozen))
                return frozen;
        return old;
    }
    static void move(AtomicLink& from, AtomicLink& to) {
        MarkedLink const old = freeze(from);
        if (!old.is_frozen()) return;
        Updates::change_to(to, MarkedLink(&end_of_chains, MarkedLink::invalid), MarkedLink(old.node(), 0));
        Updates::change_to(from, old, old.with(MarkedLink::invalid));
    }
    // The lower head has been moved.
    void split(HeadBlock const& next, std::size_t lower) {
        AtomicLink& upper = next[lower + 1];
        if (!Updates::load(upper).is_invalid()) return;
        Window window;
        do {
            while (!updates_.search({&next[lower], Mode::Lower}, next.first_hash(lower + 1), window)) {
            }
        } while (!window.value.is_joint() &&
                 !Updates::change(*window.link, window.value, window.value.with(MarkedLink::joint)));
        if (window.node() != &end_of_chains) Updates::set_joint(*window.node());
        Updates::change_to(upper, MarkedLink(&end_of_chains, MarkedLink::invalid), MarkedLink(window.node(), 0));
    }
    // `from`: the upper head; `to`: where the lower one was moved to.
    void join(AtomicLink& from, AtomicLink& to) {
        MarkedLink const old = freeze(from);
        if (!old.is_frozen()) return;
        if (old.node() != &end_of_chains) {
            Updates::set_joint(*old.node());
            append(to, *old.node());
        }
        Updates::change_to(from, old, old.with(MarkedLink::invalid));
    }
    // The upper half's chain behind the last node, unless it is there already: before it there is none of its hashes.
    void append(AtomicLink& head, Node& upper) {
        for (;;) {
            Window window;
            if (!updates_.search({&head, Mode::Joined}, upper.hash, window)) continue;
            if (window.node() != &end_of_chains) return;
            MarkedLink expected = window.value;
            if (Updates::change(*window.link, expected, MarkedLink(&upper, 0))) return;
        }
    }
    void cut(AtomicLink& head, std::uint64_t first_of_upper) {
        for (;;) {
            Window window;
            if (!updates_.search({&head, Mode::Lower}, first_of_upper, window)) continue;
            MarkedLink expected = window.value;
            if (Updates::change(*window.link, expected, MarkedLink(&end_of_chains, 0))) return;
        }
    }
    void unjoin(AtomicLink& head) {
        for (Node* node = Updates::load(head).node(); node != &end_of_chains; node = Updates::load(node->link).node()) {
            if (!Updates::load(node->link).is_joint()) continue;
            Updates::clear_joint(*node);
            if (Updates::load(node->link).is_deleted()) sweep(node->hash);
            return;
        }
    }

    // `other` was found at this place. False: look again.
    bool replace_at(Place const& where, Node& other, Node& node) {
        MarkedLink const link = Updates::load(other.link);
        if (link.is_deleted() || (where.mode == Mode::Normal && link.is_joint())) return false;
        if (!Updates::replace(where, other, link, node)) return false;
        sweep(node.hash);
        return true;
    }
    // Unlinks what is deleted and has this hash, but for what is JOINT.
    void sweep(std::uint64_t hash) {
        Window window;
        while (!updates_.search(place(hash), hash + 1, window)) { // bit 0 of a hash is clear
        }
    }

    std::atomic<HeadBlock*> current_;
    std::atomic<HeadBlock*> next_{nullptr};
    Updates updates_;
};

} // namespace mxk::concurrent

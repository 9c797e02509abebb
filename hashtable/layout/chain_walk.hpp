// An operation on a Chained table that is done node by node, by its caller: each step looks at one node, which the
// caller has asked the memory for before, and says which one it will look at next. With a hundred such walks in turn, a
// hundred misses overlap, where insert(), find() and erase() wait for each node of a chain in turn. Knows nothing of
// tasks (walk_task.hpp makes tasks of it). All walks of a table: on the one core that owns it, no locks, no atomics.
//
//     walk.seek(key);                            // or seek(key, &node), to insert or upsert it
//     ... wait for table.address(key) ...
//     if (!walk.enter<Find>(table)) ...          // parked: finish() of another walk gives it back, then resume<Find>()
//     while (!walk.is_at_end()) {
//         ... wait for walk.next_node() ...
//         if (walk.step()) break;
//     }
//     auto const [node, successor] = walk.finish<Find>(table);
//
// Steps of different walks may come in any order. What keeps them apart is that a walk takes the chain out of its
// bucket when it enters and puts it back when it finishes; a walk that comes to that bucket meanwhile is parked behind
// it.
//
//     bucket   chain           nobody is there
//              1               held, nobody waits
//              last | 1        held, walks wait: a ring, in the order in which they came
//
//              bucket -> last -> first -> second -.
//                         ^-----------------------'
//
// So the operations on one bucket, and with it on one key, happen one after the other in the order in which they
// entered; each sees what all before it did and nothing of those behind it. An insert cannot miss an equal key that is
// pushed at the head behind its back, and nobody stands on a node that an erase unlinks and gives away. Waiting takes
// no memory: the words for it are those that only a walk under way needs.
//
// Finds hold their bucket, too, although only an erase needs to wait for them. Nothing cheaper is exact: without a mark
// an erase cannot know that a find stands on its node, and would have to wait for every find of the table that is under
// way. The mark is a store to a line that is in the cache: 24.6 ns per find with it, 24.2 without (100 walks in turn in
// a bare loop, 8 M keys in chains of 10).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/panic.hpp"
#include "hashtable/layout/chained.hpp"
#include "hashtable/operation.hpp"

namespace mxk {

// Table: a Chained. From seek() to finish() a walk must neither move nor end: its chain and its followers hang on it.
// It does not know its operation, for which it has no room in a task's cache line: its caller does, and must name the
// same one each time.
//
//     seek -> enter -> under way: (next_node, step)* -> finish
//                \-> parked -> (another one's finish) -> resume -> under way
template <typename Table> class ChainWalk {
  public:
    using Node = typename Table::Node;

    ChainWalk() = default;
    ChainWalk(ChainWalk const&) = delete;
    ChainWalk& operator=(ChainWalk const&) = delete;

    // What to look for; the node is for an insert or upsert, which writes its key and its link. It is the caller's and
    // stands in no chain. Touches neither it nor the table, and so may happen on any core.
    void seek(std::uint64_t key, Node* node = nullptr) {
        key_ = key;
        node_ = node;
    }
    [[nodiscard]] std::uint64_t key() const { return key_; }

    // Touches the bucket, and writes the node of an insert. False if the walk is parked now. Panics on an insert
    // without a node or with key 0.
    template <Operation operation> [[nodiscard]] bool enter(Table& table) {
        if constexpr (has_node(operation))
            expect(node_ != nullptr && key_ != 0, "an insert has a node, and key 0 is the end of a chain");
        Bucket& bucket = table.bucket_of(key_);
        if (Table::is_held(bucket)) [[unlikely]] {
            wait_in(bucket);
            return false;
        }
        ChainNode* const chain = bucket;
        bucket = held(nullptr);
        take<operation>(chain);
        return true;
    }

    // For a parked walk that finish() gave back: it is under way then. Writes the node of an insert.
    template <Operation operation> void resume() { take<operation>(place_.chain); }
    // What it will look at then; any time before resume().
    [[nodiscard]] void const* first_node() const { return place_.chain; }

    // Under way: whether there is no node left to look at, and the walk is to be finished. Touches what the last step
    // did.
    [[nodiscard]] bool is_at_end() const { return *place_.link == Table::end(); }
    // Under way: what step() will touch.
    [[nodiscard]] void const* next_node() const { return *place_.link; }
    // Under way and not at the end: looks at one node. True if the walk is to be finished now, at this node or at the
    // end.
    bool step() {
        ChainNode& node = **place_.link;
        if (node.key == key_) return true;
        place_.link = &node.next;
        return is_at_end();
    }

    struct Finished {
        // Find, Update, Modify: the key's node, to be read or written before anything else runs on this core. Erase:
        // the node that had the key and is the caller's now. Insert, Upsert: the node that has the key already (an
        // upsert writes that one then), the new one being the caller's still, but for its link. Else null.
        Node* node;
        // The next walk that waits for this bucket: to be resumed by the caller. Null: none waits.
        ChainWalk* successor;
    };

    // Does what was to be done at the place where the walk stands, and leaves the bucket.
    template <Operation operation> [[nodiscard]] Finished finish(Table& table) {
        ChainNode* const found = *place_.link;
        bool const is_there = found != Table::end();
        if constexpr (has_node(operation)) {
            if (!is_there) ++table.size_;
        } else if constexpr (operation == Operation::Erase) {
            if (is_there) {
                (void)Table::NodeChain::unlink(*place_.link, found); // of the first node: the place is node_
                --table.size_;
            }
        }
        ChainNode* const chain = has_node(operation) && is_there ? node_->next : node_;
        return {is_there ? static_cast<Node*>(found) : nullptr, leave(table.bucket_of(key_), chain)};
    }

  private:
    using Bucket = typename Table::Bucket;

    // Whether it brings a node that stands in the table if no other one has the key.
    static constexpr bool has_node(Operation operation) {
        return operation == Operation::Insert || operation == Operation::Upsert;
    }

    // The chain hangs on the node to be inserted, where it has to be in the end, and else on the walk itself.
    template <Operation operation> void take(ChainNode* chain) {
        if constexpr (has_node(operation)) {
            *node_ = {key_, chain};
            place_.link = &node_->next;
        } else {
            node_ = chain;
            place_.link = &node_;
        }
    }

    void wait_in(Bucket& bucket) {
        ChainWalk* const last = last_waiting(bucket);
        if (last == nullptr) {
            place_.following = this;
        } else {
            place_.following = last->place_.following;
            last->place_.following = this;
        }
        bucket = held(this);
    }

    static ChainWalk* leave(Bucket& bucket, ChainNode* chain) {
        ChainWalk* const last = last_waiting(bucket);
        if (last == nullptr) [[likely]] {
            bucket = chain;
            return nullptr;
        }
        ChainWalk* const first = last->place_.following;
        if (first == last)
            bucket = held(nullptr);
        else
            last->place_.following = first->place_.following;
        first->place_.chain = chain;
        return first;
    }

    static Bucket held(ChainWalk* last) {
        static_assert(alignof(ChainWalk) > 1 && alignof(ChainNode) > 1, "the lowest bit tells them apart");
        return reinterpret_cast<Bucket>(reinterpret_cast<std::uintptr_t>(last) | 1);
    }
    static ChainWalk* last_waiting(Bucket bucket) {
        return reinterpret_cast<ChainWalk*>(reinterpret_cast<std::uintptr_t>(bucket) & ~std::uintptr_t{1});
    }

    // Three words, so that a task with a walk in it is one cache line.
    std::uint64_t key_ = 0;
    union {
        ChainNode** link;     // under way
        ChainWalk* following; // parked: who came next; the last one's is the first
        ChainNode* chain;     // the bucket's, given to a parked walk that has not been resumed yet
    } place_{};
    ChainNode* node_ = nullptr; // insert, upsert: the new node; others under way: the first node of the chain
};

} // namespace mxk

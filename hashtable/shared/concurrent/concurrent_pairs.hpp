// A concurrent table of keys and values of 8 bytes each: any core reads and writes any key, in place. Readers are in
// RCU's read sections and take no lock; writers take none of each other either, but for some instructions a lock of
// their own core's memory. Chains of pairs, split and joined as the table grows and shrinks (chains.hpp).
//
//     auto parts = MXK_TRY(ConcurrentPairs::make({.first_heads = 1024}, nodes, owners, 0));
//     ConcurrentPairs table(std::move(parts));
//     ... in a task, or in a thread's rcu::ReadSection: table.insert(key, value), table.find(key), table.erase(key)
//
// **What overlaps.** Each operation takes effect at one moment between its beginning and its end (it is linearizable):
// an insert with the compare-exchange that links the pair, an erase with the one that marks it, a find with its load of
// the pair's link; a value is one word, and written in place. A write to a pair that is erased meanwhile counts as done
// before the erase. An iteration (for_each()) is no operation of one moment: every pair that is there from its
// beginning to its end is visited once; one that comes or goes meanwhile, once or not at all.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "arch/sections.hpp"
#include "base/inject.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/shared/concurrent/pair_depot.hpp"
#include "hashtable/shared/concurrent/pair_supply.hpp"
#include "hashtable/shared/concurrent/resizing_chains.hpp"
#include "hashtable/shared/concurrent/retired_pairs.hpp"
#include "kernel/memory/node_object.hpp"
#include "kernel/memory/per_core.hpp"

namespace mxk {

class ConcurrentPairs {
    struct Retire {
        void operator()(concurrent::Node& node) const {
            (*supplies)[arch::home_core()].retire(static_cast<concurrent::Pair&>(node));
        }
        PerCore<concurrent::PairSupply> const* supplies;
    };
    struct HasKey {
        bool operator()(concurrent::Node const& node) const {
            return static_cast<concurrent::Pair const&>(node).key == key;
        }
        std::uint64_t key;
    };
    using Chains = concurrent::ResizingChains<Retire>;

  public:
    struct Parts {
        Chains::Parts chains;
        PerCore<concurrent::PairDepot> depots; // of the machine's nodes
        NodeObject<concurrent::RetiredPairs> retired;
        PerCore<concurrent::PairSupply> supplies;
    };
    // Heads on `nodes` (head_block.hpp); pairs on the nodes of the cores that insert them, `pairs` of them in advance
    // by each core that `owners` names. Errors: no memory. A task that may wait.
    static Result<Parts> make(concurrent::TableShape const& shape, std::span<NodeId const> nodes,
                              std::span<Owner const> owners, std::size_t pairs);
    explicit ConcurrentPairs(Parts parts)
        : depots_(std::move(parts.depots))
        , retired_(std::move(parts.retired))
        , supplies_(std::move(parts.supplies))
        , chains_(std::move(parts.chains), Retire{&supplies_}) {}
    // Waits for a resize under way and for grace periods. Nobody uses the table any more. A task that may wait.
    ~ConcurrentPairs();

    // All below: any core, in a section; never block. Full: no memory for the pair.

    Insert insert(std::uint64_t key, std::uint64_t value) {
        concurrent::Pair* const pair = make_pair(key, value);
        if (pair == nullptr) return find_pair(key) != nullptr ? Insert::Present : Insert::Full;
        if (chains_.insert_unique(*pair, HasKey{key}) == nullptr) return Insert::Inserted;
        supply().give_back(*pair);
        return Insert::Present;
    }
    [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t key) const {
        concurrent::Pair* const pair = find_pair(key);
        if (pair == nullptr) return std::nullopt;
        return pair->value.load(std::memory_order_acquire); // pairs with the writes of update() and others
    }
    bool erase(std::uint64_t key) { return chains_.remove(hash(key), HasKey{key}) != nullptr; }

    // As hashtable/value_writes.hpp says.
    bool update(std::uint64_t key, std::uint64_t value) {
        concurrent::Pair* const pair = find_pair(key);
        if (pair != nullptr) pair->value.store(value, std::memory_order_release);
        return pair != nullptr;
    }
    Insert upsert(std::uint64_t key, std::uint64_t value) {
        if (update(key, value)) return Insert::Present;
        concurrent::Pair* const pair = make_pair(key, value);
        if (pair == nullptr) return update(key, value) ? Insert::Present : Insert::Full;
        concurrent::Node* const other = chains_.insert_unique(*pair, HasKey{key});
        if (other == nullptr) return Insert::Inserted;
        static_cast<concurrent::Pair*>(other)->value.store(value, std::memory_order_release);
        supply().give_back(*pair);
        return Insert::Present;
    }
    template <typename Change> std::optional<std::uint64_t> modify(std::uint64_t key, Change change) {
        concurrent::Pair* const pair = find_pair(key);
        if (pair == nullptr) return std::nullopt;
        std::uint64_t before = pair->value.load(std::memory_order_acquire);
        inject::point();
        while (!pair->value.compare_exchange_weak(before, change(before), std::memory_order_acq_rel,
                                                  std::memory_order_acquire)) {
        }
        return before;
    }

    // found(at, optional value) for each of the keys, in any order; the cache misses of several overlap.
    template <typename Found> void find_each(std::span<std::uint64_t const> keys, Found found) const {
        constexpr std::size_t together = 16;
        for (std::size_t from = 0; from < keys.size(); from += together)
            find_some(keys.subspan(from, std::min(together, keys.size() - from)), from, found);
    }

    // Asks for the head's cache line, and for that of the chain's first pair.
    void prefetch(std::uint64_t key) const { chains_.prefetch(hash(key)); }
    void prefetch_first(std::uint64_t key) const { chains_.prefetch_first(hash(key)); }
    [[nodiscard]] void const* head(std::uint64_t key) const { return chains_.head(hash(key)); }

    // visit(key, value) for all pairs, as said above; others may work on the table. A task: its core runs nothing else
    // meanwhile.
    template <typename Visit> void for_each(Visit visit) const {
        std::uint64_t from = 0;
        do from = visit_from(from, visit);
        while (from != 0);
    }
    // The same in steps, each of which may be a section of its own: from 0 on, and then from what the last step gave,
    // until that is 0.
    template <typename Visit> std::uint64_t visit_from(std::uint64_t from, Visit visit) const {
        return chains_.visit_from(from, [&](concurrent::Node const& node) {
            auto const& pair = static_cast<concurrent::Pair const&>(node);
            visit(pair.key, pair.value.load(std::memory_order_acquire));
        });
    }

    // As of ResizingChains.
    Result<void> reserve(std::size_t pairs) { return chains_.reserve(pairs); }
    void settle() { chains_.settle(); }
    [[nodiscard]] std::size_t size() const { return chains_.size(); }
    [[nodiscard]] std::size_t head_count() const { return chains_.head_count(); }
    [[nodiscard]] std::uint64_t resizes() const { return chains_.resizes(); }
    [[nodiscard]] std::size_t bytes() const;

  private:
    static std::uint64_t hash(std::uint64_t key) { return MixedHash()(key) & ~std::uint64_t{1}; }
    [[nodiscard]] concurrent::PairSupply& supply() const { return supplies_[arch::home_core()]; }

    [[nodiscard]] concurrent::Pair* find_pair(std::uint64_t key) const {
        return static_cast<concurrent::Pair*>(chains_.find(hash(key), HasKey{key}));
    }
    [[nodiscard]] concurrent::Pair* make_pair(std::uint64_t key, std::uint64_t value) {
        concurrent::Pair* const pair = supply().take();
        if (pair == nullptr) return nullptr;
        pair->hash = hash(key);
        pair->key = key;
        pair->value.store(value, std::memory_order_relaxed);
        return pair;
    }
    template <typename Found>
    void find_some(std::span<std::uint64_t const> keys, std::size_t first, Found& found) const {
        std::array<concurrent::Lookup, 16> lookups;
        for (std::size_t i = 0; i < keys.size(); ++i) lookups[i].hash = hash(keys[i]);
        auto const these = std::span(lookups).first(keys.size());
        chains_.find_each(these, [&](std::size_t i, concurrent::Node const& node) {
            return static_cast<concurrent::Pair const&>(node).key == keys[i];
        });
        for (std::size_t i = 0; i < keys.size(); ++i) {
            auto const* const pair = static_cast<concurrent::Pair const*>(these[i].node);
            found(first + i,
                  pair != nullptr ? std::optional(pair->value.load(std::memory_order_acquire)) : std::nullopt);
        }
    }

    PerCore<concurrent::PairDepot> depots_;
    NodeObject<concurrent::RetiredPairs> retired_;
    PerCore<concurrent::PairSupply> supplies_; // of all cores of the machine; outlive the chains
    Chains chains_;
};

} // namespace mxk

// A table of numbers that grows and shrinks bucket by bucket while it is used (linear_lines.hpp), as one of Sharded's:
// it has what Extendible has. Any core may read it in place while its owner works.
//
// For one core at a time, its owner: no locks, nothing about tasks. What is to be done (there are too many keys for the
// buckets, or too few) is noted, and done by work(), some hundred buckets each time, or a segment that moves to another
// node, when the owner has time for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/panic.hpp"
#include "base/prefetch.hpp"
#include "base/result.hpp"
#include "base/units_for.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/layout/pair_bucket.hpp"
#include "hashtable/table/linear_lines.hpp"
#include "hashtable/table/table_size.hpp"
#include "hashtable/table/work_listener.hpp"
#include "hashtable/value_writes.hpp"

namespace mxk {

// Hash: one that MixedHash::inverse takes back. Every function: the owning core, and never blocks, unless it says
// otherwise. Pointers to values hold until the next insert, erase or work().
template <typename Hash = MixedHash> class LinearBuckets : public ValueWrites<LinearBuckets<Hash>> {
  public:
    using Layout = LinearBuckets; // it is its own
    using HashType = Hash;
    using Key = std::uint64_t;
    using Item = std::uint64_t;
    using Cell = PairLine;
    using Position = LinearLines::Position;
    using Seen = PairBucket::Seen;

    // Of all lines, those behind buckets counted: one key in five is then behind its bucket's first line.
    static constexpr double default_load = 0.7;
    static constexpr double max_load = 0.8; // beyond it more than half of them would be

    // A table for the keys whose hashes begin with `prefix`: with no less than 2^16 buckets for all keys. Errors: no
    // memory. May block for the allocator's lock, as whatever adds lines.
    static Result<LinearBuckets> create(TableSize size, NodeId node, Hash const& hash, HashPrefix prefix = {}) {
        constexpr double min_load = 0.01;
        double const wanted = size.load.value_or(default_load);
        double const load = wanted > min_load ? std::min(wanted, max_load) : min_load;
        return LinearBuckets(MXK_TRY(LinearLines::create(units_for(size.slots, PairLine::places),
                                                         load * PairLine::places, node, prefix)),
                             hash);
    }

    // Where a key belongs: for the owner valid until moves are counted. Any core.
    [[nodiscard]] [[gnu::always_inline]] Position position(Key key) const { return lines_.position(hash_(key)); }

    // Full only if there is no memory. Panics on key 0.
    Insert insert(Key key, Item item) { return insert(key, item, position(key)); }
    Insert insert(Key key, Item item, Position const& at) {
        auto const done = try_insert(key, item, at);
        return done ? *done : insert_far(key, item);
    }
    // The fast way, which needs nothing but the position; nothing if that is not enough: then the way is insert_far().
    [[gnu::always_inline]] static std::optional<Insert> try_insert(Key key, Item item, Position const& at) {
        expect(key != 0, "a table has no key 0");
        return LinearLines::try_insert(at, item);
    }
    [[gnu::noinline]] Insert insert_far(Key key, Item item) {
        Insert const result = LinearLines::insert(position(key), item);
        if (!lines_.is_crowded() || result == Insert::Present) return result;
        if (lines_.is_overcrowded())
            work(); // nobody else does
        else if (lines_.size() % 16 == 0)
            note();
        return result;
    }

    // The value, or null. Key 0 is never found.
    [[nodiscard]] auto find(Key key) const { return find(key, position(key)); }
    [[gnu::always_inline]] [[nodiscard]] static PairLine::Value* find(Key, Position const& at) {
        return PairBucket::find(*at.cell, at.hash);
    }
    // False if the key is not there.
    bool erase(Key key) { return erase(key, position(key)); }
    bool erase(Key, Position const& at) {
        if (!LinearLines::erase(at)) return false;
        if (lines_.is_sparse() && lines_.size() % 16 == 0) [[unlikely]]
            note();
        return true;
    }

    // As Bucketed's: any core, in a task's body or in a read section of RCU (rcu.hpp).
    [[nodiscard]] std::optional<Item> read(Key key) const { return read(position(key)); }
    [[nodiscard]] std::optional<Item> read(Position const& at) const { return lines_.read(at); }
    [[nodiscard]] [[gnu::always_inline]] PairBucket::Reading read_first(Position const& at) const {
        return lines_.read_first(at);
    }

    // Asks for what an operation on the key touches first. Any core.
    static void prefetch(Position const& at) { prefetch_far(at.cell); }
    void prefetch(Key key) const { prefetch(position(key)); }
    // Once that is there: whether the operation goes on behind it, and asks for what comes next if so.
    static bool is_behind(Key, Position const& at) { return PairBucket::is_behind(*at.cell, at.hash); }
    static void prefetch_behind(Key, Position const& at) { PairBucket::prefetch_behind(*at.cell, at.hash); }
    // The latter for one that reads in place.
    static void prefetch_behind_to_read(Position const& at) {
        if (at.lines->is_unchanged(at)) [[likely]]
            PairBucket::prefetch_behind(*at.cell, at.hash);
    }

    // As Extendible's.
    void tell(WorkListener& listener, void* context) {
        listener_ = &listener;
        listener_context_ = context;
    }
    void move_to(NodeId node) { lines_.move_to(node); }
    [[nodiscard]] bool has_work() const { return is_noted_ || lines_.is_moving(); }
    // May block for the allocator's lock.
    void work() {
        if (listener_ != nullptr) ++listener_->moves;
        if (!std::exchange(is_noted_, false) && lines_.is_moving()) return lines_.move_next();
        auto const done = lines_.is_sparse() ? lines_.shrink() : lines_.grow();
        is_noted_ = done == LinearLines::Done::Some;
        if (done == LinearLines::Done::NoMemory) give_up();
    }

    [[nodiscard]] std::size_t size() const { return lines_.size(); }
    // Of the buckets' first lines.
    [[nodiscard]] std::size_t slot_count() const { return lines_.buckets() * PairLine::places; }
    [[nodiscard]] std::size_t lines_behind() const { return lines_.lines() - lines_.buckets(); }
    // Memory that it has.
    [[nodiscard]] std::size_t bytes() const { return lines_.bytes(); }
    // visit(key, value) for every pair: for verification.
    template <typename Visit> void for_each(Visit visit) const {
        lines_.for_each([&](std::uint64_t hash, std::uint64_t value) { visit(MixedHash::inverse(hash), value); });
    }

  private:
    LinearBuckets(LinearLines lines, Hash const& hash)
        : hash_(hash)
        , lines_(std::move(lines)) {}

    [[gnu::noinline]] void note() {
        is_noted_ = true;
        if (listener_ != nullptr) listener_->has_work(*listener_, listener_context_);
    }
    void give_up() {
        if (std::exchange(listener_ != nullptr ? listener_->was_warned : gave_up_, true)) return;
        log::warn("a table on node {}, or a part of one, gave up growing at {} keys: no memory for further buckets "
                  "(said once per core)",
                  lines_.node(), size());
    }

    [[no_unique_address]] Hash hash_;
    LinearLines lines_;
    WorkListener* listener_ = nullptr;
    void* listener_context_ = nullptr;
    bool is_noted_ = false;
    bool gave_up_ = false;
};

} // namespace mxk

// A table in many shards, of which each core owns some. The keys' hashes are cut into a power of two of equal parts,
// some for every core; each part is a shard, a table of its own that grows by itself (extendible.hpp), on its owner's
// node. No locks, no atomics: only the owner works on a shard, which is the caller's promise; all may be read by any
// core while none works.
//
//     hash of a key   | shard | what the shard's table goes by |
//
//     shards          0 1 2 3 4 5 6 7 8 9 ...
//     owned by        0 0 0 0 1 1 1 1 2 2 ...     owner(): the place, in the list of cores, of the one that owns it
//
// Shards are finer than cores so that their owners can change while operations flow (resharding.hpp). So each core
// has a view of its own of the owners.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "base/units_for.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/partition/owner_change_hook.hpp"
#include "hashtable/table/extendible.hpp"
#include "hashtable/table/owned_shards.hpp"
#include "hashtable/table/shard.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/run_on.hpp"
#include "tasks/workers.hpp"

namespace mxk {

template <typename TableType> class Sharded {
  public:
    using Table = TableType;
    using Key = typename Table::Key;
    using Hash = typename Table::HashType;

    // What one core goes by.
    class alignas(cache_line_bytes) View {
      public:
        explicit View(std::uint32_t const* places)
            : owner_of(places) {}

      private:
        friend Sharded;
        template <typename Regions> friend class Resharding;
        std::uint32_t const* owner_of; // by shard
        OwnerChangeHook* hooks = nullptr;
    };

    // Shards for each core that may own some: so no core has more than 1 / per_core over its equal part.
    static constexpr std::size_t per_core = 8;

    // `places`: the cores that may own shards, of which the first `owners` do. All cells are written by the calling
    // core. Errors: no places, or not so many; no memory. May block for the allocator's lock.
    static Result<Sharded> create(TableSize size, std::span<Owner const> places, std::size_t owners,
                                  Hash const& hash = {}) {
        if (owners == 0 || owners > places.size())
            return Error::of("{} of {} cores cannot own the shards of a table", owners, places.size());
        std::size_t const count = std::bit_ceil(per_core * places.size());
        NodeId const here = places.front().node;
        Sharded result(hash, count);
        result.shards_ = MXK_TRY(NodeVector<Shard<Table>>::create(count, here));
        result.owner_of_ = MXK_TRY(NodeArray<std::uint32_t>::create(count, here));
        result.views_ = MXK_TRY(NodeVector<View>::create(workers::count(), here));
        for (std::size_t i = 0; i < workers::count(); ++i) result.views_.emplace(result.owner_of_.data());
        result.places_ = MXK_TRY(NodeVector<Place>::create(places.size(), here));
        for (std::size_t i = 0; i < count; ++i) {
            result.owner_of_[i] = place_of(i, count, owners);
            HashPrefix const prefix{static_cast<unsigned>(std::countr_zero(count)), i};
            result.shards_.emplace(MXK_TRY(Table::create({.slots = units_for(size.slots, count), .load = size.load},
                                                         places[result.owner_of_[i]].node, hash, prefix)));
        }
        for (Owner const& owner : places) {
            auto owned = MXK_TRY(NodeVector<OwnedShards<Table>>::create(1, owner.node));
            owned.emplace(result.shards_.span(), hash,
                          MXK_TRY(NodeArray<bool>::create_zeroed(workers::count(), owner.node)));
            result.places_.emplace(owner.core, std::move(owned));
        }
        for (std::size_t i = 0; i < count; ++i) result.region(result.owner_of_[i]).own(result.shards_[i]);
        return result;
    }

    // The place of the core that owns a key's shard, as far as the calling core has been told: what it sends there
    // comes to the owner. Any core, at any time.
    [[nodiscard]] std::size_t owner(Key const& key) const { return owner(key, view(Worker::current().core())); }
    // The same, for callers that know their core's view.
    [[nodiscard]] std::size_t owner(Key const& key, View const& view) const {
        return view.owner_of[hash_(key) >> shift_];
    }
    [[nodiscard]] View const& view(CoreId core) const { return views_[index(core)]; }
    // On that core, while owners do not change: the hook is called there before they do.
    void before_change(CoreId core, OwnerChangeHook& hook) {
        hook.next = std::exchange(views_[index(core)].hooks, &hook);
    }
    void forget(CoreId core, OwnerChangeHook& hook) {
        OwnerChangeHook** link = &views_[index(core)].hooks;
        while (*link != &hook) link = &(*link)->next;
        *link = hook.next;
    }
    // The core at a place. Any core, at any time.
    [[nodiscard]] CoreId core(std::size_t place) const { return places_[place].core; }
    // Whether the task, which has come to the core at this place for an operation on the key, has to wait until the
    // key's shard comes, too, or goes on to where it is: then it is gone, and its body is called again. On that
    // core.
    bool is_diverted(Worker& worker, std::size_t place, Key const& key, Task& task) const {
        OwnedShards<Table>& owned = region(place);
        if (!owned.is_complete() && owned.must_park(task.home, {&key, 1})) [[unlikely]] {
            owned.park(task, task.home);
            return true;
        }
        if (owned.owns(key)) [[likely]]
            return false;
        worker.append(task, core(owner(key)));
        return true;
    }
    // What the core at this place owns. That core only, or any one while nobody works.
    [[nodiscard]] OwnedShards<Table>& region(std::size_t place) const { return places_[place].owned[0]; }
    [[nodiscard]] std::size_t region_count() const { return places_.size(); }
    // The table of a key, for what it offers others (read()). Any core, at any time, also while owners change.
    [[nodiscard]] Table const& to_read(Key const& key) const { return shards_[hash_(key) >> shift_].table; }

    // Waits until no table has work to do, when no operations are under way. The console's task; blocks it, not its
    // core.
    void settle() {
        for (Place const& place : places_)
            run_on_one(place.core,
                       [&place](Worker&) { return place.owned[0].is_settled() ? Step::Done : Step::Again; });
    }

    // While nobody works.
    [[nodiscard]] std::size_t size() const {
        return sum([](Table const& table) { return table.size(); });
    }
    [[nodiscard]] std::size_t slot_count() const {
        return sum([](Table const& table) { return table.slot_count(); });
    }
    [[nodiscard]] std::size_t bytes() const {
        return sum([](Table const& table) { return table.bytes(); });
    }
    template <typename Visit> void for_each(Visit visit) const {
        for (Shard<Table> const& shard : shards_) shard.table.for_each(visit);
    }

  private:
    template <typename Regions> friend class Resharding;

    struct Place {
        Place(CoreId its_core, NodeVector<OwnedShards<Table>> its_shards)
            : core(its_core)
            , owned(std::move(its_shards)) {}
        CoreId core;
        NodeVector<OwnedShards<Table>> owned; // one, on the core's node
    };

    Sharded(Hash const& hash, std::size_t count)
        : hash_(hash)
        , shift_(64 - static_cast<unsigned>(std::countr_zero(count))) {}

    static std::uint32_t place_of(std::size_t shard, std::size_t count, std::size_t owners) {
        return static_cast<std::uint32_t>(shard * owners / count);
    }
    template <typename Value> [[nodiscard]] std::size_t sum(Value value) const {
        std::size_t total = 0;
        for (Shard<Table> const& shard : shards_) total += value(shard.table);
        return total;
    }

    [[no_unique_address]] Hash hash_;
    unsigned shift_;
    NodeVector<Shard<Table>> shards_;
    NodeArray<std::uint32_t> owner_of_; // by shard, in all views but while owners change
    NodeVector<View> views_;            // by core
    NodeVector<Place> places_;
};

} // namespace mxk

// A growing table for threads: regions, each a table of its own that one thread at a time works on, with the region's
// semaphore (thesis section 3.1: with probing, a semaphore for each place would be too expensive). All threads work on
// all regions. What a table has to do to grow is done by the thread that has made it necessary, before it gives the
// semaphore back.
//
//     hash of a key   | region | where in the region's table |        as fractions: any number of regions
//
// Nothing about tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "base/units_for.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/table/extendible.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/threads/semaphore_lock.hpp"

namespace mxk {

// Cut into equal shares, one for each region: which one a hash is in, and what is left of it there.
template <typename Hash> class RegionHash {
  public:
    // `regions` > 0.
    RegionHash(Hash const& hash, std::size_t regions)
        : hash_(hash)
        , regions_(regions) {}

    template <typename Key> std::size_t region(Key const& key) const { return high_product(hash_(key), regions_); }
    template <typename Key> std::uint64_t operator()(Key const& key) const { return hash_(key) * regions_; }

  private:
    [[no_unique_address]] Hash hash_;
    std::uint64_t regions_;
};

// Cells: the layout, as for Extendible. Every function: any thread, and blocks for a region's semaphore and, when its
// table grows, for the allocator's lock, unless it says otherwise.
template <typename Cells, typename HashFunction = MixedHash> class LockedRegions {
  public:
    using Hash = HashFunction;
    using Table = Extendible<Cells, RegionHash<Hash>>;
    using Key = typename Table::Key;
    using Item = typename Table::Item;

    // One region for each owner, on the node of that core. All cells are written by the calling core, which may run a
    // task. Errors: no owner, no memory.
    static Result<LockedRegions> create(TableSize size, std::span<Owner const> owners, SemaphoreKind kind,
                                        Hash const& hash = {}) {
        if (owners.empty()) return Error("a table of regions: expected no less than one");
        LockedRegions result(RegionHash<Hash>(hash, owners.size()));
        result.regions_ = MXK_TRY(PerCore<Region>::with_room(owners.size(), owners.front().node));
        TableSize const each{.slots = units_for(size.slots, owners.size()), .load = size.load};
        for (Owner const& owner : owners) {
            auto table = MXK_TRY(Table::create(each, owner.node, result.hash_));
            auto const added = result.regions_.add(owner.node, kind, std::move(table));
            if (!added) return added.error();
        }
        return result;
    }

    Insert insert(Key const& key, Item item) {
        return in_region(key, [&](Table& table) { return table.insert(key, item); });
    }

    // Gives what use(found) gives, called with what stands with the key, or null, while nobody else has its region.
    template <typename Use> auto find(Key const& key, Use use) {
        return in_region(key, [&](Table& table) { return use(table.find(key)); });
    }

    // As ValueWrites says. change(value): called while nobody else has the key's region.
    bool update(Key const& key, Item item) {
        return in_region(key, [&](Table& table) { return table.update(key, item); });
    }
    Insert upsert(Key const& key, Item item) {
        return in_region(key, [&](Table& table) { return table.upsert(key, item); });
    }
    template <typename Change> auto modify(Key const& key, Change change) {
        return in_region(key, [&](Table& table) { return table.modify(key, change); });
    }

    // False if the key is not there.
    bool erase(Key const& key) {
        return in_region(key, [&](Table& table) { return table.erase(key); });
    }

    // The number of the key's region. Any core, at any time.
    [[nodiscard]] std::size_t region_of(Key const& key) const { return hash_.region(key); }
    [[nodiscard]] std::size_t region_count() const { return regions_.size(); }

    // All below: anybody, tasks too, while no thread works on the table; without semaphores.
    [[nodiscard]] auto lookup(Key const& key) const { return table_of(key).find(key); }
    void prefetch(Key const& key) const { table_of(key).prefetch(key); }
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
        for (auto const& region : regions_) region.table.for_each(visit);
    }

  private:
    struct Region {
        Region(SemaphoreKind kind, Table its_table)
            : lock(kind)
            , table(std::move(its_table)) {}
        SemaphoreLock lock;
        Table table; // the lock's holder's
    };

    explicit LockedRegions(RegionHash<Hash> const& hash)
        : hash_(hash) {}

    template <typename Operation> auto in_region(Key const& key, Operation operation) {
        Region& region = regions_[region_of(key)];
        LockGuard const guard(region.lock);
        auto const result = operation(region.table);
        while (region.table.has_work()) [[unlikely]] region.table.work();
        return result;
    }
    [[nodiscard]] Table const& table_of(Key const& key) const { return regions_[region_of(key)].table; }
    template <typename Value> [[nodiscard]] std::size_t sum(Value value) const {
        std::size_t total = 0;
        for (auto const& region : regions_) total += value(region.table);
        return total;
    }

    RegionHash<Hash> hash_;
    PerCore<Region> regions_; // by owner
};

} // namespace mxk

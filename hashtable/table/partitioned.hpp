// A table cut into equal regions of its bucket array, one per owner core (thesis section 3.1). Each region is a table
// of its own on its owner's node. No locks, no atomics, nothing about tasks: that only the owner works on a region is
// the caller's promise. All regions may be read by anyone while nobody writes.
//
//     buckets   0 ........ | ........ | ....... n-1      sizes of regions differ by up to one bucket; a Cut says
//                region 0  | region 1 | region r-1       which region and which bucket of it a key has
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/partition/modulo_cut.hpp"
#include "hashtable/partition/owner.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk {

// How a table's buckets are cut: as the table says (Table::Cut), else by key mod n.
template <typename Table> struct CutOf { using Type = ModuloCut; };
template <typename Table>
requires requires {
    typename Table::Cut;
}
struct CutOf<Table> {
    using Type = typename Table::Cut;
};

// Table: constructed from (std::span<Table::Bucket>, Cut::Placement), the owner's NodeId if it takes memory itself, and
// what else create() is given for all of them; has size().
template <typename Table, typename Cut = typename CutOf<Table>::Type> class Partitioned {
  public:
    using Bucket = typename Table::Bucket;

    // One region per owner. The regions are initialised by the calling core. Errors: no owner, more owners than
    // buckets, no memory. May block for the allocator's lock.
    template <typename... Others>
    static Result<Partitioned> create(std::size_t buckets, std::span<Owner const> owners, Others const&... others) {
        if (owners.empty() || owners.size() > buckets) {
            return Error::of("{} buckets cannot be cut into {} regions", buckets, owners.size());
        }
        if (buckets > std::numeric_limits<std::size_t>::max() / owners.size()) { // a cut multiplies them
            return Error::of("{} buckets for {} owners are more than can be counted", buckets, owners.size());
        }
        Partitioned result(Cut(buckets, owners.size()),
                           MXK_TRY(NodeVector<Region>::create(owners.size(), owners.front().node)));
        for (std::size_t i = 0; i < owners.size(); ++i) {
            auto memory = MXK_TRY(NodeArray<Bucket>::create(result.cut_.buckets_in(i), owners[i].node));
            result.regions_.emplace(owners[i], std::move(memory), result.cut_.placement(i), others...);
        }
        return result;
    }

    // Index of the region that a key belongs to. Any core, at any time.
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return cut_.owner(key); }

    // The core that owns a region. Any core, at any time: it is not on the lines that the owner writes.
    [[nodiscard]] CoreId core(std::size_t region) const { return regions_[region].owner.core; }

    // Where the bucket of one of a region's keys lies: for annotations and prefetches. Any core, at any time, as
    // core().
    [[nodiscard]] Bucket const* bucket_of(std::uint64_t key, std::size_t region) const {
        return regions_[region].buckets.data() + regions_[region].placement(key);
    }

    // The owner's core only, or any core while nobody writes; and at any time for what a table offers others (read()).
    [[nodiscard]] Table& region(std::size_t at) { return regions_[at].table; }
    [[nodiscard]] Table const& region(std::size_t at) const { return regions_[at].table; }
    // The table of a key, for what it offers others. Any core, at any time.
    [[nodiscard]] Table const& to_read(std::uint64_t key) const { return regions_[owner(key)].table; }

    [[nodiscard]] std::size_t region_count() const { return regions_.size(); }
    [[nodiscard]] std::size_t bucket_count() const { return cut_.bucket_count(); }

    // Of all regions together; while nobody writes.
    [[nodiscard]] std::size_t size() const {
        std::size_t sum = 0;
        for (Region const& region : regions_) sum += region.table.size();
        return sum;
    }

    // Calls the visitor for everything that the regions hold, as they do; while nobody writes.
    template <typename Visit> void for_each(Visit visit) const {
        for (Region const& region : regions_) region.table.for_each(visit);
    }

  private:
    // What everyone reads and nobody writes on one line, what the owner writes on lines of its own.
    struct Region {
        template <typename... Others>
        Region(Owner region_owner, NodeArray<Bucket> memory, typename Cut::Placement const& its_placement,
               Others const&... others)
            : owner(region_owner)
            , placement(its_placement)
            , buckets(std::move(memory))
            , table(make_table(buckets.span(), placement, region_owner.node, others...)) {}

        template <typename... Others>
        static Table make_table(std::span<Bucket> memory, typename Cut::Placement const& placement, NodeId node,
                                Others const&... others) {
            if constexpr (std::constructible_from<Table, std::span<Bucket>, typename Cut::Placement, NodeId, Others...>)
                return Table(memory, placement, node, others...);
            else
                return Table(memory, placement, others...);
        }

        alignas(cache_line_bytes) Owner owner;
        typename Cut::Placement placement;
        NodeArray<Bucket> buckets;
        alignas(cache_line_bytes) Table table;
    };

    Partitioned(Cut const& cut, NodeVector<Region> regions)
        : cut_(cut)
        , regions_(std::move(regions)) {}

    Cut cut_;
    NodeVector<Region> regions_;
};

} // namespace mxk

// A table cut into equal contiguous regions of its bucket array, one per owner core (thesis section 3.1): the key gives
// the bucket, the bucket the owner. Each region is a table of its own on its owner's node. No locks, no atomics,
// nothing about tasks: that only the owner works on a region is the caller's promise. All regions may be read by anyone
// while nobody writes.
//
//     buckets   0 ........ | ........ | ....... n-1      region i: buckets ceil(i n / r) up to ceil((i+1) n / r),
//                region 0  | region 1 | region r-1       so sizes differ by at most one
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "hashtable/modulo.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk {

struct Owner {
    CoreId core;
    NodeId node;
};

// Table: constructed from (std::span<Table::Bucket>, RegionModulo), and has size().
template <typename Table> class Partitioned {
  public:
    using Bucket = typename Table::Bucket;

    // One region per owner. The regions are initialised by the calling core. Errors: no owner, more owners than
    // buckets, no memory. May block for the allocator's lock.
    static Result<Partitioned> create(std::size_t buckets, std::span<Owner const> owners) {
        if (owners.empty() || owners.size() > buckets) {
            return Error::of("{} buckets cannot be cut into {} regions", buckets, owners.size());
        }
        if (buckets > std::numeric_limits<std::size_t>::max() / owners.size()) { // region_start and owner() multiply
            return Error::of("{} buckets for {} owners are more than can be counted", buckets, owners.size());
        }
        Partitioned result(buckets, MXK_TRY(NodeVector<Region>::create(owners.size(), owners.front().node)));
        for (std::size_t i = 0; i < owners.size(); ++i) {
            std::size_t const start = region_start(i, buckets, owners.size());
            std::size_t const end = region_start(i + 1, buckets, owners.size());
            auto memory = MXK_TRY(NodeArray<Bucket>::create(end - start, owners[i].node));
            result.regions_.emplace(owners[i], std::move(memory), RegionModulo{result.whole_, start});
        }
        return result;
    }

    // Index of the region that has the key's bucket: floor(bucket * r / n), by the reciprocal that gave the bucket.
    // Any core, at any time.
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return whole_.quotient(whole_(key) * regions_.size()); }

    // The core that owns a region. Any core, at any time: it is not on the lines that the owner writes.
    [[nodiscard]] CoreId core(std::size_t region) const { return regions_[region].owner.core; }

    // The owner's core only, or any core while nobody writes.
    [[nodiscard]] Table& region(std::size_t at) { return regions_[at].table; }
    [[nodiscard]] Table const& region(std::size_t at) const { return regions_[at].table; }

    [[nodiscard]] std::size_t region_count() const { return regions_.size(); }
    [[nodiscard]] std::size_t bucket_count() const { return whole_.divisor(); }

    // Of all regions together; while nobody writes.
    [[nodiscard]] std::size_t size() const {
        std::size_t sum = 0;
        for (Region const& region : regions_) sum += region.table.size();
        return sum;
    }

  private:
    // What everyone reads and nobody writes on one line, what the owner writes on lines of its own.
    struct Region {
        Region(Owner region_owner, NodeArray<Bucket> memory, RegionModulo placement)
            : owner(region_owner)
            , buckets(std::move(memory))
            , table(buckets.span(), placement) {}

        alignas(cache_line_bytes) Owner owner;
        NodeArray<Bucket> buckets;
        alignas(cache_line_bytes) Table table;
    };

    Partitioned(std::size_t buckets, NodeVector<Region> regions)
        : whole_(buckets)
        , regions_(std::move(regions)) {}

    // The smallest bucket b with floor(b * regions / buckets) == at, which is what owner() computes.
    static std::size_t region_start(std::size_t at, std::size_t buckets, std::size_t regions) {
        return at * buckets / regions + (at * buckets % regions != 0 ? 1 : 0);
    }

    Modulo whole_;
    NodeVector<Region> regions_;
};

} // namespace mxk

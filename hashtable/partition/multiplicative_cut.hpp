// Placement by multiplication: a key's mixed hash (hash.hpp) is a number h from 0 to 1 in fixed point. What h is of r
// regions is r h: its whole part is the region, its fraction where in the region, and the same again with the region's
// buckets. Any number of regions and buckets, and no division. A product of the key and a constant alone (Knuth, The
// Art of Computer Programming volume 3, section 6.4) is enough for random keys, but those in some steps pile up.
//
//     h * regions    =  region . f        region: the high 64 bits of the product, f: the low 64 bits
//     f * buckets    =  bucket . ...
//
// All h of one bucket are neighbours, and there are up to 2^64 / (regions * buckets) of them. So with 2^16 buckets in
// all regions together, the low 48 bits of h say which one it is: a bucket need not store more of its keys (Knuth 6.4
// exercise 13; Cleary, Compact Hash Tables, 1984). The hash is a bijection, so h gives the key back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/panic.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/hash.hpp"

namespace mxk {

// Of one region.
class MultiplicativePlacement {
  public:
    static constexpr unsigned remainder_bits = 48;
    static constexpr std::uint64_t remainder_mask = (std::uint64_t{1} << remainder_bits) - 1;
    // Of all regions together.
    static constexpr std::size_t min_buckets = std::size_t{1} << (64 - remainder_bits);

    // Region `region` of `regions`, which has `buckets` of its own.
    explicit MultiplicativePlacement(std::size_t buckets, std::size_t regions = 1, std::size_t region = 0)
        : in_region_(regions)
        , buckets_(buckets)
        , regions_(regions)
        , region_(region) {
        expect(region < regions && buckets <= std::numeric_limits<std::size_t>::max() / regions &&
                   buckets * regions >= min_buckets,
               "keys are placed in one of 65536 or more buckets");
    }

    // The key must be of this region.
    [[nodiscard]] std::size_t operator()(std::uint64_t key) const { return high_product(in_region_(key), buckets_); }
    // What tells the key from the others of its bucket: the low 48 bits are its remainder.
    [[nodiscard]] static std::uint64_t hash(std::uint64_t key) { return MixedHash()(key); }

    [[nodiscard]] static std::size_t region_of(std::uint64_t key, std::size_t regions) {
        return high_product(hash(key), regions);
    }

    // The way back, bucket by bucket in their order, for those who visit all keys.
    class Inverse {
      public:
        // At bucket 0.
        explicit Inverse(MultiplicativePlacement const& placement)
            : placement_(placement)
            , step_(max / (placement.regions_ * placement.buckets_))
            , first_(max / placement.regions_ * placement.region_) {
            while (high_product(first_, placement.regions_) < placement.region_) ++first_;
        }

        [[nodiscard]] std::uint64_t key(std::uint64_t remainder) const {
            return MixedHash::inverse(first_ + ((remainder - first_) & remainder_mask));
        }

        // Not from the last bucket.
        void next_bucket() {
            ++bucket_;
            // The buckets' shares differ by one.
            first_ += step_;
            while (high_product(first_ * placement_.regions_, placement_.buckets_) < bucket_) ++first_;
        }

      private:
        MultiplicativePlacement const& placement_;
        std::uint64_t step_;  // the smallest of all buckets' shares
        std::uint64_t first_; // the smallest h of the bucket
        std::size_t bucket_ = 0;
    };

  private:
    static constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    MixedHash::Multiple in_region_; // the fraction
    std::uint64_t buckets_;
    std::uint64_t regions_;
    std::uint64_t region_;
};

class MultiplicativeCut {
  public:
    using Placement = MultiplicativePlacement;

    // 0 < `regions` <= `buckets`, and their product can be counted. Makes more buckets where a placement needs them.
    MultiplicativeCut(std::size_t buckets, std::size_t regions)
        : buckets_(std::max(buckets, (Placement::min_buckets + regions - 1) / regions * regions))
        , regions_(regions) {}

    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return Placement::region_of(key, regions_); }

    [[nodiscard]] std::size_t bucket_count() const { return buckets_; }
    // Each region has the same share of the keys, and the same number of buckets but for one.
    [[nodiscard]] std::size_t buckets_in(std::size_t region) const {
        return (region + 1) * buckets_ / regions_ - region * buckets_ / regions_;
    }
    [[nodiscard]] Placement placement(std::size_t region) const {
        return Placement(buckets_in(region), regions_, region);
    }

  private:
    std::size_t buckets_;
    std::size_t regions_;
};

} // namespace mxk

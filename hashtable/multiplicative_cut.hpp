// Placement by multiplication: key times an odd constant, modulo 2^64, is a number h between 0 and 1 in fixed point
// (Knuth, The Art of Computer Programming volume 3, section 6.4: with the golden ratio, keys in sequence lie evenly).
// What h is of r regions is r h: its whole part the region, its fraction where in the region, and the same again with
// the region's buckets. Two multiplications each, no division, no table, any number of regions and buckets.
//
//     h * regions    =  region . f          region:  the high 64 bits of the product, f: the low 64 bits
//     f * buckets    =  bucket . rest       rest: bits of the key that neither region nor bucket depends on
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxk {

// Where a key belongs in a region.
struct Place {
    std::size_t bucket;
    std::uint64_t rest; // evenly spread over 64 bits among the keys of a bucket, the high bits best
};

class MultiplicativePlacement {
  public:
    // `buckets` > 0 of one of `regions` > 0.
    explicit MultiplicativePlacement(std::size_t buckets, std::size_t regions = 1)
        : factor_(golden_ratio * regions)
        , buckets_(buckets) {}

    [[nodiscard]] Place place(std::uint64_t key) const {
        __extension__ using Wide = unsigned __int128;
        Wide const product = static_cast<Wide>(key * factor_) * buckets_;
        return {static_cast<std::size_t>(product >> 64), static_cast<std::uint64_t>(product)};
    }

    [[nodiscard]] std::size_t operator()(std::uint64_t key) const { return place(key).bucket; }

    // 2^64 divided by the golden ratio, odd.
    static constexpr std::uint64_t golden_ratio = 0x9e37'79b9'7f4a'7c15;

  private:
    std::uint64_t factor_; // the low 64 bits of (key * golden_ratio) * regions are those of key * this
    std::uint64_t buckets_;
};

class MultiplicativeCut {
  public:
    using Placement = MultiplicativePlacement;

    // 0 < `regions` <= `buckets`, and their product can be counted.
    MultiplicativeCut(std::size_t buckets, std::size_t regions)
        : buckets_(buckets)
        , regions_(regions) {}

    [[nodiscard]] std::size_t owner(std::uint64_t key) const {
        return MultiplicativePlacement(regions_).place(key).bucket;
    }

    [[nodiscard]] std::size_t bucket_count() const { return buckets_; }
    // Each region has the same share of the keys, and the same number of buckets but for one.
    [[nodiscard]] std::size_t buckets_in(std::size_t region) const {
        return (region + 1) * buckets_ / regions_ - region * buckets_ / regions_;
    }
    [[nodiscard]] Placement placement(std::size_t region) const { return Placement(buckets_in(region), regions_); }

  private:
    std::size_t buckets_;
    std::size_t regions_;
};

} // namespace mxk

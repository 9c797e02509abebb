// How a bucket array is cut when the bucket of a key is key mod n (thesis section 3.1): region i of r is the buckets
// ceil(i n / r) up to ceil((i + 1) n / r), so that the bucket gives the owner and sizes differ by up to one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hashtable/modulo.hpp"

namespace mxk {

// The placement inside one region of a table that is cut into contiguous regions: the bucket in the whole table,
// counted from the region's first. Only for keys whose bucket lies in the region.
struct RegionModulo {
    Modulo whole;
    std::size_t first;

    [[nodiscard]] std::size_t operator()(std::uint64_t key) const { return whole(key) - first; }
};

class ModuloCut {
  public:
    using Placement = RegionModulo;

    // 0 < `regions` <= `buckets`, and their product can be counted.
    ModuloCut(std::size_t buckets, std::size_t regions)
        : whole_(buckets)
        , regions_(regions) {}

    // Index of the region that has the key's bucket: floor(bucket * r / n), by the reciprocal that gave the bucket.
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return whole_.quotient(whole_(key) * regions_); }

    [[nodiscard]] std::size_t bucket_count() const { return whole_.divisor(); }
    [[nodiscard]] std::size_t buckets_in(std::size_t region) const { return start_of(region + 1) - start_of(region); }
    [[nodiscard]] Placement placement(std::size_t region) const { return {whole_, start_of(region)}; }

  private:
    // The smallest bucket b with floor(b * regions / buckets) == region, which is what owner() computes.
    [[nodiscard]] std::size_t start_of(std::size_t region) const {
        std::size_t const buckets = whole_.divisor();
        return region * buckets / regions_ + (region * buckets % regions_ != 0 ? 1 : 0);
    }

    Modulo whole_;
    std::size_t regions_;
};

} // namespace mxk

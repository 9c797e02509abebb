// Placement by multiplication: which region and bucket a key has, and the key of a remainder in its bucket.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "hashtable/hash.hpp"
#include "hashtable/partition/multiplicative_cut.hpp"

namespace mxk {
namespace {

using Placement = MultiplicativePlacement;

// Some that are no powers of two, and the smallest number allowed.
std::vector<std::pair<std::size_t, std::size_t>> buckets_and_regions() {
    return {{1, 1},     {65536, 1}, {65537, 1},  {100003, 1},  {1 << 20, 1}, {1 << 20, 2},
            {65539, 3}, {99999, 7}, {131072, 8}, {300000, 17}, {70000, 255}, {70000, 70000}};
}

TEST(MultiplicativeCut, regions_are_equal_and_complete) {
    for (auto const& [buckets, regions] : buckets_and_regions()) {
        MultiplicativeCut const cut(buckets, regions);
        EXPECT_GE(cut.bucket_count(), std::max<std::size_t>(buckets, 65536));
        EXPECT_LT(cut.bucket_count(), std::max<std::size_t>(buckets, 65536) + regions);
        std::size_t sum = 0;
        for (std::size_t i = 0; i < regions; ++i) {
            EXPECT_GE(cut.buckets_in(i), cut.bucket_count() / regions);
            EXPECT_LE(cut.buckets_in(i), (cut.bucket_count() + regions - 1) / regions);
            sum += cut.buckets_in(i);
        }
        EXPECT_EQ(sum, cut.bucket_count());
    }
}

// The definition, with whole numbers of 192 bits: h is the hash; h r / 2^64 is region and fraction.
TEST(MultiplicativeCut, places_keys_as_defined) {
    __extension__ using Wide = unsigned __int128;
    std::mt19937_64 random(1);
    for (auto const& [buckets, regions] : buckets_and_regions()) {
        MultiplicativeCut const cut(buckets, regions);
        for (int i = 0; i < 2000; ++i) {
            std::uint64_t const key = i < 1000 ? random() : static_cast<std::uint64_t>(i - 1000);
            std::uint64_t const hash = MixedHash()(key);
            Wide const product = Wide{hash} * regions;
            auto const region = static_cast<std::size_t>(product >> 64);
            ASSERT_LT(region, regions);
            ASSERT_EQ(cut.owner(key), region);
            std::size_t const bucket = cut.placement(region)(key);
            EXPECT_EQ(bucket, static_cast<std::size_t>(
                                  Wide{static_cast<std::uint64_t>(product)} * cut.buckets_in(region) >> 64));
            EXPECT_LT(bucket, cut.buckets_in(region));
            EXPECT_EQ(Placement::hash(key), hash);
        }
    }
}

// All keys of a region, bucket by bucket, from bucket and remainder alone.
TEST(MultiplicativeCut, bucket_and_remainder_give_the_key) {
    std::mt19937_64 random(2);
    for (auto const& [buckets, regions] : buckets_and_regions()) {
        MultiplicativeCut const cut(buckets, regions);
        for (std::size_t const region : std::set<std::size_t>{0, regions / 2, regions - 1}) {
            Placement const placement = cut.placement(region);
            std::vector<std::vector<std::uint64_t>> keys(cut.buckets_in(region));
            for (std::size_t found = 0, i = 0; found < 20000 && i < 1000000; ++i) {
                std::uint64_t const key = i % 2 != 0 ? random() : i;
                if (cut.owner(key) != region) continue;
                keys[placement(key)].push_back(key);
                ++found;
            }
            Placement::Inverse inverse(placement);
            for (std::size_t bucket = 0; bucket < keys.size(); ++bucket) {
                if (bucket > 0) inverse.next_bucket();
                for (std::uint64_t const key : keys[bucket])
                    ASSERT_EQ(inverse.key(Placement::hash(key) & Placement::remainder_mask), key);
            }
        }
    }
}

// The first and the last h of each bucket, where rounding errors would show.
TEST(MultiplicativeCut, the_ends_of_buckets_are_exact) {
    for (auto const& [buckets, regions] : buckets_and_regions()) {
        MultiplicativeCut const cut(buckets, regions);
        std::size_t const region = regions / 3;
        Placement const placement = cut.placement(region);
        auto const is_before = [&](std::uint64_t hash, std::size_t bucket) { // in the order of regions and buckets
            std::uint64_t const key = MixedHash::inverse(hash);
            return cut.owner(key) < region || (cut.owner(key) == region && placement(key) < bucket);
        };
        Placement::Inverse inverse(placement);
        for (std::size_t bucket = 0; bucket < cut.buckets_in(region); ++bucket) {
            if (bucket > 0) inverse.next_bucket();
            std::uint64_t first = 0; // the smallest that is not before
            for (std::uint64_t step = std::uint64_t{1} << 63; step != 0; step /= 2)
                if (is_before(first + step - 1, bucket)) first += step;
            ASSERT_EQ(inverse.key(first & Placement::remainder_mask), MixedHash::inverse(first));
            std::uint64_t const last = first + UINT64_MAX / (cut.buckets_in(region) * regions) - 1;
            ASSERT_EQ(placement(MixedHash::inverse(last)), bucket);
            ASSERT_EQ(inverse.key(last & Placement::remainder_mask), MixedHash::inverse(last));
        }
    }
}

// How unevenly keys fall into places: the chi-square of equal shares, in standard deviations from what chance gives.
double unevenness(std::vector<std::size_t> const& counts, std::size_t keys) {
    double const share = static_cast<double>(keys) / static_cast<double>(counts.size());
    double sum = 0;
    for (std::size_t const count : counts)
        sum += (static_cast<double>(count) - share) * (static_cast<double>(count) - share) / share;
    auto const degrees = static_cast<double>(counts.size() - 1);
    return (sum - degrees) / std::sqrt(2 * degrees);
}

using Sequence = std::function<std::uint64_t(std::uint64_t)>;

struct Spread {
    std::vector<std::size_t> in_region;
    std::vector<std::vector<std::size_t>> in_bucket; // by region
};

constexpr std::size_t keys_used = 400000;

Spread spread(MultiplicativeCut const& cut, std::size_t regions, Sequence const& sequence) {
    Spread result{std::vector<std::size_t>(regions), std::vector<std::vector<std::size_t>>(regions)};
    std::vector<Placement> placements;
    for (std::size_t i = 0; i < regions; ++i) {
        result.in_bucket[i].resize(cut.buckets_in(i));
        placements.push_back(cut.placement(i));
    }
    for (std::uint64_t i = 1; i <= keys_used; ++i) {
        std::size_t const region = cut.owner(sequence(i));
        ++result.in_region[region];
        ++result.in_bucket[region][placements[region](sequence(i))];
    }
    return result;
}

// Of chi squared's standard deviations: with one degree of freedom 13 are as rare as 5 are with many (1 in 10^5).
double max_unevenness(std::size_t cells) {
    return cells < 16 ? 13 : 5;
}

// No more uneven than random ones.
TEST(MultiplicativeCut, keys_in_sequence_spread_evenly_over_regions_and_buckets) {
    std::mt19937_64 random(3);
    std::vector<Sequence> const sequences{
        [](std::uint64_t i) { return i; }, [](std::uint64_t i) { return (std::uint64_t{1} << 40) - i; },
        [](std::uint64_t i) { return i << 32; }, [&](std::uint64_t) { return random(); }};
    for (auto const& [buckets, regions] : buckets_and_regions()) {
        if (regions > 255) continue; // too few keys for each
        for (Sequence const& sequence : sequences) {
            Spread const found = spread(MultiplicativeCut(buckets, regions), regions, sequence);
            if (regions > 1) {
                EXPECT_LT(unevenness(found.in_region, keys_used), max_unevenness(regions));
            }
            for (std::size_t i = 0; i < regions; ++i)
                EXPECT_LT(unevenness(found.in_bucket[i], found.in_region[i]),
                          max_unevenness(found.in_bucket[i].size()));
        }
    }
}

// Steps that the constant is not made for: keys crowd together, but without end nowhere.
TEST(MultiplicativeCut, keys_in_steps_spread_over_regions_and_buckets) {
    for (auto const& [buckets, regions] : buckets_and_regions()) {
        if (regions > 255) continue;
        MultiplicativeCut const cut(buckets, regions);
        double const fair = static_cast<double>(keys_used) / static_cast<double>(regions);
        for (std::uint64_t const step : {2U, 3U, 8U, 24U, 64U, 100U, 1000U, 4096U, 65536U, 1000003U}) {
            Spread const found = spread(cut, regions, [&](std::uint64_t i) { return i * step; });
            std::size_t const share = keys_used / cut.bucket_count() + 1;
            for (std::size_t i = 0; i < regions; ++i) {
                EXPECT_NEAR(static_cast<double>(found.in_region[i]), fair, fair / 10);
                EXPECT_LE(*std::max_element(found.in_bucket[i].begin(), found.in_bucket[i].end()), 20 * share) << step;
            }
        }
    }
}

} // namespace
} // namespace mxk

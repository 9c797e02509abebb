// A Bucketed table of its own for tests, keys for any of its buckets, and what must hold for it at any time.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "hashtable/layout/bucketed.hpp"

namespace mxk::test {

// Memory must be configured (memory_fixture.hpp) before a bucket overflows.
struct StandaloneBucketed {
    static constexpr std::size_t buckets = 65536; // as few as there may be

    StandaloneBucketed()
        : lines(buckets)
        , table(lines, MultiplicativePlacement(buckets), node_id(0)) {}

    // Key `number` (from 0, less than 2^48) of those that belong to a bucket: the first 16 bits of the hash are the
    // bucket, and the rest may be anything. Not 0 but for number 0 of bucket 0.
    static constexpr std::uint64_t key_in(std::uint64_t bucket, std::uint64_t number) {
        return MixedHash::inverse(bucket << 48 | number);
    }

    using Pairs = std::map<std::uint64_t, std::uint64_t>;

    // All pairs, each in its bucket and none twice; the table's counts agree with them.
    [[nodiscard]] Pairs pairs() const {
        Pairs found;
        std::vector<std::size_t> in_bucket(buckets);
        table.for_each([&](std::size_t bucket, std::uint64_t key, std::uint64_t value) {
            EXPECT_EQ(table.line_of(key), &lines[bucket]);
            EXPECT_TRUE(found.emplace(key, value).second) << "twice: " << key;
            ++in_bucket[bucket];
        });
        EXPECT_EQ(found.size(), table.size());
        std::size_t behind = 0;
        for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
            auto const in_first = static_cast<std::size_t>(std::popcount(lines[bucket].link() & PairLine::all_places));
            behind += (in_bucket[bucket] - in_first + PairLine::places - 1) / PairLine::places; // no more than needed
        }
        EXPECT_EQ(table.lines_behind(), behind);
        return found;
    }

    std::vector<PairLine> lines;
    Bucketed table;
};

} // namespace mxk::test

// A Bucketed table of its own for tests, and what must hold for it at any time.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hashtable/bucketed.hpp"

namespace mxk::test {

// Memory must be configured (memory_fixture.hpp) before a bucket overflows.
struct StandaloneBucketed {
    explicit StandaloneBucketed(std::size_t buckets)
        : lines(buckets)
        , table(lines, MultiplicativePlacement(buckets), node_id(0)) {}

    using Pairs = std::map<std::uint64_t, std::uint64_t>;

    // All pairs, each in its bucket and none twice; the counts of the table and of its lines agree with them.
    [[nodiscard]] Pairs pairs() const {
        Pairs found;
        std::vector<std::size_t> in_bucket(lines.size());
        table.for_each([&](std::size_t bucket, std::uint64_t key, std::uint64_t value) {
            EXPECT_EQ(table.line_of(key), &lines[bucket]);
            EXPECT_TRUE(found.emplace(key, value).second) << "twice: " << key;
            ++in_bucket[bucket];
        });
        EXPECT_EQ(found.size(), table.size());
        std::size_t behind = 0;
        for (std::size_t bucket = 0; bucket < lines.size(); ++bucket) {
            std::size_t in_first = 0;
            for (std::uint64_t const key : lines[bucket].keys) in_first += key != 0 ? 1 : 0;
            behind += (in_bucket[bucket] - in_first + PairLine::places - 1) / PairLine::places; // no more than needed
        }
        EXPECT_EQ(table.lines_behind(), behind);
        return found;
    }

    std::vector<PairLine> lines;
    Bucketed table;
};

} // namespace mxk::test

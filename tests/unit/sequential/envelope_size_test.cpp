#include "tasks/dataflow/graph/envelope_size.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mxk::dataflow {
namespace {

// `threads` hardware threads for each of `physical` cores; `sharing` physical cores have a second-level cache.
std::vector<topology::Core> machine(unsigned physical, unsigned threads, unsigned sharing, std::uint64_t bytes) {
    std::vector<topology::Core> cores;
    for (unsigned thread = 0; thread < threads; ++thread)
        for (unsigned core = 0; core < physical; ++core) {
            auto const id = static_cast<std::uint32_t>(cores.size());
            topology::Core added{core_id(id), ApicId{id}, NodeId{}, id};
            added.levels.physical_core = core;
            added.levels.package = 0;
            added.levels.caches[1] = {.domain = core / sharing, .bytes = bytes};
            cores.push_back(added);
        }
    return cores;
}

// Falt 2010, table 4.1: the rule gives 200 kB on all four machines.
TEST(EnvelopeSize, IsThatOfTheThesisOnItsMachines) {
    EXPECT_EQ(recommended_bytes(machine(2, 1, 2, 6 * MiB)), max_recommended_bytes); // Windows-2
    EXPECT_EQ(recommended_bytes(machine(8, 1, 2, 4 * MiB)), max_recommended_bytes); // Linux-8
    EXPECT_EQ(recommended_bytes(machine(24, 1, 1, 512 * KiB)), max_recommended_bytes);
    EXPECT_EQ(recommended_bytes(machine(24, 2, 1, 256 * KiB)), max_recommended_bytes); // hardware threads count once
}

TEST(EnvelopeSize, IsAShareOfACacheThatPhysicalCoresShare) {
    EXPECT_EQ(recommended_bytes(machine(4, 1, 2, 256 * KiB)), 128 * KiB);
    EXPECT_EQ(recommended_bytes(machine(8, 2, 4, 256 * KiB)), 64 * KiB);
    EXPECT_EQ(recommended_bytes(machine(1, 1, 1, 128 * KiB)), 128 * KiB);
}

TEST(EnvelopeSize, IsThatOfTheSmallestCacheWhereTheyDiffer) {
    auto cores = machine(4, 1, 1, 1 * MiB);
    cores[3].levels.caches[1].bytes = 100 * KiB;
    EXPECT_EQ(recommended_bytes(cores), 100 * KiB);
}

TEST(EnvelopeSize, IsTheMaximumWhereTheProcessorDoesNotSay) {
    auto cores = machine(2, 1, 1, 64 * KiB);
    for (topology::Core& core : cores) core.levels = {};
    EXPECT_EQ(recommended_bytes(cores), max_recommended_bytes);
    EXPECT_EQ(recommended_bytes({}), max_recommended_bytes);
}

TEST(EnvelopeSize, CountsEachHardwareThreadWherePhysicalCoresAreUnknown) {
    auto cores = machine(2, 2, 2, 256 * KiB);
    for (topology::Core& core : cores) core.levels.physical_core = unknown_domain;
    EXPECT_EQ(recommended_bytes(cores), 64 * KiB);
}

TEST(EnvelopeSize, ThereIsAlwaysARow) {
    EXPECT_EQ(rows_in(200 * KiB, 8), 25'600U);
    EXPECT_EQ(rows_in(100, 30), 3U);
    EXPECT_EQ(rows_in(100, 30, 11), 2U);
    EXPECT_EQ(rows_in(100, 101), 1U);
    EXPECT_EQ(rows_in(100, 30, 100), 1U);
    EXPECT_EQ(rows_in(100, 30, 200), 1U);
    EXPECT_EQ(rows_in(100, 0), 1U);
    EXPECT_EQ(rows_or_recommended(7, 8), 7U);
}

} // namespace
} // namespace mxk::dataflow

// Distances between nodes by what was measured.
#include <array>

#include <gtest/gtest.h>

#include "bench/dataflow/node_distances.hpp"

namespace mxk::bench {
namespace {

// The thesis' Linux-4x6 has 13 on the diagonal where memory is slower than another node's: 10 is the shortest of all.
TEST(NodeDistances, TheShortestTimeIsTenAndTheOthersAreByIt) {
    constexpr std::array times{130.0, 190.0, 160.0, 100.0};
    constexpr std::array<std::uint8_t, 4> firmware{10, 20, 20, 10};
    std::array<std::uint8_t, 4> distances{};
    distances_by_times(times, firmware, distances);
    EXPECT_EQ(distances, (std::array<std::uint8_t, 4>{13, 19, 16, 10}));
}

TEST(NodeDistances, WhatIsNotMeasuredIsTheFirmwares) {
    constexpr std::array times{0.0, 50.0, 0.0, 54.0};
    constexpr std::array<std::uint8_t, 4> firmware{10, 31, 42, 11};
    std::array<std::uint8_t, 4> distances{};
    distances_by_times(times, firmware, distances);
    EXPECT_EQ(distances, (std::array<std::uint8_t, 4>{10, 10, 42, 11}));
}

TEST(NodeDistances, HasNoNumberForUnreachable) {
    constexpr std::array times{1.0, 1e6};
    constexpr std::array<std::uint8_t, 2> firmware{};
    std::array<std::uint8_t, 2> distances{};
    distances_by_times(times, firmware, distances);
    EXPECT_EQ(distances, (std::array<std::uint8_t, 2>{10, 254}));
}

} // namespace
} // namespace mxk::bench

// Loads that overlap: each chain of a group, and the walk that can be foreseen, comes to each line once, or is found
// out.
#include "bench/machine/overlap.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mxk::bench::test {
namespace {

struct alignas(cache_line_bytes) CacheLine {
    std::uint64_t words[cache_line_bytes / sizeof(std::uint64_t)];
};

ChaseLayout room_in(std::vector<CacheLine>& lines) {
    return {reinterpret_cast<std::byte*>(lines.data()), lines.size()};
}

std::span<std::uint64_t> words_of(std::vector<CacheLine>& lines) {
    return {lines.front().words, lines.size() * std::size(lines.front().words)};
}

TEST(ChainGroup, has_chains_of_equal_length_that_are_followed_to_their_ends) {
    for (std::size_t const chains : {1U, 2U, 4U, 8U, 16U, 32U}) {
        for (std::size_t const each : {1U, 2U, 3U, 16U}) {
            std::vector<CacheLine> lines(chains * each + chains - 1); // what is left over belongs to none
            ChainGroup group(room_in(lines), chains);
            group.link(1);
            EXPECT_EQ(group.loads(), chains * each);
            for (int lap = 0; lap < 3; ++lap) group.follow();
            EXPECT_TRUE(group.verified()) << chains << " chains of " << each;
        }
    }
}

TEST(ChainGroup, finds_out_that_a_chain_is_not_one_cycle) {
    for (std::size_t const broken : {0U, 3U}) {
        std::vector<CacheLine> lines(64);
        ChainGroup group(room_in(lines), 4);
        group.link(1);
        // The first place of one of the four chains is followed by itself.
        ChaseLayout::Place* const place = room_in(lines).place(broken * 16);
        place->next = place;
        group.follow();
        EXPECT_FALSE(group.verified());
    }
}

TEST(PrefetchedWalk, comes_to_each_line_once_at_any_distance) {
    for (std::size_t const places : {2U, 4U, 64U, 1024U}) {
        std::vector<CacheLine> lines(places);
        PrefetchedWalk walk(words_of(lines), places);
        walk.write();
        EXPECT_EQ(walk.loads(), places);
        for (std::size_t const distance : {0U, 1U, 5U, 100U}) walk.follow(distance);
        EXPECT_TRUE(walk.verified());
    }
}

TEST(PrefetchedWalk, finds_out_that_a_line_has_what_it_was_not_given) {
    for (std::size_t const wrong : {0U, 1U, 33U, 63U}) {
        std::vector<CacheLine> lines(64);
        PrefetchedWalk walk(words_of(lines), lines.size());
        walk.write();
        lines[wrong].words[0] ^= 2;
        walk.follow(1);
        EXPECT_FALSE(walk.verified()) << wrong;
    }
}

} // namespace
} // namespace mxk::bench::test

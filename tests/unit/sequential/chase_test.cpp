// Chains of loads: one cycle over all places, and a chain that is not one is found out.
#include "bench/machine/chase.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace mxk::bench::test {
namespace {

struct alignas(4096) Page {
    std::byte bytes[4096];
};

class Room {
  public:
    Room(std::size_t count, std::size_t stride = cache_line_bytes)
        : pages_(count * stride / sizeof(Page) + 1)
        , room_{pages_.front().bytes, count, stride} {}

    operator ChaseLayout const&() const { return room_; }
    ChaseLayout const* operator->() const { return &room_; }

  private:
    std::vector<Page> pages_;
    ChaseLayout room_;
};

// After how many steps each place comes back to the first one, if all lie in the room and none comes twice.
std::size_t cycle_length(ChaseLayout const& room) {
    std::set<ChaseLayout::Place*> places;
    for (std::size_t at = 0; at < room.count; ++at) places.insert(room.place(at));
    EXPECT_EQ(places.size(), room.count);
    std::size_t steps = 0;
    ChaseLayout::Place* place = room.place(0);
    do {
        EXPECT_EQ(places.erase(place), 1U) << "a place outside, or one that came before";
        place = place->next;
        ++steps;
    } while (place != room.place(0) && steps <= room.count);
    return steps;
}

bool is_verified(ChaseLayout const& room, std::size_t loads = 1) {
    ChaseRun run(room, loads);
    while (run.advance()) {
    }
    EXPECT_GE(run.timed_loads(), loads);
    return run.verified();
}

TEST(Chase, is_one_cycle_over_all_places) {
    for (std::size_t const count : {1U, 2U, 3U, 5U, 16U, 17U, 64U, 96U, 1000U, 4096U}) {
        for (std::size_t const stride : {64U, 128U, 4096U}) {
            Room const room(count, stride);
            link_places(room, count);
            EXPECT_EQ(cycle_length(room), count) << "stride " << stride;
            EXPECT_TRUE(is_verified(room));
        }
    }
}

TEST(Chase, is_in_another_order_for_another_seed) {
    auto const order = [](std::uint64_t seed) {
        Room const room(64);
        link_places(room, seed);
        std::vector<std::ptrdiff_t> result;
        ChaseLayout::Place* place = room->place(0);
        for (std::size_t step = 0; step < 64; ++step) {
            result.push_back(reinterpret_cast<std::byte*>(place) - room->start);
            place = place->next;
        }
        return result;
    };
    EXPECT_EQ(order(1), order(1));
    EXPECT_NE(order(1), order(2));
    EXPECT_FALSE(std::is_sorted(order(1).begin(), order(1).end()));
}

TEST(Chase, places_lie_in_all_lines_of_their_strides) {
    Room const room(128, 4096);
    std::set<std::size_t> lines;
    for (std::size_t at = 0; at < 128; ++at) {
        auto const offset = static_cast<std::size_t>(reinterpret_cast<std::byte*>(room->place(at)) - room->start);
        EXPECT_EQ(offset / 4096, at);
        EXPECT_EQ(offset % cache_line_bytes, 0U);
        lines.insert(offset % 4096);
    }
    EXPECT_EQ(lines.size(), 64U);
}

// Two cycles of half the places each; of a third; a path that never comes back; one that skips a place.
TEST(Chase, that_is_not_one_cycle_is_not_verified) {
    constexpr std::size_t count = 96;
    Room const room(count);
    auto const link_cycles = [&](std::size_t length) {
        for (std::size_t at = 0; at < count; ++at)
            room->place(at)->next = room->place(at / length * length + (at + 1) % length);
    };
    for (std::size_t const length : {96U, 48U, 32U, 16U, 6U, 2U, 1U}) {
        link_cycles(length);
        EXPECT_EQ(is_verified(room), length == count) << length;
    }
    link_places(room, 1);
    EXPECT_TRUE(is_verified(room));
    room->place(17)->next = room->place(17)->next->next;
    EXPECT_FALSE(is_verified(room)) << "a place is left out";
    link_places(room, 1);
    room->place(17)->next = room->place(17);
    EXPECT_FALSE(is_verified(room)) << "nothing comes after a place";
}

TEST(Chase, times_as_many_loads_as_it_was_told) {
    Room const room(100);
    link_places(room, 1);
    ChaseRun run(room, 1001);
    while (run.advance()) {
    }
    EXPECT_EQ(run.timed_loads(), 1100U) << "whole laps";
    EXPECT_TRUE(run.verified());
    EXPECT_GT(run.median_cycles(), 0);
}

// From 2^20 places on the lap that is checked is the one that is timed.
TEST(Chase, a_long_lap_is_timed_and_checked_at_once) {
    Room const room(std::size_t{3} << 19);
    link_places(room, 1);
    ChaseRun run(room, 1);
    EXPECT_TRUE(run.advance());
    EXPECT_FALSE(run.verified()) << "before its end nothing is known";
    while (run.advance()) {
    }
    EXPECT_EQ(run.timed_loads(), room->count);
    EXPECT_TRUE(run.verified());
    room->place(5)->next = room->place(5);
    EXPECT_FALSE(is_verified(room));
}

TEST(CycleCheckpoints, are_by_the_prime_factors) {
    auto const marks = [](std::size_t count) {
        auto const all = CycleCheckpoints::of(count);
        return std::vector<std::size_t>(all.steps().begin(), all.steps().end());
    };
    using Steps = std::vector<std::size_t>;
    EXPECT_EQ(marks(1), Steps{});
    EXPECT_EQ(marks(2), Steps{1});
    EXPECT_EQ(marks(64), Steps{32});
    EXPECT_EQ(marks(96), (Steps{32, 48}));
    EXPECT_EQ(marks(97), Steps{1});
    EXPECT_EQ(marks(2 * 3 * 5 * 7), (Steps{30, 42, 70, 105}));
    EXPECT_EQ(marks(std::size_t{1} << 40), Steps{std::size_t{1} << 39});
}

} // namespace
} // namespace mxk::bench::test

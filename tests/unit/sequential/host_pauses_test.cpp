// Which operations of an open load were late because the host had a core: replayed turns, made-up interruptions.
#include <utility>

#include <gtest/gtest.h>

#include "bench/workload/host_pauses.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::bench {
namespace {

// Times are told in thousands of time stamps: the ends of operations are noted no more exactly.
constexpr std::uint64_t thousand = 1024;
constexpr Cycles at(std::uint64_t time) {
    return Cycles{time * thousand};
}

std::uint64_t interruptions = 0;
std::uint64_t after_reading = 0; // more of them, once the count has been read
std::uint64_t time_of_reading = 0;
std::uint64_t stolen = 0; // time in which the core's thread did not run

class HostPausesTest : public test::MemoryTest {
  protected:
    static constexpr std::uint64_t limit = 100;

    void SetUp() override {
        configure({16 * MiB});
        interruptions = 7;
        time_of_reading = 1000;
        stolen = 0;
        cores = PerCore<HostPauses>::with_room(2, node_id(0)).value();
    }
    void TearDown() override {
        cores = {};
        MemoryTest::TearDown();
    }
    HostPauses& add(std::size_t room = 100) {
        auto pauses = HostPauses::create(node_id(0), at(limit), room, &read).value();
        HostPauses& added = *cores.add(node_id(0), std::move(pauses)).value();
        time_of_reading = 1000;
        added.begin(at(1000));
        return added;
    }
    static HostPauses::Reading read() {
        HostPauses::Reading const reading{{interruptions, at(time_of_reading - stolen)}, at(time_of_reading)};
        interruptions += std::exchange(after_reading, 0);
        return reading;
    }
    // The core takes a turn at that time; if it looks, it has done so by `looked`. Returns the time that it goes by.
    static std::uint64_t turn(HostPauses& core, std::uint64_t now, std::uint64_t looked) {
        time_of_reading = looked;
        return raw(core.turn(at(now))) / thousand;
    }
    static void turn(HostPauses& core, std::uint64_t now) { turn(core, now, now); }
    // An operation of `core` that was due then and ended then.
    void end(HostPauses& core, std::uint64_t due, std::uint64_t ended) {
        all.add((ended - due) * thousand);
        core.ended(at(ended), static_cast<std::uint32_t>((ended - due) * thousand));
    }
    [[nodiscard]] HostDelay delay() const { return HostDelay::of(cores, all); }

    PerCore<HostPauses> cores;
    Histogram all;
};

TEST_F(HostPausesTest, without_an_interruption_a_long_turn_is_the_programs_own) {
    HostPauses& core = add();
    turn(core, 1050);
    turn(core, 2000);
    core.caught_up(at(2100));
    end(core, 1100, 2050);
    EXPECT_EQ(delay().pauses, 0U);
    ASSERT_TRUE(delay().rest);
    EXPECT_EQ(delay().rest->count(), 1U);
}

TEST_F(HostPausesTest, an_interruption_that_was_short_is_no_pause_also_of_a_later_long_turn) {
    HostPauses& core = add();
    std::uint64_t now = 1000;
    ++interruptions;
    for (int i = 0; i < 64; ++i) turn(core, now += 10); // looks at the 64th
    turn(core, now + 500);
    EXPECT_TRUE(core.pauses().empty());
}

TEST_F(HostPausesTest, a_core_that_is_taken_away_while_it_looks_has_a_pause) {
    for (bool const was_counted : {true, false}) {
        HostPauses& core = add();
        std::uint64_t now = 1000;
        for (int i = 0; i < 63; ++i) turn(core, now += 10);
        ++(was_counted ? interruptions : after_reading);
        EXPECT_EQ(turn(core, now + 10, now + 500), now + 500) << "looks at the 64th";
        core.caught_up(at(now + 500));
        turn(core, now + 510);
        ASSERT_EQ(core.pauses().size(), 1U);
        EXPECT_EQ(core.pauses().front().start, raw(at(now)));
        EXPECT_EQ(core.pauses().front().end, raw(at(now + 500)));
    }
}

TEST_F(HostPausesTest, what_a_hypervisor_takes_shows_only_in_the_time_that_the_core_ran) {
    HostPauses& core = add();
    turn(core, 1050);
    stolen += 600;
    turn(core, 1700);
    core.caught_up(at(1710));
    turn(core, 1720);
    stolen += 99; // of 650: the program's own
    turn(core, 2370);
    ASSERT_EQ(core.pauses().size(), 1U);
    EXPECT_EQ(core.pauses().front().start, raw(at(1050)));
}

TEST_F(HostPausesTest, a_core_that_is_taken_away_when_it_begins_or_ends_has_a_pause) {
    HostPauses& core = *cores.add(node_id(0), HostPauses::create(node_id(0), at(limit), 10, &read).value()).value();
    time_of_reading = 1500; // already counted when it asks for the first time
    core.begin(at(1000));
    turn(core, 1510);
    core.caught_up(at(1520));
    ++interruptions;
    time_of_reading = 2500;
    core.finish(at(2500));
    ASSERT_EQ(core.pauses().size(), 2U);
    EXPECT_EQ(core.pauses().front().start, raw(at(1000)));
    EXPECT_EQ(core.pauses().front().end, raw(at(1520)));
    EXPECT_EQ(core.pauses().back().start, raw(at(1510)));
    EXPECT_EQ(core.pauses().back().end, raw(at(2500)));
}

TEST_F(HostPausesTest, what_a_pause_touched_until_the_core_had_caught_up_is_left_out_on_all_cores) {
    HostPauses& paused = add();
    HostPauses& other = add();
    turn(paused, 1010);
    ++interruptions;
    turn(paused, 3000); // from 1010 on
    turn(paused, 3050); // still behind
    paused.caught_up(at(3500));
    end(paused, 1005, 1009); // before: quick
    end(paused, 2000, 3010); // due while it was away
    end(paused, 3300, 3450); // due while it was behind
    end(other, 1500, 3020);  // waited at the core that was away
    end(paused, 3500, 3700); // slow by itself, afterwards
    end(other, 600, 1005);   // slow by itself, before
    end(other, 3400, 3410);  // quick
    HostDelay const found = delay();
    EXPECT_EQ(found.pauses, 1U);
    EXPECT_EQ(raw(found.time), raw(at(3500 - 1010)));
    ASSERT_TRUE(found.rest);
    EXPECT_EQ(found.rest->count(), 4U);
    EXPECT_GE(found.rest->max(), raw(at(405)));
    EXPECT_LT(found.rest->max(), raw(at(450))) << "the slowest that is left took 405";
}

TEST_F(HostPausesTest, a_core_that_never_catches_up_is_behind_to_the_end) {
    HostPauses& core = add();
    ++interruptions;
    turn(core, 2000);
    end(core, 1900, 5000);
    core.finish(at(5000));
    EXPECT_EQ(raw(delay().time), raw(at(4000)));
    EXPECT_EQ(delay().rest->count(), 0U);
}

TEST_F(HostPausesTest, what_cannot_be_told_apart_is_not_known) {
    HostPauses& core = add(1);
    end(core, 1000, 1200);
    end(core, 1000, 1200);
    EXPECT_TRUE(delay().rest) << "nothing was touched";
    ++interruptions;
    turn(core, 2000);
    core.finish(at(2000));
    EXPECT_EQ(delay().pauses, 1U);
    EXPECT_FALSE(delay().rest);
}

TEST_F(HostPausesTest, more_pauses_than_there_is_room_for_are_one_with_the_last) {
    HostPauses& core = add();
    std::uint64_t now = 1000;
    for (std::size_t i = 0; i < HostPauses::max_pauses + 5; ++i) {
        ++interruptions;
        turn(core, now += 1000);
        core.caught_up(at(now += 10));
    }
    EXPECT_EQ(core.pauses().size(), HostPauses::max_pauses);
    EXPECT_EQ(core.pauses().back().end, raw(at(now)));
}

} // namespace
} // namespace mxk::bench

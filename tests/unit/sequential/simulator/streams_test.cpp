// The prefetcher of a simulated core: what it asks for, and what it hides.
#include "tools/simulator/model/streams.hpp"

#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

std::uint64_t wanted(Streams& streams, LineNumber number) {
    Streams::Lines const lines = streams.missed(number);
    return lines.end - lines.begin;
}

TEST(Streams, begin_with_the_third_line_and_stay_so_far_ahead) {
    Streams streams(2, 8);
    EXPECT_EQ(wanted(streams, 640), 0U);
    EXPECT_EQ(wanted(streams, 641), 0U);
    Streams::Lines const first = streams.missed(642);
    EXPECT_EQ(first.begin, 643U);
    EXPECT_EQ(first.end, 651U);
    Streams::Lines const next = streams.missed(643);
    EXPECT_EQ(next.begin, 651U);
    EXPECT_EQ(next.end, 652U);
}

TEST(Streams, end_with_the_page) {
    Streams streams(1, 8);
    for (LineNumber number = 640; number != 698; ++number) streams.missed(number);
    for (LineNumber number = 698; number != 704; ++number)
        EXPECT_EQ(wanted(streams, number), 0U) << "all of it is asked for";
    Streams::Lines const next = streams.missed(704); // the next page
    EXPECT_EQ(next.begin, 705U);
    EXPECT_EQ(next.end, 713U);
}

TEST(Streams, are_followed_as_many_at_a_time_as_there_is_room_for) {
    for (unsigned const streams_count : {2U, 3U}) {
        Streams streams(streams_count, 4);
        std::uint64_t asked = 0;
        for (LineNumber step = 0; step != 10; ++step)
            for (LineNumber const begin : {6400U, 12800U, 19200U}) asked += wanted(streams, begin + step);
        EXPECT_EQ(asked > 0, streams_count == 3);
    }
    Streams none(0, 4);
    for (LineNumber number = 640; number != 650; ++number) EXPECT_EQ(wanted(none, number), 0U);
}

Keys const with_streams = {{"core.prefetch_streams", "4"}, {"core.prefetch_distance", "8"}};

/// Cycles per load of a walk in which each load waits for the one before.
double walk(Keys const& changes, std::vector<std::uint64_t> const& addresses) {
    Simulation simulation(changes);
    for (std::uint64_t const address : addresses) simulation.load(0, address, true);
    return simulation.cycles_of(0) / static_cast<double>(addresses.size());
}

TEST(Streams, hide_what_lies_line_after_line_and_nothing_else) {
    constexpr std::uint64_t bytes = std::uint64_t{4} << 20;
    std::vector<std::uint64_t> in_order;
    for (std::uint64_t at = 0; at != bytes; at += Machine::line_bytes) in_order.push_back(at);
    double const latency = in_cycles(made_up_machine().memory_latency[0]);
    expect_about(walk({}, in_order), latency, "without a prefetcher");
    // A line is asked for eight loads before: a load takes an eighth of the latency, but at the begin of a page.
    double const hidden = walk(with_streams, in_order);
    EXPECT_LT(hidden, latency / 4);
    EXPECT_GT(hidden, latency / 9);
    std::vector<std::uint64_t> const scattered = scattered_lines(0, bytes);
    expect_about(walk(with_streams, scattered), walk({}, scattered), "in random order");
}

TEST(Streams, move_no_line_twice) {
    constexpr std::uint64_t bytes = std::uint64_t{1} << 18; // as much as the second level holds
    Simulation simulation(with_streams);
    for (std::uint64_t at = 0; at != bytes; at += Machine::line_bytes) simulation.load(0, at, true);
    std::uint64_t const moved = simulation.memory.fabric().traffic(0, 0);
    EXPECT_GE(moved, bytes);
    EXPECT_LE(moved, bytes + 8 * Machine::line_bytes) << "with a few lines of page tables";
    for (std::uint64_t at = 0; at != bytes; at += Machine::line_bytes)
        EXPECT_TRUE(simulation.memory.is_consistent(at)) << at;
}

} // namespace
} // namespace mxk::simulator

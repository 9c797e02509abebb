// Simulated bandwidth: what is booked later in time may be booked earlier in the program, and streams get what the
// machine's channels and links carry.
#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

TEST(Buffers, are_chosen_so_that_earlier_requests_find_one) {
    Buffers buffers(3);
    auto const wait = [&buffers](Time at, Time until) {
        Buffers::Booking const booking = buffers.begin(at);
        buffers.end(booking, until);
        return booking.begin - at;
    };
    EXPECT_EQ(wait(0, 100), 0U);
    EXPECT_EQ(wait(150, 300), 0U); // takes the one that was free last, so two are free from 0 on
    EXPECT_EQ(wait(10, 200), 0U);
    EXPECT_EQ(wait(20, 250), 0U);
    EXPECT_EQ(wait(30, 260), 170U); // until the first of them is free
}

TEST(Bandwidth, delays_what_does_not_fit) {
    Bandwidth channel(4); // a line takes 16 cycles
    EXPECT_EQ(channel.book(0, 64), 0U);
    EXPECT_EQ(channel.book(0, 64), cycles(16));
    EXPECT_EQ(channel.book(0, 64), cycles(32));
    EXPECT_EQ(channel.book(cycles(6400), 64), 0U);
    EXPECT_EQ(channel.bytes(), 256U);
}

TEST(Bandwidth, may_be_booked_out_of_order) {
    Bandwidth channel(4);
    for (int line = 0; line != 8; ++line) channel.book(cycles(1280), 64); // of a core that is ahead: two buckets
    EXPECT_EQ(channel.book(cycles(640), 64), 0U);                         // the past is free
    EXPECT_EQ(channel.book(cycles(1280), 64), cycles(128));               // behind the eight
}

TEST(Bandwidth, is_forgotten_when_it_is_long_past) {
    Bandwidth channel(1);
    Time const far = cycles(64) * 4096; // as far as it remembers
    channel.book(far, 64);
    EXPECT_EQ(channel.book(0, 64), 0U);
    EXPECT_EQ(channel.book(far, 64), cycles(64)); // what is booked stays
}

/// Bytes per cycle of the first `cores` cores, which each load other memory of a node, all of it once.
double stream(Simulation& simulation, unsigned cores, unsigned node) {
    constexpr std::uint64_t bytes = std::uint64_t{4} << 20;
    std::vector<std::uint64_t> at(cores);
    for (;;) {
        unsigned behind = 0; // it continues, as in the simulator
        for (unsigned core = 1; core != cores; ++core)
            if (simulation.cores[core]->now() < simulation.cores[behind]->now()) behind = core;
        if (at[behind] == bytes) break;
        for (int line = 0; line != 32; ++line, at[behind] += 64)
            simulation.load(behind, Simulation::on_node(node, behind * bytes + at[behind]), false);
    }
    std::uint64_t moved = 0;
    double last = 0;
    for (unsigned core = 0; core != cores; ++core) {
        moved += at[core];
        last = std::max(last, simulation.cycles_of(core));
    }
    return static_cast<double>(moved) / last;
}

TEST(Bandwidth, of_one_core_is_what_its_buffers_wait_for) {
    Simulation simulation;
    double const buffers = simulation.machine.core.line_fill_buffers * 64;
    expect_about(stream(simulation, 1, 0), buffers / in_cycles(simulation.machine.memory_latency[0]), "one core");
}

TEST(Bandwidth, of_memory_is_saturated_by_streams) {
    for (unsigned const cores : {3U, 4U}) {
        Simulation simulation;
        double const channels = simulation.machine.channels * 4;
        expect_about(stream(simulation, cores, 0), channels, "all channels of a node");
        double const share = static_cast<double>(simulation.memory.fabric().channel(0, 0).bytes()) /
                             static_cast<double>(simulation.memory.fabric().channel(0, 1).bytes());
        expect_about(share, 1, "both channels carry the same");
    }
}

TEST(Bandwidth, of_a_link_is_saturated_by_streams) {
    Simulation simulation(Keys{{"interconnect.bytes_per_second", "0 6e9 6e9 0"}}); // 3 bytes a cycle
    expect_about(stream(simulation, 4, 1), 3, "a link");
    Fabric const& fabric = simulation.memory.fabric();
    EXPECT_EQ(fabric.traffic(1, 0), std::uint64_t{16} << 20);
    EXPECT_EQ(fabric.traffic(0, 1), 0U);
}

TEST(Bandwidth, is_taken_by_what_is_written_back) {
    Simulation simulation;
    constexpr std::uint64_t bytes = std::uint64_t{8} << 20;
    for (std::uint64_t at = 0; at != bytes; at += 64) simulation.store(0, at);
    Machine const& machine = simulation.machine;
    // All is read to be written, and all is written back but what the caches still have.
    double const read = static_cast<double>(bytes);
    double const moved = static_cast<double>(simulation.memory.fabric().traffic(0, 0));
    expect_about(moved, 2 * read - static_cast<double>(machine.l3.bytes + machine.l2.bytes), "read and written");
    std::uint64_t of_channels = 0;
    for (unsigned number = 0; number != machine.channels; ++number)
        of_channels += simulation.memory.fabric().channel(0, number).bytes();
    EXPECT_EQ(static_cast<double>(of_channels), moved);
}

} // namespace
} // namespace mxk::simulator

// Lines that cores of a simulated machine share: what a transfer costs, who has to give a line up, the hand-over of a
// lock, false sharing, and what the line statistics say of them.
#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

constexpr std::uint64_t line = 1 << 20;

Answer access(Simulation& simulation, unsigned core, Kind kind, Time start) {
    Time const translated = start;
    return simulation.memory.access(core, Simulation::access_to(line, kind), translated, 0x100U + core);
}

/// Each has used the page before, so that translations take no time.
void warm_tlbs(Simulation& simulation) {
    for (unsigned core = 0; core != simulation.machine.cores; ++core)
        simulation.memory.access(core, Simulation::access_to(line + 4096 + 64 * core, Kind::Load), 0, 0);
}

/// Cycles per round in which two cores write the same line in turns.
double ping_pong(unsigned other) {
    Simulation simulation;
    warm_tlbs(simulation);
    constexpr int rounds = 1000;
    Time now = access(simulation, 0, Kind::Store, cycles(10000)).done;
    Time const begin = now;
    for (int round = 0; round != rounds; ++round) {
        now = access(simulation, other, Kind::Store, now).done;
        now = access(simulation, 0, Kind::Store, now).done;
    }
    return in_cycles(now - begin) / rounds;
}

TEST(SharedLines, ping_pong_is_two_transfers) {
    Machine const machine = made_up_machine();
    expect_about(ping_pong(1), 2 * in_cycles(machine.transfer_same_l3), "same node");
    expect_about(ping_pong(4), 2 * in_cycles(machine.transfer_cross_node[1]), "other node");
}

TEST(SharedLines, contended_by_cores_cost_half_a_transfer_for_each_change) {
    Simulation simulation;
    constexpr unsigned changes = 4000;
    for (unsigned change = 0; change != changes; ++change) simulation.locked(change % 4, line);
    double last = 0;
    for (unsigned core = 0; core != 4; ++core) last = std::max(last, simulation.cycles_of(core));
    Machine const& machine = simulation.machine;
    // The next one has asked before, so half of the way is left when the line is free.
    double const change = in_cycles(machine.transfer_same_l3 / 2 + machine.core.atomic - machine.l1.latency);
    expect_about(last / changes, change, "a locked instruction keeps the line for its own time");
    EXPECT_EQ(simulation.memory.lines().by_cost(1).at(0).record.transfers, changes - 1);
}

TEST(SharedLines, are_exclusive_shared_or_modified) {
    Simulation simulation;
    warm_tlbs(simulation);
    Machine const& machine = simulation.machine;
    Time now = cycles(10000);
    auto const takes = [&](unsigned core, Kind kind) {
        Time const begin = now;
        now = access(simulation, core, kind, begin).done;
        return in_cycles(now - begin);
    };
    auto const in = [](Time time) { return in_cycles(time); };
    EXPECT_EQ(takes(0, Kind::Load), in(machine.memory_latency[0]));      // exclusive
    EXPECT_EQ(takes(0, Kind::Store), 1);                                 // without a word to others
    EXPECT_EQ(takes(1, Kind::Load), in(machine.transfer_same_l3));       // modified elsewhere; shared by both now
    EXPECT_EQ(takes(2, Kind::Load), in(machine.l3.latency));             // which has it since then
    EXPECT_EQ(takes(0, Kind::Load), in(machine.l1.latency));             // who gave it has kept it
    EXPECT_EQ(takes(2, Kind::Store), in(machine.invalidate[0]));         // the others'
    EXPECT_EQ(takes(0, Kind::Load), in(machine.transfer_same_l3));       // so they have to ask
    EXPECT_EQ(takes(5, Kind::Load), in(machine.transfer_cross_node[1])); // of the L3 of the other node
    EXPECT_EQ(takes(6, Kind::Load), in(machine.l3.latency));             // its own L3 has it, too
    EXPECT_EQ(takes(0, Kind::Store), in(machine.invalidate[1]));         // the last answer is from the other node
    EXPECT_EQ(takes(6, Kind::Load), in(machine.transfer_cross_node[1])); // from core 0's cache
    EXPECT_EQ(takes(0, Kind::PrefetchForWrite), in(machine.invalidate[1]));
    EXPECT_EQ(takes(0, Kind::Store), 1);
}

TEST(SharedLines, are_written_back_once_after_they_have_been_moved) {
    auto const bytes_moved = [](Kind first) {
        Simulation simulation;
        Time const now = access(simulation, 0, first, 0).done;
        access(simulation, 1, Kind::PrefetchForWrite, now);
        for (std::uint64_t at = 0; at != 2 << 20; at += 64) // until no cache has it
            simulation.memory.access(1, Simulation::access_to(line + 4096 + at, Kind::Load), 2 * now + at, 0);
        return simulation.memory.fabric().traffic(0, 0);
    };
    EXPECT_EQ(bytes_moved(Kind::Store), bytes_moved(Kind::Load) + 64);
}

TEST(SharedLines, hand_over_a_lock) {
    Simulation simulation;
    Machine const& machine = simulation.machine;
    constexpr unsigned rounds = 1000;
    for (unsigned round = 0; round != rounds; ++round) {
        unsigned const core = round % 2 * 4; // of both nodes in turns
        simulation.load(core, line, true);   // sees that the lock is free: the release moves the line
        simulation.locked(core, line);       // takes it: the copy of the one before is invalidated
        simulation.compute(core, 500, true);
        simulation.store(core, line); // releases it
    }
    double const hand_over = in_cycles(machine.transfer_cross_node[1] + machine.invalidate[1] + machine.core.atomic -
                                       machine.l1.latency + per_cycle);
    double const last = std::max(simulation.cycles_of(0), simulation.cycles_of(4));
    expect_about(last / rounds, hand_over + 500, "transfer, invalidation, atomic instruction, store, critical section");
    CpiStack const& stack = simulation.cores[0]->stack();
    // Each core's own hand-over, and all of the other's round, is time it waits for the other's cache.
    expect_about(in_cycles(stack[Cause::OtherCore]), rounds / 2 * (2 * hand_over + 500 - 20),
                 "blamed on the other core");
}

/// Cycles per store of two cores that write in turns, so many bytes apart.
double neighbours(Simulation& simulation, std::uint64_t distance) {
    constexpr unsigned stores = 2000;
    for (unsigned store = 0; store != stores; ++store) simulation.store(store % 2, line + store % 2 * distance);
    return static_cast<double>(std::max(simulation.cycles_of(0), simulation.cycles_of(1)) / stores);
}

TEST(SharedLines, are_shared_falsely_too) {
    Simulation apart;
    EXPECT_LT(neighbours(apart, 64), 1);
    Simulation together;
    double const per_store = neighbours(together, 8);
    // The store buffer holds the last 32 of each core when the last instruction has retired.
    expect_about(per_store, in_cycles(together.machine.transfer_same_l3) / 2, "half a transfer per store");

    std::vector<LineStatistics::Line> const lines = together.memory.lines().by_cost(8);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].record.physical_address, line);
    EXPECT_EQ(lines[0].record.transfers, 1999U);
    EXPECT_EQ(lines[0].record.invalidations, 1999U);
    EXPECT_EQ(lines[0].record.lost,
              together.cores[0]->stack()[Cause::OtherCore] + together.cores[1]->stack()[Cause::OtherCore]);
    expect_about(in_cycles(lines[0].record.lost), 2 * per_store * 2000, "nearly all the time of both cores");
    ASSERT_EQ(lines[0].places.size(), 2U);
    for (Place const& place : lines[0].places) {
        EXPECT_EQ(place.offset, place.core * 8);
        EXPECT_EQ(place.bytes, 8);
        EXPECT_EQ(place.code, 0x2000U);
        EXPECT_EQ(place.reads, 0U);
        EXPECT_NEAR(static_cast<double>(place.writes), 1000, 1); // from the second core's first store on
    }
    EXPECT_TRUE(apart.memory.lines().by_cost(8).empty());
}

TEST(SharedLines, of_more_cores_than_a_directory_entry_has_bits_are_found) {
    Simulation simulation(
        {{"machine.cores", "256"}, {"l3.cores", "128"}, {"l2.bytes", "65536"}, {"core.window", "64"}});
    warm_tlbs(simulation);
    Time now = cycles(100000);
    for (unsigned core = 0; core != 256; ++core) now = access(simulation, core, Kind::Load, now).done;
    access(simulation, 200, Kind::Store, now);
    LineStatistics::Line const counted = simulation.memory.lines().by_cost(1).at(0);
    EXPECT_EQ(counted.record.physical_address, line);
    EXPECT_EQ(counted.record.invalidations, 255U);
    for (unsigned const core : {0U, 199U, 201U, 255U})
        EXPECT_NE(access(simulation, core, Kind::Load, now + cycles(10000)).source, Source::L1) << core;
}

TEST(LineStatistics, keeps_expensive_lines_when_there_are_too_many) {
    Simulation simulation;
    Directory directory;
    MemoryRange const range{0, Simulation::node_bytes, 0};
    directory.map(std::span(&range, 1));
    LineStatistics statistics(directory);
    for (unsigned time = 0; time != 40; ++time) {
        for (LineNumber other = 1000; other != 1000 + LineStatistics::max_lines / 8; ++other)
            statistics.count(other + time * 4096, 0, 1, 0, 10);
        if (time < 6) continue; // when the first are dropped, these are among the last
        for (LineNumber expensive = 1; expensive != 65; ++expensive) {
            statistics.count(expensive, 64, 1, 1, 1000);
            statistics.count(directory[expensive].statistics, {expensive, 3, 8, 4, true, false});
        }
    }
    std::vector<LineStatistics::Line> const lines = statistics.by_cost(64);
    ASSERT_EQ(lines.size(), 64U);
    for (LineStatistics::Line const& one : lines) {
        EXPECT_LT(one.record.physical_address, 65 * 64U);
        EXPECT_EQ(one.record.waited, 34'000U);
        ASSERT_EQ(one.places.size(), 1U);
        EXPECT_EQ(one.places[0].code, one.record.physical_address / 64);
        EXPECT_EQ(one.places[0].reads, 34U);
    }
    statistics.reset();
    EXPECT_TRUE(statistics.by_cost(64).empty());
}

} // namespace
} // namespace mxk::simulator

// Lines that go to the core that reads them to write them, and memory's own directory of what other nodes have.
#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

constexpr std::uint64_t migrating = 1 << 20;

/// Cycles per round in which two cores read and then write the same line, in turns.
double read_and_write_in_turns(Keys const& changes, unsigned other) {
    Simulation simulation(changes);
    constexpr int rounds = 1000;
    Time now = cycles(10000);
    auto const access = [&](unsigned core, Kind kind) {
        now = simulation.memory.access(core, Simulation::access_to(migrating, kind), now, 0).done;
    };
    Time begin = 0;
    for (int round = -10; round != rounds; ++round) {
        if (round == 0) begin = now;
        for (unsigned const core : {0U, other}) {
            access(core, Kind::Load);
            access(core, Kind::Store);
        }
    }
    return in_cycles(now - begin) / rounds;
}

TEST(MigratoryLines, cost_a_transfer_where_others_cost_an_invalidation_too) {
    Machine const machine = made_up_machine();
    for (unsigned const other : {1U, 4U}) {
        unsigned const node = machine.node_of(other);
        double const transfer = in_cycles(machine.transfer(node, 0));
        double const invalidation = in_cycles(machine.invalidate[node]);
        expect_about(read_and_write_in_turns({}, other), 2 * (transfer + invalidation + 1), "as all lines");
        expect_about(read_and_write_in_turns({{"coherence.migratory", "1"}}, other), 2 * (transfer + 1), "migratory");
    }
}

TEST(MigratoryLines, are_not_taken_from_who_has_just_got_them) {
    Simulation simulation(Keys{{"coherence.migratory", "1"}});
    Time now = cycles(10000);
    auto const access = [&](unsigned core, Kind kind) {
        return simulation.memory.access(core, Simulation::access_to(migrating, kind), now, 0);
    };
    for (unsigned const core : {0U, 1U, 0U}) {
        for (Kind const kind : {Kind::Load, Kind::Store}) access(core, kind);
        now += cycles(1000);
    }
    Time const there = access(1, Kind::Load).done;
    now += cycles(1);
    Answer const refused = access(0, Kind::Load);
    EXPECT_GT(refused.done, there);
    EXPECT_LT(refused.done, there + cycles(64));
    now = there;
    EXPECT_EQ(in_cycles(access(1, Kind::Store).done - there), 1) << "it has kept the line";
    now = refused.done;
    EXPECT_EQ(access(0, Kind::Load).source, Source::OtherCore);
    EXPECT_TRUE(simulation.memory.is_consistent(migrating));
}

TEST(MigratoryLines, stay_so_when_the_first_level_has_evicted_them) {
    Simulation simulation(Keys{{"coherence.migratory", "1"}});
    Time now = cycles(10000);
    auto const access = [&](unsigned core, std::uint64_t address, Kind kind) {
        now += cycles(1000);
        return simulation.memory.access(core, Simulation::access_to(address, kind), now, 0);
    };
    auto const evict = [&] {
        for (std::uint64_t way = 1; way != 9; ++way) access(0, migrating + way * 4096, Kind::Load);
    };
    for (unsigned const core : {0U, 1U, 0U}) {
        access(core, migrating, Kind::Load);
        access(core, migrating, Kind::Store);
    }
    evict();
    access(0, migrating, Kind::Load); // back from the second level
    evict();
    access(1, migrating, Kind::Load);
    EXPECT_EQ(in_cycles(access(1, migrating, Kind::Store).done - now), 1) << "it was given to be written";
}

TEST(MigratoryLines, are_shared_again_once_they_are_only_read) {
    Simulation simulation(Keys{{"coherence.migratory", "1"}});
    Time now = cycles(10000);
    auto const source = [&](unsigned core, Kind kind) {
        now += cycles(1000);
        return simulation.memory.access(core, Simulation::access_to(migrating, kind), now, 0).source;
    };
    for (unsigned const core : {0U, 1U, 0U}) {
        source(core, Kind::Load);
        source(core, Kind::Store);
    }
    EXPECT_EQ(source(1, Kind::Load), Source::OtherCore); // gets it to write
    EXPECT_EQ(source(0, Kind::Load), Source::OtherCore); // so core 0 has to ask
    EXPECT_EQ(source(1, Kind::Load), Source::L1);        // and from now on both have it
    EXPECT_EQ(source(0, Kind::Load), Source::L1);
    EXPECT_TRUE(simulation.memory.is_consistent(migrating));
}

TEST(MigratoryLines, are_none_that_several_read) {
    Simulation simulation(Keys{{"coherence.migratory", "1"}});
    Time now = cycles(10000);
    for (int round = 0; round != 10; ++round) {
        for (unsigned const core : {1U, 2U, 3U, 0U}) {
            now += cycles(1000);
            simulation.memory.access(core, Simulation::access_to(migrating, Kind::Load), now, 0);
        }
        simulation.memory.access(0, Simulation::access_to(migrating, Kind::Store), now += cycles(1000), 0);
        now += cycles(1000);
        simulation.memory.access(1, Simulation::access_to(migrating, Kind::Load), now, 0);
        EXPECT_EQ(simulation.memory.access(0, Simulation::access_to(migrating, Kind::Load), now, 0).source, Source::L1);
    }
}

TEST(MemoryDirectory, writes_what_another_node_takes_and_asks_there_afterwards) {
    for (char const* const on : {"0", "1"}) {
        Simulation simulation(Keys{{"coherence.directory_in_memory", on}, {"memory.latency_ns", "50 160 160 50"}});
        bool const has_one = *on == '1';
        Access const load = Simulation::access_to(migrating, Kind::Load);
        auto const bytes = [&simulation] {
            std::uint64_t sum = 0;
            for (unsigned number = 0; number != simulation.machine.channels; ++number)
                sum += simulation.memory.fabric().channel(0, number).bytes();
            return sum;
        };
        for (unsigned const core : {0U, 4U})
            simulation.memory.access(core, Simulation::access_to(migrating + 64, Kind::Load), 0, 0);
        std::uint64_t const before = bytes();
        simulation.memory.access(4, load, cycles(1000), 0);
        EXPECT_EQ(bytes() - before, has_one ? 128U : 64U);
        for (std::uint64_t at = 0; at != 4 << 20; at += 64) // until no cache of that node has it
            simulation.memory.access(4, Simulation::access_to(migrating + 4096 + at, Kind::Load), cycles(2000), 0);
        Answer const answer = simulation.memory.access(0, load, cycles(1000000), 0);
        EXPECT_EQ(answer.source, Source::LocalMemory);
        EXPECT_EQ(in_cycles(answer.done) - 1000000, has_one ? 180 : 100) << "as long as the other node's answer takes";
    }
}

} // namespace
} // namespace mxk::simulator

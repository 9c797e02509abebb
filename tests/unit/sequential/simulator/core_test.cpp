// The simulated core: what dispatch, dependencies, branches, stores, fences and locked instructions take, and how its
// time is blamed.
#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

constexpr unsigned many = 10'000;

TEST(SimulatedCore, dispatches_its_width_each_cycle) {
    for (unsigned const width : {1U, 3U, 4U, 5U, 6U, 8U}) {
        Simulation simulation(Keys{{"core.width", std::to_string(width)}});
        for (unsigned count = 0; count != many; ++count) simulation.compute(0, 1, false);
        expect_about(simulation.cycles_of(0), static_cast<double>(many) / width, "independent instructions");
        EXPECT_EQ(simulation.cores[0]->instructions(), many);
    }
}

TEST(SimulatedCore, waits_for_operands) {
    Simulation simulation;
    for (unsigned count = 0; count != many; ++count) simulation.compute(0, 3, true);
    expect_about(simulation.cycles_of(0), 3.0 * many, "a chain");
}

TEST(SimulatedCore, loses_time_by_missed_branches) {
    for (auto const& [rate, expected] : {std::pair{"0", 0.0}, std::pair{"0.25", 0.25}, std::pair{"1", 1.0}}) {
        Simulation simulation({{"core.branch_predictor", "rate"}, {"core.branch_miss_rate", rate}});
        Instruction const branch{.address = 0x100, .latency_cycles = 1, .type = Class::ConditionalBranch};
        for (unsigned count = 0; count != 4 * many; ++count) simulation.cores[0]->execute(branch, {}, count % 3 == 0);
        double const cost = 15 + 1; // until it is known, and the penalty
        double const lost = in_cycles(simulation.cores[0]->stack()[Cause::Branch]);
        EXPECT_NEAR(simulation.cycles_of(0) / (4 * many), expected * cost + (1 - expected) * 0.25, 0.25) << rate;
        EXPECT_NEAR(lost / (4 * many), expected * 14.75, 0.1) << rate;
    }
}

TEST(SimulatedCore, learns_what_branches_do) {
    Simulation simulation;
    Instruction const branch{.address = 0x100, .latency_cycles = 1, .type = Class::ConditionalBranch};
    for (unsigned count = 0; count != many; ++count) simulation.cores[0]->execute(branch, {}, count % 100 != 0);
    expect_about(in_cycles(simulation.cores[0]->stack()[Cause::Branch]), 15.0 * many / 100, "the end of each loop");
}

TEST(SimulatedCore, pauses) {
    Simulation simulation;
    Instruction const pause{.latency_cycles = 0, .type = Class::Pause};
    for (unsigned count = 0; count != many; ++count) simulation.cores[0]->execute(pause, {}, false);
    expect_about(simulation.cycles_of(0), 40.0 * many, "pause");
    expect_about(in_cycles(simulation.cores[0]->stack()[Cause::Synchronisation]), 40.0 * many, "blamed");
}

TEST(SimulatedCore, takes_its_time_for_locked_instructions_in_the_first_level) {
    Simulation simulation;
    for (unsigned count = 0; count != many; ++count) simulation.locked(0, 4096);
    expect_about(simulation.cycles_of(0), 20.0 * many, "locked");
    expect_about(in_cycles(simulation.cores[0]->stack()[Cause::Synchronisation]), 20.0 * many, "blamed");
}

TEST(SimulatedCore, does_not_let_loads_pass_locked_instructions) {
    Simulation simulation;
    std::vector<std::uint64_t> const addresses = scattered_lines(0, 4 << 20);
    for (std::uint64_t const address : addresses) {
        simulation.load(0, address, false);
        simulation.locked(0, 4096);
    }
    double const each = in_cycles(simulation.machine.memory_latency[0]) + 20;
    expect_about(simulation.cycles_of(0), each * static_cast<double>(addresses.size()), "one after the other");
}

TEST(SimulatedCore, overlaps_stores_as_far_as_buffers_reach) {
    Simulation simulation(Keys{{"memory.channel_bytes_per_second", "1e12"}, {"core.store_buffer", "5"}});
    std::vector<std::uint64_t> const addresses = scattered_lines(0, 4 << 20);
    for (std::uint64_t const address : addresses) simulation.store(0, address);
    double const latency = in_cycles(simulation.machine.memory_latency[0]);
    expect_about(simulation.cycles_of(0), latency / 5 * static_cast<double>(addresses.size()), "five stores at once");
    CpiStack const& stack = simulation.cores[0]->stack();
    expect_about(in_cycles(stack[Cause::LocalMemory]), simulation.cycles_of(0), "blamed on memory");
}

TEST(SimulatedCore, loads_what_it_has_just_stored_from_the_store_buffer) {
    Simulation simulation;
    for (unsigned count = 0; count != 1000; ++count) {
        simulation.store(0, 64 * count); // its line comes from memory
        simulation.load(0, 64 * count, true);
    }
    Simulation without_loads;
    for (unsigned count = 0; count != 1000; ++count) without_loads.store(0, 64 * count);
    expect_about(simulation.cycles_of(0), without_loads.cycles_of(0), "the loads wait for no line");
}

TEST(SimulatedCore, waits_for_stores_at_a_fence) {
    Simulation simulation;
    std::vector<std::uint64_t> const addresses = scattered_lines(0, 1 << 20);
    Instruction const fence{.latency_cycles = 0, .type = Class::Fence};
    for (std::uint64_t const address : addresses) {
        simulation.store(0, address);
        simulation.cores[0]->execute(fence, {}, false);
        simulation.load(0, 0, true);
    }
    double const each = in_cycles(simulation.machine.memory_latency[0] + simulation.machine.l1.latency);
    expect_about(simulation.cycles_of(0), each * static_cast<double>(addresses.size()), "store, fence, load");
}

TEST(SimulatedCore, waits_for_code_that_is_not_in_its_cache) {
    Simulation simulation;
    std::vector<std::uint64_t> const addresses = scattered_lines(0, 128 << 10); // four times the cache
    Instruction const instruction{.address = 0x100, .latency_cycles = 0};
    auto const run = [&] {
        for (std::uint64_t const address : addresses) {
            Access const fetch = Simulation::access_to(address, Kind::Fetch, 4);
            simulation.cores[0]->execute(instruction, std::span(&fetch, 1), false);
        }
    };
    run(); // from memory
    simulation.cores[0]->reset_statistics();
    double const begin = simulation.cycles_of(0);
    run();
    double const each = (simulation.cycles_of(0) - begin) / static_cast<double>(addresses.size());
    EXPECT_NEAR(each, in_cycles(simulation.machine.l2.latency), 0.5);
    expect_about(in_cycles(simulation.cores[0]->stack()[Cause::L2]), simulation.cycles_of(0) - begin, "blamed");
}

TEST(SimulatedCore, copies_with_more_accesses_than_it_has_buffers) {
    Simulation simulation;
    std::vector<Access> accesses;
    for (std::uint64_t at = 0; at != 65536; at += 8) {
        accesses.push_back(Simulation::access_to(at, Kind::Load));
        accesses.push_back(Simulation::access_to(1 << 20 | at, Kind::Store));
    }
    Instruction const copy{.latency_cycles = 0, .type = Class::RepString};
    simulation.cores[0]->execute(copy, accesses, false);
    simulation.cores[0]->execute({.latency_cycles = 100, .type = Class::Serialising}, {}, false);
    // The loads, then the stores: each wait for 1024 lines, ten at once.
    double const lines = 1024 / 10.0 * in_cycles(simulation.machine.memory_latency[0]);
    EXPECT_NEAR(simulation.cycles_of(0), 2 * lines, 0.05 * lines + 700); // and the first walk
}

TEST(SimulatedCore, waits_for_stores_at_a_locked_instruction) {
    Simulation simulation;
    std::vector<std::uint64_t> const addresses = scattered_lines(0, 1 << 20);
    for (std::uint64_t const address : addresses) {
        simulation.store(0, address);
        simulation.locked(0, 4096);
    }
    double const each = in_cycles(simulation.machine.memory_latency[0] + simulation.machine.core.atomic);
    expect_about(simulation.cycles_of(0), each * static_cast<double>(addresses.size()), "store, locked instruction");
}

TEST(SimulatedCore, counts_where_its_time_goes) {
    Simulation simulation;
    Core& core = *simulation.cores[0];
    core.begin_block(0x100);
    simulation.compute(0, 1, false);
    core.begin_block(0x200);
    simulation.load(0, 4096, true);
    core.idle_until(cycles(1000));
    EXPECT_EQ(core.retired(), cycles(1000));
    core.wake(cycles(2000));
    EXPECT_EQ(core.retired(), cycles(3500)); // 1500 to wake up
    core.interrupt(cycles(3000));
    EXPECT_EQ(core.retired(), cycles(3800)); // 800 after it was sent
    EXPECT_EQ(core.now(), core.retired());
    core.idle_until(cycles(100));
    EXPECT_EQ(core.retired(), cycles(3800)); // not in the past
    EXPECT_EQ(core.stack().total(), core.retired());
    EXPECT_EQ(core.stack()[Cause::Synchronisation], cycles(1500 + 300));

    Time of_blocks = 0;
    for (BlockTime const& block : core.blocks()) {
        of_blocks += block.stack.total();
        EXPECT_EQ(block.instructions, block.address == 0 ? 0U : 1U);
    }
    EXPECT_EQ(of_blocks, core.stack().total());
    core.reset_statistics();
    EXPECT_EQ(core.stack().total(), 0U);
    EXPECT_EQ(core.instructions(), 0U);
}

TEST(SimulatedCore, has_as_many_blocks_as_a_program) {
    Simulation simulation;
    Core& core = *simulation.cores[0];
    for (unsigned round = 0; round != 2; ++round) {
        for (std::uint64_t block = 0; block != 5000; ++block) {
            core.begin_block(0x1000 + block * 16);
            simulation.compute(0, 1, false);
        }
    }
    unsigned found = 0;
    for (BlockTime const& block : core.blocks()) found += block.instructions == 2 ? 1 : 0;
    EXPECT_EQ(found, 5000U);
}

} // namespace
} // namespace mxk::simulator

// Two threads of a core: what they share, and what one has while the other sleeps.
#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

Keys const two_threads = {{"core.threads", "2"}};

/// Runs `step` of each of the processors, the one that is behind first; cycles until the last is done.
template <class Step> double together(Simulation& simulation, std::vector<unsigned> const& processors, Step step) {
    std::vector<unsigned> left(processors.size(), 20'000);
    for (;;) {
        std::size_t behind = processors.size();
        for (std::size_t at = 0; at != processors.size(); ++at)
            if (left[at] != 0 && (behind == processors.size() || simulation.cores[processors[at]]->now() <
                                                                     simulation.cores[processors[behind]]->now()))
                behind = at;
        if (behind == processors.size()) break;
        --left[behind];
        step(processors[behind]);
    }
    double last = 0;
    for (unsigned const processor : processors) last = std::max(last, simulation.cycles_of(processor));
    return last;
}

void only_these_are_awake(Simulation& simulation, std::vector<unsigned> const& processors) {
    for (auto const& core : simulation.cores) core->set_awake(false);
    for (unsigned const processor : processors) simulation.cores[processor]->set_awake(true);
}

double cycles_of_work(std::vector<unsigned> const& processors, unsigned latency_cycles, bool dependent) {
    Simulation simulation(two_threads);
    only_these_are_awake(simulation, processors);
    return together(simulation, processors, [&](unsigned it) { simulation.compute(it, latency_cycles, dependent); });
}

TEST(CoreThreads, share_the_width) {
    double const alone = cycles_of_work({0}, 1, false);
    expect_about(alone, 20'000 / 4.0, "one of them has all of it");
    expect_about(cycles_of_work({0, 1}, 1, false), 2 * alone, "of one core");
    expect_about(cycles_of_work({0, 2}, 1, false), alone, "of two cores");
}

TEST(CoreThreads, use_what_the_other_leaves) {
    expect_about(cycles_of_work({0, 1}, 3, true), 3 * 20'000, "each instruction waits for the one before");
}

TEST(CoreThreads, have_half_of_the_window_while_both_run) {
    // Loads that miss everything: as many are under way as the window holds, as there are more buffers than that.
    auto const loads = [](std::vector<unsigned> const& processors) {
        Simulation simulation(Keys{{"core.threads", "2"},
                                   {"core.window", "8"},
                                   {"core.line_fill_buffers", "64"},
                                   {"core.l2_buffers", "64"},
                                   {"memory.channel_bytes_per_second", "1e12"}});
        only_these_are_awake(simulation, processors);
        std::vector<std::uint64_t> next(simulation.cores.size());
        return together(simulation, processors, [&](unsigned it) {
            simulation.load(it, it * (std::uint64_t{8} << 20) + next[it] % (4 << 20), false);
            next[it] += 64 * 37;
        });
    };
    double const alone = loads({0});
    expect_about(loads({0, 1}), 2 * alone, "each has half of what is under way");
    expect_about(loads({0, 2}), alone, "of two cores");
}

TEST(CoreThreads, share_their_caches) {
    Simulation simulation(two_threads);
    Access const load = Simulation::access_to(1 << 20, Kind::Load);
    Time const there = simulation.memory.access(0, load, 0, 0).done;
    EXPECT_EQ(simulation.memory.access(1, load, there, 0).source, Source::L1);
    EXPECT_NE(simulation.memory.access(2, load, there, 0).source, Source::L1);
}

TEST(CoreThreads, can_be_off) {
    Simulation simulation;
    EXPECT_EQ(simulation.machine.processors(), simulation.machine.cores);
    Access const load = Simulation::access_to(1 << 20, Kind::Load);
    Time const there = simulation.memory.access(0, load, 0, 0).done;
    EXPECT_NE(simulation.memory.access(1, load, there, 0).source, Source::L1);
}

} // namespace
} // namespace mxk::simulator

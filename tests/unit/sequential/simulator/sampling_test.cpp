// Sampled runs: when the model runs, what blocks take where it does not, and how far off that may be.
#include <cmath>

#include <nlohmann/json.hpp>

#include "tests/unit/sequential/simulator/made_up_machine.hpp"
#include "tools/simulator/model/results.hpp"
#include "tools/simulator/model/sampled_costs.hpp"
#include "tools/simulator/model/sampling.hpp"

namespace mxk::simulator {
namespace {

constexpr Time interval = cycles(1000);
constexpr Time period = cycles(10'000);
constexpr std::uint64_t work = 0x1000;
constexpr std::uint64_t spinning = 0x2000;

TEST(SimulatorSampling, models_all_where_that_is_asked_for) {
    Sampling sampling(interval, interval, 1);
    sampling.begin(cycles(5));
    EXPECT_FALSE(sampling.is_on());
    EXPECT_EQ(sampling.next(), ~Time{0});
}

TEST(SimulatorSampling, models_the_share_that_was_asked_for_in_intervals_with_drawn_gaps) {
    Sampling sampling(interval, period, 1);
    Time now = cycles(777);
    sampling.begin(now);
    EXPECT_EQ(sampling.phase(), Sampling::Phase::WarmUp);
    std::map<Sampling::Phase, Time> spent;
    std::map<Time, unsigned> gaps;
    auto const go_on = [&] {
        Sampling::Phase const phase = sampling.phase();
        Time const length = sampling.next() - now;
        spent[phase] += length;
        now = sampling.next();
        sampling.advance(now);
        if (phase == Sampling::Phase::Skipped) ++gaps[length];
    };
    auto const gap_within = [&](Time mean) {
        EXPECT_EQ(sampling.phase(), Sampling::Phase::Skipped);
        EXPECT_GE(sampling.next() - now, mean / 2);
        EXPECT_LT(sampling.next() - now, mean * 3 / 2);
        go_on();
    };
    go_on();
    go_on();
    EXPECT_EQ(now - cycles(777), 4 * interval); // the first one
    for (Time const mean : {1U, 2U, 4U, 8U}) {  // short at first
        gap_within(mean * interval);
        go_on();
        go_on();
    }
    gap_within(period - interval);
    spent.clear();
    for (unsigned phase = 0; phase != 3 * 2000; ++phase) go_on();
    Time const modelled = spent[Sampling::Phase::WarmUp] + spent[Sampling::Phase::Counted];
    EXPECT_EQ(modelled, 2000 * interval);
    EXPECT_EQ(spent[Sampling::Phase::WarmUp], 500 * interval);
    expect_about(in_cycles(modelled + spent[Sampling::Phase::Skipped]), 2000 * in_cycles(period), "all");
    EXPECT_GT(gaps.size(), 1000U) << "gaps are of one length";
}

TEST(SimulatorSampling, draws_other_gaps_with_another_seed_and_the_same_with_the_same) {
    auto const third = [](std::uint64_t seed) {
        Sampling sampling(interval, period, seed);
        sampling.begin(0);
        for (unsigned phase = 0; phase != 2; ++phase) sampling.advance(sampling.next());
        return sampling.next();
    };
    EXPECT_EQ(third(1), third(1));
    EXPECT_NE(third(1), third(2));
}

class SimulatorSampledCosts : public testing::Test {
  protected:
    void run(unsigned core, std::uint64_t block, unsigned count, unsigned latency) {
        simulation.cores[core]->begin_block(block);
        for (unsigned done = 0; done != count; ++done) simulation.compute(core, latency, true);
    }
    std::vector<Core const*> cores() const {
        std::vector<Core const*> all;
        for (auto const& core : simulation.cores) all.push_back(core.get());
        return all;
    }
    /// A gap of that length in which so many instructions of the work were run.
    void gap_of(Time length, double instructions) {
        costs.end_gap({{work, instructions}, {spinning, instructions}}, length);
    }
    /// An interval in which cores of node 0 take `near` cycles for an instruction of the work, those of node 1 `far`.
    void interval_of(unsigned near, unsigned far, unsigned runs = 10'000) {
        costs.begin_interval(cores());
        for (unsigned core = 0; core != 8; ++core) {
            run(core, work, runs, core < 4 ? near : far);
            run(core, spinning, runs, 1);
        }
        costs.end_interval(cores(), interval);
    }
    double cycles_of(std::uint64_t block, unsigned node) const { return *costs.of_block(block, node) / per_cycle; }

    Simulation simulation;
    SampledCosts costs{simulation.machine};
};

TEST_F(SimulatorSampledCosts, are_what_blocks_took_by_the_node_of_the_core) {
    costs.clear();
    EXPECT_FALSE(costs.of_block(work, 0).has_value());
    EXPECT_EQ(costs.of_any(0), per_cycle); // nothing is known: a cycle
    interval_of(10, 30);
    expect_about(cycles_of(work, 0), 10, "node 0");
    expect_about(cycles_of(work, 1), 30, "node 1");
    expect_about(cycles_of(spinning, 1), 1, "another block");
    expect_about(costs.of_any(0) / per_cycle, 5.5, "of all");
    EXPECT_FALSE(costs.of_block(0x3000, 0).has_value());
    costs.clear();
    EXPECT_FALSE(costs.of_block(work, 0).has_value());
}

TEST_F(SimulatorSampledCosts, of_a_block_that_a_node_did_not_run_are_those_of_the_others) {
    costs.clear();
    costs.begin_interval(cores());
    run(0, work, 1000, 10);
    costs.end_interval(cores(), interval);
    expect_about(cycles_of(work, 1), 10, "node 1");
}

TEST_F(SimulatorSampledCosts, do_not_count_what_was_outside_of_an_interval) {
    costs.clear();
    run(0, work, 1000, 50); // warm-up
    interval_of(10, 10);
    run(0, work, 1000, 50);
    interval_of(10, 10);
    expect_about(cycles_of(work, 0), 10, "node 0");
}

TEST_F(SimulatorSampledCosts, do_not_count_sleep) {
    costs.clear();
    costs.begin_interval(cores());
    run(0, work, 1000, 10);
    simulation.cores[0]->idle_until(cycles(1'000'000));
    costs.end_interval(cores(), interval);
    expect_about(cycles_of(work, 0), 10, "node 0");
}

TEST_F(SimulatorSampledCosts, forget_the_older_intervals) {
    costs.clear();
    interval_of(10, 10);
    for (unsigned count = 0; count != 8; ++count) interval_of(30, 30);
    expect_about(cycles_of(work, 0), 30, "node 0");
}

TEST_F(SimulatorSampledCosts, are_lower_where_gaps_have_less_of_the_program_in_them_than_intervals) {
    costs.clear();
    interval_of(10, 30);
    EXPECT_EQ(costs.pace(), 1);
    double const instructions = 8 * 10'000.0; // of an interval, of each block
    gap_of(10 * interval, 5 * instructions);
    EXPECT_NEAR(costs.pace(), 0.5, 0.001);
    expect_about(cycles_of(work, 1), 15, "node 1");
    expect_about(costs.of_any(0) / per_cycle, 2.75, "of all");
    gap_of(10 * interval, 10 * instructions);
    EXPECT_NEAR(costs.pace(), 0.5, 0.001);
    gap_of(10 * interval, 20 * instructions);
    EXPECT_NEAR(costs.pace(), 1, 0.001);
    gap_of(10 * interval, 0);
    EXPECT_GT(costs.pace(), 0) << "time has to go on";
}

TEST_F(SimulatorSampledCosts, say_how_far_gaps_were_from_intervals) {
    costs.clear();
    for (unsigned count = 0; count != 4; ++count) {
        interval_of(10, 10);
        gap_of(interval, 8 * 9'000.0);
    }
    EXPECT_NEAR(*costs.error(), 0.11, 0.01);
}

TEST_F(SimulatorSampledCosts, say_how_wrong_they_were_once_there_are_three_gaps_with_an_interval_behind) {
    costs.clear();
    for (unsigned count = 0; count != 4; ++count) {
        EXPECT_FALSE(costs.error().has_value());
        interval_of(10, 10);
        gap_of(interval, 8 * 10'000.0);
    }
    EXPECT_GE(*costs.error(), 0.01);
    EXPECT_LT(*costs.error(), 0.02);
}

TEST_F(SimulatorSampledCosts, say_nothing_of_intervals_without_a_gap_before) {
    costs.clear();
    for (unsigned count = 0; count != 5; ++count) interval_of(10, 10);
    gap_of(interval, 8 * 10'000.0);
    EXPECT_FALSE(costs.error().has_value());
}

TEST_F(SimulatorSampledCosts, do_not_go_by_blocks_that_hardly_run) {
    costs.clear();
    costs.begin_interval(cores());
    for (std::uint64_t rare = 0; rare != 8; ++rare) run(0, 0x8000 + rare, 10, 1);
    run(0, work, 10'000, 10);
    run(0, spinning, 10'000, 1);
    costs.end_interval(cores(), interval);
    gap_of(interval, 10'000);
    EXPECT_EQ(costs.pace(), 1);
}

TEST_F(SimulatorSampledCosts, are_the_better_known_the_more_intervals_there_are) {
    auto const error_of = [&](unsigned gaps) {
        costs.clear();
        for (unsigned count = 0; count != gaps; ++count) {
            interval_of(10, 10, count % 2 == 0 ? 8000 : 12'000);
            double known = 0; // gaps are as that
            double weights = 0;
            for (unsigned before = 0; before != count + 1; ++before) {
                double const weight = std::pow(0.5, before);
                known += weight * ((count - before) % 2 == 0 ? 8000 : 12'000);
                weights += weight;
            }
            gap_of(interval, 8 * known / weights);
        }
        return *costs.error();
    };
    EXPECT_GT(error_of(8) - 0.01, 2 * (error_of(64) - 0.01));
    EXPECT_GT(error_of(64), 0.02);
}

TEST_F(SimulatorSampledCosts, say_so_if_each_interval_gets_less_done_than_the_one_before) {
    costs.clear();
    unsigned runs = 40'000;
    for (unsigned count = 0; count != 8; ++count, runs -= runs / 4) {
        interval_of(10, 10, runs);
        gap_of(interval, 8.0 * runs);
    }
    EXPECT_GT(*costs.error(), 0.12); // half of a quarter, and of more of what is older
}

TEST_F(SimulatorSampledCosts, weigh_what_was_wrong_by_the_length_of_the_gap) {
    auto const error_of = [&](Time gap) {
        costs.clear();
        for (unsigned count = 0; count != 6; ++count) {
            interval_of(10, 10, count == 5 ? 5000 : 10'000);
            gap_of(count == 4 ? gap : 10 * interval, 8 * 10'000.0 * (count == 4 ? gap / interval : 10));
        }
        return *costs.error();
    };
    EXPECT_GT(error_of(10 * interval), 1.5 * error_of(interval));
}

TEST(SimulatorSampledMemory, knows_of_accesses_where_they_are_skipped_and_counts_and_waits_where_they_are_modelled) {
    Simulation simulation({{"core.line_fill_buffers", "64"}, {"core.l2_buffers", "64"}});
    auto const bytes = [&] { return simulation.memory.fabric().traffic(0, 0); };
    auto const time_of_lines = [&](std::uint64_t begin) {
        double const before = simulation.cycles_of(0);
        for (std::uint64_t line = 0; line != 64; ++line) simulation.load(0, begin + line * Machine::line_bytes, false);
        return simulation.cycles_of(0) - before;
    };
    time_of_lines(3 << 20); // the page is translated, then
    std::uint64_t const before = bytes();
    constexpr std::uint64_t all = 64 * Machine::line_bytes;
    double const waiting = time_of_lines(4 << 20);
    EXPECT_EQ(bytes(), before + all);
    simulation.memory.set_modelled(false);
    EXPECT_LT(time_of_lines(1 << 20), waiting / 2) << "they wait for channels";
    simulation.memory.set_modelled(true);
    EXPECT_LT(time_of_lines(1 << 20), waiting / 2) << "the cache does not have them";
    EXPECT_EQ(bytes(), before + all);
    EXPECT_GT(time_of_lines(2 << 20), 0.9 * waiting) << "other lines do not wait";
    EXPECT_EQ(bytes(), before + 2 * all);
}

TEST(SimulatorSampledResults, say_what_was_modelled) {
    Simulation simulation;
    Results results(simulation.machine);
    results.add_region(0, cycles(1000), simulation.memory, {}, Sampled{cycles(100), 5000, 0.25});
    results.add_region(0, cycles(1000), simulation.memory, {}, Sampled{cycles(100), 5000, std::nullopt});
    results.add_region(0, cycles(1000), simulation.memory, {});
    std::ostringstream text;
    results.write(text, 1, 1);
    nlohmann::json const regions = nlohmann::json::parse(text.str())["regions"];
    EXPECT_EQ(regions[0]["sampled"]["modelled"], 100);
    EXPECT_EQ(regions[0]["sampled"]["skipped_instructions"], 5000);
    EXPECT_EQ(regions[0]["sampled"]["error"], 0.25);
    EXPECT_TRUE(regions[1]["sampled"]["error"].is_null());
    EXPECT_FALSE(regions[2].contains("sampled"));
}

} // namespace
} // namespace mxk::simulator

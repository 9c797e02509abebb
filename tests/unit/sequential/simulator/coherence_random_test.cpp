// Random accesses of many cores to few lines: caches and directory agree at each step, and time never runs backwards.
#include <array>

#include "tests/unit/sequential/simulator/made_up_machine.hpp"

namespace mxk::simulator {
namespace {

class Random {
  public:
    std::uint64_t below(std::uint64_t end) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_ % end;
    }

  private:
    std::uint64_t state_ = 88172645463325252;
};

/// Caches that are so small that lines are evicted all the time.
Keys tiny_caches(char const* cores, char const* l3_cores, char const* extras) {
    return {{"machine.cores", cores},
            {"core.threads", extras[0] == '1' ? "2" : "1"},
            {"core.prefetch_neighbours", extras},
            {"core.prefetch_strides", extras},
            {"coherence.migratory", extras},
            {"coherence.directory_in_memory", extras},
            {"l1.bytes", "512"},
            {"l1.ways", "2"},
            {"l2.bytes", "1024"},
            {"l2.ways", "2"},
            {"l3.bytes", "4096"},
            {"l3.ways", "4"},
            {"l3.cores", l3_cores},
            {"tlb.l1_entries", "4"},
            {"core.store_buffer", "4"},
            {"core.window", "16"}};
}

TEST(Coherence, holds_after_any_accesses) {
    std::array<Keys, 4> const machines = {tiny_caches("6", "3", "0"), tiny_caches("160", "5", "0"),
                                          tiny_caches("6", "1", "1"), tiny_caches("160", "10", "1")};
    for (Keys const& machine : machines) {
        Simulation simulation(machine);
        Random random;
        constexpr unsigned lines = 96;
        for (unsigned count = 0; count != 30'000; ++count) {
            auto const core = static_cast<unsigned>(random.below(simulation.machine.processors()));
            auto const node = static_cast<unsigned>(random.below(2));
            std::uint64_t const address = Simulation::on_node(node, random.below(lines / 2) * 64);
            auto const kind = static_cast<Kind>(random.below(9));
            Time const start = cycles(random.below(1000) + count * 10);
            Answer const answer =
                simulation.memory.access(core, Simulation::access_to(address, kind), start, 0x1000 + random.below(4));
            ASSERT_GE(answer.done, start);
            ASSERT_GE(answer.accepted, start);
            ASSERT_LE(answer.translation, answer.done - start);
            ASSERT_TRUE(simulation.memory.is_consistent(address)) << "after access " << count;
            if (count % 8 != 0) continue; // what was evicted by it, too
            for (std::uint64_t line = 0; line != lines; ++line) {
                std::uint64_t const any = Simulation::on_node(static_cast<unsigned>(line % 2), line / 2 * 64);
                ASSERT_TRUE(simulation.memory.is_consistent(any)) << "after access " << count;
            }
        }
    }
}

TEST(Coherence, of_cores_that_execute_keeps_their_times_in_order) {
    Simulation simulation(tiny_caches("8", "2", "1"));
    Random random;
    for (unsigned count = 0; count != 50'000; ++count) {
        auto const core = static_cast<unsigned>(random.below(16));
        std::uint64_t const address = random.below(64) * 64;
        Time const before = simulation.cores[core]->retired();
        switch (random.below(6)) {
        case 0: simulation.store(core, address); break;
        case 1: simulation.locked(core, address); break;
        case 2: simulation.prefetch(core, address, Kind::PrefetchL1, random.below(2) == 0); break;
        case 3: simulation.compute(core, 3, true); break;
        default: simulation.load(core, address, random.below(2) == 0); break;
        }
        ASSERT_GT(simulation.cores[core]->retired(), before);
        ASSERT_EQ(simulation.cores[core]->stack().total(), simulation.cores[core]->retired());
    }
}

} // namespace
} // namespace mxk::simulator

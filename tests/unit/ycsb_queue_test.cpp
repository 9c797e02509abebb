// The instructions of the workloads of YCSB, and whether what they leave behind is looked at: slices run in turns
// against the standard's map, and what is wrong with it afterwards must be noticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "bench/workload/instruction_queue.hpp"
#include "kernel/console/console.hpp"
#include "main/library/runtime.hpp"

namespace mxk::bench {
namespace {

using Pairs = std::map<std::uint64_t, std::uint64_t>;

// A workload for two cores, and a map on which its instructions run, those of each slice in order.
class Replay {
  public:
    explicit Replay(char letter, std::string_view distribution = {}) {
        workload_.ycsb = Ycsb{letter};
        workload_.operations = operations;
        if (!distribution.empty()) EXPECT_TRUE(parse_value(distribution, workload_.distribution));
        EXPECT_TRUE(complete_ycsb(workload_));
        queue_.emplace(InstructionQueue::create(workload_, QueueKind::NodeLocal, cores).value());
        EXPECT_TRUE(queue_->begin_with(Mix{Mix::Kind::Load}, progress_));
        run();
        loaded = queue_->phase_operations();
        EXPECT_EQ(wrong_in_the_end(), 0U);
        EXPECT_TRUE(queue_->continue_with(Mix{Mix::Kind::Run}, progress_));
    }

    // All slices in turns that chance decides. `change`: what becomes of each instruction.
    void run(std::function<void(Pairs&, Instruction const&)> const& change = &do_it) {
        std::array<std::size_t, 2> next{};
        auto const left = [&](std::size_t i) { return next[i] < queue_->source(i).size(); };
        while (left(0) || left(1)) {
            std::size_t const i = left(0) && (!left(1) || random_() % 2 == 0) ? 0 : 1;
            change(pairs, queue_->source(i)[next[i]++]);
        }
    }
    static void do_it(Pairs& pairs, Instruction const& it) {
        auto const at = pairs.find(it.key);
        EXPECT_EQ(it.expected, (at != pairs.end()) != (it.operation == Operation::Insert));
        switch (it.operation) {
        case Operation::Insert: pairs[it.key] = operand_of(it); break;
        case Operation::Find: EXPECT_TRUE(is_value_of(it.key, at->second, it.version)); break;
        case Operation::Update: at->second = operand_of(it); break;
        case Operation::Modify: at->second += operand_of(it); break;
        default: ADD_FAILURE() << "no workload has it";
        }
    }

    [[nodiscard]] std::size_t wrong_in_the_end() const {
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < cores.size(); ++i)
            for (std::size_t at = 0; at < queue_->slice(i).size(); ++at) {
                auto const found = pairs.find(queue_->slice(i).key(at));
                auto const value = found != pairs.end() ? std::optional(found->second) : std::nullopt;
                wrong += queue_->is_right(i, at, value) ? 0U : 1U;
            }
        return wrong;
    }
    [[nodiscard]] InstructionQueue const& queue() const { return *queue_; }
    [[nodiscard]] std::size_t count(Operation operation) const {
        std::size_t result = 0;
        for (std::size_t i = 0; i < cores.size(); ++i)
            for (Instruction const& it : queue_->source(i)) result += it.operation == operation ? 1U : 0U;
        return result;
    }

    static constexpr std::uint64_t operations = 40'000;
    static constexpr std::array cores{core_id(0), core_id(1)};
    Pairs pairs;
    std::uint64_t loaded = 0;

  private:
    FixedText<1> nowhere_;
    console::Invocation invocation_{nowhere_};
    Progress progress_{invocation_};
    Workload workload_;
    std::optional<InstructionQueue> queue_;
    std::mt19937_64 random_{1};
};

template <typename Body> void on_two_cores(Body body) {
    auto runtime = Runtime::start({.cores = 2, .memory_bytes = 64 * MiB});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([&](Worker&) { body(); });
}

TEST(YcsbQueue, the_shares_are_those_of_the_workload) {
    on_two_cores([] {
        for (char const letter : {'a', 'b', 'c', 'd', 'f'}) {
            Replay replay(letter);
            Ycsb::Shares const shares = Ycsb{letter}.shares();
            constexpr auto percent = static_cast<double>(Replay::operations) / 100;
            EXPECT_NEAR(static_cast<double>(replay.count(Operation::Find)), shares.finds * percent, 6 * 100);
            EXPECT_NEAR(static_cast<double>(replay.count(Operation::Update)), shares.updates * percent, 6 * 100);
            EXPECT_NEAR(static_cast<double>(replay.count(Operation::Modify)), shares.modifies * percent, 6 * 100);
            EXPECT_EQ(replay.count(Operation::Insert), shares.inserts * Replay::operations / 100); // exactly
            EXPECT_EQ(replay.loaded, Replay::operations - replay.count(Operation::Insert));
            EXPECT_EQ(replay.queue().phase_operations(), Replay::operations);
        }
    });
}

TEST(YcsbQueue, what_ran_rightly_is_right) {
    RecordProperty("long", "every workload with every distribution, by two threads");
    on_two_cores([] {
        for (char const letter : {'a', 'b', 'c', 'd', 'f'}) {
            for (auto const* const distribution : {"", "uniform", "zipf:0.5", "latest", "hotset:0.01:0.9"}) {
                Replay replay(letter, distribution);
                replay.run();
                EXPECT_EQ(replay.wrong_in_the_end(), 0U) << letter << ' ' << distribution;
                EXPECT_EQ(replay.pairs.size(), Replay::operations);
                EXPECT_EQ(replay.queue().live_count(), Replay::operations);
            }
        }
    });
}

TEST(YcsbQueue, all_cores_write_to_the_same_keys) {
    on_two_cores([] {
        Replay replay('a');
        std::map<std::uint64_t, std::size_t> writers; // a bit for each slice
        for (std::size_t i = 0; i < 2; ++i)
            for (Instruction const& it : replay.queue().source(i))
                if (it.operation == Operation::Update) writers[it.key] |= std::size_t{1} << i;
        EXPECT_GT(std::ranges::count_if(writers, [](auto const& it) { return it.second == 3; }), 100);
    });
}

// One write of each slice to each key is marked, the last one.
TEST(YcsbQueue, the_last_write_is_marked) {
    on_two_cores([] {
        Replay replay('b');
        for (std::size_t i = 0; i < 2; ++i) {
            std::map<std::uint64_t, std::uint32_t> last;
            std::map<std::uint64_t, std::uint32_t> marked;
            for (Instruction const& it : replay.queue().source(i)) {
                if (it.operation != Operation::Update) continue;
                last[it.key] = it.version;
                if (it.is_last_write) EXPECT_TRUE(marked.emplace(it.key, it.version).second);
            }
            EXPECT_EQ(marked, last);
        }
    });
}

// A table that does one thing wrongly to one key of those that are written often.
TEST(YcsbQueue, what_is_wrong_in_the_end_is_noticed) {
    on_two_cores([] {
        for (char const letter : {'a', 'f'}) {
            Replay replay(letter);
            replay.run();
            Pairs const right = replay.pairs;
            Slice const& slice = replay.queue().slice(0);
            std::size_t at = 0;
            while (version_of(slice.key(at), right.at(slice.key(at))) < 2) ++at;
            std::uint64_t const key = slice.key(at);
            std::uint64_t const version = version_of(key, right.at(key));
            auto const wrong_with = [&](std::uint64_t value) {
                replay.pairs[key] = value;
                std::size_t const wrong = replay.wrong_in_the_end();
                replay.pairs = right;
                return wrong;
            };
            EXPECT_EQ(wrong_with(right.at(key)), 0U);
            EXPECT_EQ(wrong_with(value_of(key)), 1U);                         // nothing was written
            EXPECT_EQ(wrong_with(value_of(key, version + 1)), 1U);            // by an instruction on another key
            EXPECT_EQ(wrong_with(value_of(key, Replay::operations + 1)), 1U); // by none at all
            EXPECT_EQ(wrong_with(right.at(slice.key(at + 1))), 1U);           // another key's
            EXPECT_EQ(wrong_with(right.at(key) + 1), 1U);
            replay.pairs.erase(key);
            EXPECT_EQ(replay.wrong_in_the_end(), 1U);
        }
    });
}

TEST(YcsbQueue, a_lost_write_is_noticed) {
    on_two_cores([] {
        // Now and then the last update of a slice to a key is lost.
        Replay stale('a');
        stale.run([&](Pairs& pairs, Instruction const& it) {
            if (it.operation == Operation::Update && it.is_last_write && it.version % 100 == 0) return;
            Replay::do_it(pairs, it);
        });
        EXPECT_GT(stale.wrong_in_the_end(), 0U);

        Replay lost('f');
        std::size_t modifies = 0;
        std::size_t skipped = 0;
        lost.run([&](Pairs& pairs, Instruction const& it) {
            if (it.operation == Operation::Modify && ++modifies % 1000 == 0) {
                ++skipped;
                return;
            }
            Replay::do_it(pairs, it);
        });
        EXPECT_GT(skipped, 0U);
        EXPECT_GT(lost.wrong_in_the_end(), 0U);
        EXPECT_LE(lost.wrong_in_the_end(), skipped);
    });
}

} // namespace
} // namespace mxk::bench

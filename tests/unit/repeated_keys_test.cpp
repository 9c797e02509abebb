// Keys that come again (`--keys random:BITS`): the instructions of all slices, in turns that chance decides, against
// the standard's map: every result is the one that was foretold.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "bench/workload/instruction_queue.hpp"
#include "kernel/console/console.hpp"
#include "main/library/runtime.hpp"

namespace mxk::bench {
namespace {

constexpr std::array cores{core_id(0), core_id(1)};

// A map, on which the instructions of a queue run.
class Replay {
  public:
    Replay(unsigned bits, std::string_view mix)
        : bits_(bits) {
        workload_.operations = 20'000;
        workload_.keys = {.kind = Keys::Kind::Repeated, .bits = bits};
        EXPECT_TRUE(parse_value(mix, workload_.mix));
        EXPECT_TRUE(check(workload_));
        queue_.emplace(InstructionQueue::create(workload_, QueueKind::PerCore, cores).value());
        EXPECT_TRUE(queue_->begin_with(workload_.mix.list().front(), progress_));
        run();
    }
    void continue_with(std::size_t phase) {
        EXPECT_TRUE(queue_->continue_with(workload_.mix.list()[phase], progress_));
        run();
    }

    std::map<std::uint64_t, std::uint64_t> pairs{};
    std::size_t right = 0;
    std::size_t missed = 0;

  private:
    void run() {
        InstructionQueue const& queue = *queue_;
        std::array<std::size_t, 2> next{};
        auto const left = [&](std::size_t i) { return next[i] < queue.source(i).size(); };
        while (left(0) || left(1)) {
            std::size_t const i = left(0) && (!left(1) || random_() % 2 == 0) ? 0 : 1;
            Instruction const& it = queue.source(i)[next[i]++];
            EXPECT_TRUE(it.key != 0 && it.key >> bits_ == 0);
            users_[it.key].insert(i);
            bool const is_there = pairs.contains(it.key);
            EXPECT_EQ(it.expected, is_there != (it.operation == Operation::Insert));
            (it.expected ? right : missed) += 1;
            if (it.operation == Operation::Insert) pairs.emplace(it.key, value_of(it.key, 0));
            if (it.operation == Operation::Erase) pairs.erase(it.key);
        }
        for (auto const& [key, slices] : users_) EXPECT_EQ(slices.size(), 1U) << "a key is of one slice";
        EXPECT_EQ(queue.live_count(), pairs.size());
        std::size_t keys = 0;
        for (std::size_t i = 0; i < cores.size(); ++i)
            for (std::size_t at = 0; at < queue.slice(i).key_count(); ++at, ++keys) {
                auto const found = pairs.find(queue.slice(i).key(at));
                auto const value = found != pairs.end() ? std::optional(found->second) : std::nullopt;
                EXPECT_TRUE(queue.is_right(i, at, value));
                EXPECT_FALSE(queue.is_right(i, at, value ? std::nullopt : std::optional<std::uint64_t>(1)));
            }
        EXPECT_EQ(keys, users_.size());
    }

    unsigned bits_;
    Workload workload_;
    std::optional<InstructionQueue> queue_;
    std::map<std::uint64_t, std::set<std::size_t>> users_{};
    std::mt19937 random_{1};
    FixedText<1> nowhere_;
    console::Invocation invocation_{nowhere_};
    Progress progress_{invocation_};
};

class RepeatedKeys : public testing::TestWithParam<unsigned> {
  protected:
    template <typename Body> static void on_two_cores(Body body) {
        auto runtime = Runtime::start({.cores = 2, .memory_bytes = 64 * MiB});
        ASSERT_TRUE(runtime.ok());
        runtime.value().run([&](Worker&) { body(); });
    }
};

TEST_P(RepeatedKeys, have_results_that_are_known) {
    on_two_cores([] {
        Replay replay(GetParam(), "insert,find,erase");
        std::size_t const distinct = replay.pairs.size();
        double const numbers = static_cast<double>(std::uint64_t{1} << GetParam());
        EXPECT_NEAR(static_cast<double>(distinct), numbers * -std::expm1(-20'000 / numbers), 150) << "as by chance";
        EXPECT_EQ(replay.right, distinct);
        EXPECT_EQ(replay.missed, 20'000 - distinct) << "the others were there already";
        replay.continue_with(1);
        EXPECT_EQ(replay.right, distinct + 20'000) << "all are found";
        replay.continue_with(2);
        EXPECT_EQ(replay.right, 2 * distinct + 20'000) << "each can be erased once";
        EXPECT_TRUE(replay.pairs.empty());
    });
}

TEST_P(RepeatedKeys, may_be_mixed) {
    on_two_cores([] {
        Replay const replay(GetParam(), "mixed:50/25/25");
        EXPECT_GT(replay.right, 5'000U);
        EXPECT_GT(replay.missed, 1'000U);
        Replay(GetParam(), "loaded:20/60/20").continue_with(0);
    });
}

INSTANTIATE_TEST_SUITE_P(Bits, RepeatedKeys, testing::Values(8U, 14U, 31U, 62U));

TEST(RepeatedKeysOptions, refuse_what_they_do_not_go_with) {
    Workload workload;
    workload.keys = {.kind = Keys::Kind::Repeated, .bits = 20};
    EXPECT_TRUE(check(workload) && depends_on_order(workload));
    for (QueueKind const queue : {QueueKind::Shared, QueueKind::Owner}) {
        workload.queue = queue;
        EXPECT_FALSE(check(workload));
    }
    workload.queue.reset();
    workload.distribution = Distribution::zipf(0.9);
    EXPECT_FALSE(check(workload));
}

} // namespace
} // namespace mxk::bench

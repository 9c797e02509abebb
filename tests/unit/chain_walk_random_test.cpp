// Walks in random interleavings, against the standard's map. What an operation must give is known when it enters the
// bucket, from the operations that entered before it: if it gives something else, the order of arrival was not kept.
#include "tests/unit/chain_walk_fixture.hpp"

#include <deque>
#include <random>
#include <thread>
#include <unordered_map>

namespace mxk::test {
namespace {

class Scheduler {
  public:
    struct Shape {
        std::size_t buckets;
        std::uint64_t keys;
        std::size_t walks; // at the same time
        std::uint64_t seed;
    };

    explicit Scheduler(Shape shape)
        : shape_(shape)
        , table_(shape.buckets)
        , walks_(shape.walks)
        , random_(shape.seed) {
        for (Tracked& walk : walks_) runnable_.push_back(&walk);
        for (std::size_t i = 0; i < shape.keys + shape.walks; ++i) free_.push_back(&nodes_.emplace_back());
    }

    // A turn lets one walk, drawn by chance, do one thing.
    void run(std::size_t operations) {
        while (finished_ < operations && !testing::Test::HasFatalFailure()) turn(started_ < operations);
        if (testing::Test::HasFatalFailure()) return;
        EXPECT_EQ(runnable_.size(), walks_.size());
        compare_contents();
    }

    [[nodiscard]] std::size_t parked() const { return parked_; }
    [[nodiscard]] std::size_t max_chain() const { return max_steps_; }

  private:
    struct Tracked : AnyWalk {
        enum class Next { Start, Enter, Resume, Step } next = Next::Start;
        ChainNode* node = nullptr;     // an insert's
        ChainNode* expected = nullptr; // what finish must give
        std::size_t arrival = 0;
        std::size_t steps = 0;
    };

    void turn(bool may_start) {
        std::size_t const at = random_() % runnable_.size();
        Tracked& walk = *runnable_[at];
        switch (walk.next) {
        case Tracked::Next::Start:
            if (may_start) start(walk);
            return;
        case Tracked::Next::Enter:
            arrive(walk);
            if (walk.enter_any(table_.table)) return begin(walk);
            walk.next = Tracked::Next::Resume;
            runnable_[at] = runnable_.back();
            runnable_.pop_back();
            ++parked_;
            return;
        case Tracked::Next::Resume: walk.resume_any(); return begin(walk);
        case Tracked::Next::Step:
            ++walk.steps;
            ASSERT_NE(static_cast<ChainNode const*>(walk.next_node())->key, poison);
            if (walk.step()) finish(walk);
        }
    }

    void start(Tracked& walk) {
        ++started_;
        std::uint64_t const key = 1 + random_() % shape_.keys;
        auto const operation = std::array{Operation::Insert, Operation::Find,   Operation::Erase,
                                          Operation::Update, Operation::Upsert, Operation::Modify}[random_() % 6];
        walk.node = nullptr;
        if (brings_node(operation)) {
            walk.node = free_.front();
            free_.pop_front();
            *walk.node = {key, nullptr};
        }
        walk.aim(operation, key, walk.node);
        walk.next = Tracked::Next::Enter;
    }

    void arrive(Tracked& walk) {
        auto const found = model_.find(walk.key());
        walk.expected = found != model_.end() ? found->second : nullptr;
        walk.arrival = ++arrivals_;
        walk.steps = 0;
        if (brings_node(walk.operation()) && walk.expected == nullptr) model_[walk.key()] = walk.node;
        if (walk.operation() == Operation::Erase) model_.erase(walk.key());
    }

    void begin(Tracked& walk) {
        walk.next = Tracked::Next::Step;
        if (walk.is_at_end()) finish(walk);
    }

    void finish(Tracked& walk) {
        auto const [node, successor] = walk.finish_any(table_.table);
        ASSERT_EQ(node, walk.expected) << "key " << walk.key();
        std::size_t& last = last_finished_[walk.key() % shape_.buckets];
        ASSERT_LT(last, walk.arrival);
        last = walk.arrival;
        max_steps_ = std::max(max_steps_, walk.steps);
        if (brings_node(walk.operation()) && node != nullptr) give_back(*walk.node);
        if (walk.operation() == Operation::Erase && node != nullptr) give_back(*node);
        walk.next = Tracked::Next::Start;
        ++finished_;
        if (successor != nullptr) runnable_.push_back(static_cast<Tracked*>(successor));
    }

    // A walk that still stood on it would meet the poison.
    void give_back(ChainNode& node) {
        node = {poison, nullptr};
        free_.push_back(&node);
    }

    void compare_contents() {
        std::size_t seen = 0;
        table_.table.for_each([&](std::size_t, ChainNode const& node) {
            ++seen;
            EXPECT_EQ(model_.at(node.key), &node);
        });
        EXPECT_EQ(seen, model_.size());
        EXPECT_EQ(table_.table.size(), model_.size());
    }

    static constexpr std::uint64_t poison = UINT64_MAX;

    Shape shape_;
    StandaloneTable table_;
    std::deque<Tracked> walks_;
    std::vector<Tracked*> runnable_;
    std::deque<ChainNode> nodes_; // addresses stay
    std::deque<ChainNode*> free_; // in the order in which they were given back
    std::unordered_map<std::uint64_t, ChainNode*> model_;
    std::unordered_map<std::uint64_t, std::size_t> last_finished_; // by bucket
    std::mt19937_64 random_;
    std::size_t started_ = 0;
    std::size_t arrivals_ = 0;
    std::size_t finished_ = 0;
    std::size_t parked_ = 0;
    std::size_t max_steps_ = 0;
};

constexpr std::size_t million = 1'000'000;

TEST(ChainWalkRandom, one_bucket_for_all) {
    Scheduler scheduler({.buckets = 1, .keys = 30, .walks = 40, .seed = 1});
    scheduler.run(million);
    EXPECT_GT(scheduler.parked(), million / 2);
}
TEST(ChainWalkRandom, one_key_for_all) {
    Scheduler scheduler({.buckets = 3, .keys = 1, .walks = 20, .seed = 2});
    scheduler.run(million / 5);
    EXPECT_GT(scheduler.parked(), million / 10);
}
TEST(ChainWalkRandom, a_hundred_walks_in_long_chains) {
    Scheduler scheduler({.buckets = 101, .keys = 101 * 50, .walks = 100, .seed = 3});
    scheduler.run(million);
    EXPECT_GT(scheduler.parked(), million / 10);
    EXPECT_GE(scheduler.max_chain(), 20U);
}
TEST(ChainWalkRandom, chains_that_are_mostly_empty) {
    Scheduler scheduler({.buckets = 1024, .keys = 300, .walks = 100, .seed = 4});
    scheduler.run(million);
    EXPECT_GT(scheduler.parked(), million / 100);
}
TEST(ChainWalkRandom, more_walks_than_keys) {
    Scheduler scheduler({.buckets = 7, .keys = 50, .walks = 1000, .seed = 5});
    scheduler.run(million / 2);
    EXPECT_GT(scheduler.parked(), million / 4);
}
TEST(ChainWalkRandom, one_walk_is_never_parked) {
    Scheduler scheduler({.buckets = 5, .keys = 60, .walks = 1, .seed = 6});
    scheduler.run(million / 5);
    EXPECT_EQ(scheduler.parked(), 0U);
}

// Two owners at work at the same time: under TSan this shows that walks share nothing, not even through the end of all
// chains.
TEST(ChainWalkRandom, owners_share_nothing_that_is_written) {
    std::vector<std::thread> threads;
    threads.reserve(2);
    for (std::uint64_t owner = 0; owner < 2; ++owner) {
        threads.emplace_back([owner] {
            Scheduler scheduler({.buckets = 11, .keys = 100, .walks = 50, .seed = 7 + owner});
            scheduler.run(million / 5);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

} // namespace
} // namespace mxk::test

// The shared table of lines with several threads that all work on all of it, while it grows and shrinks.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/sanitizers.hpp"
#include "bench/workload/random.hpp"
#include "hashtable/shared/concurrent_lines.hpp"
#include "tests/unit/history.hpp"
#include "tests/unit/linearizable.hpp"
#include "tests/unit/long_tests.hpp"
#include "tests/unit/memory_fixture.hpp"
#include "tests/unit/model_grace.hpp"
#include "tests/unit/random_pause.hpp"

namespace mxk::test {
namespace {

using SharedLines = ConcurrentLines<MixedHash, GraceModel::Handle>;

class ConcurrentLinesThreads : public MemoryTest {
  protected:
    static constexpr std::size_t threads = 4;

    void SetUp() override { configure({256 * MiB, 64 * MiB}); }
    void TearDown() override {
        grace.end();
        MemoryTest::TearDown();
    }
    SharedLines make(std::size_t keys, std::size_t owners = 2) {
        std::vector<Owner> list;
        for (std::size_t i = 0; i < owners; ++i) list.push_back({core_id(i), node_id(i % 2)});
        return SharedLines::create({.keys = keys}, list, MixedHash(), grace.handle()).value();
    }
    // body(number) in so many threads at once.
    template <typename Body> static void run(std::size_t count, Body body) {
        std::vector<std::thread> running;
        std::atomic<std::size_t> ready{0};
        for (std::size_t i = 0; i < count; ++i) {
            running.emplace_back([&, i] {
                GraceModel::place_of_thread = i;
                for (++ready; ready.load() < count;) std::this_thread::yield();
                body(i);
            });
        }
        for (std::thread& thread : running) thread.join();
    }

    GraceModel grace;
};

// A thread's own keys have the results that it expects; what it finds of others' is theirs; and of the keys that all
// insert and erase, each is there as often as it was inserted more than erased.
class SharedUser {
  public:
    static constexpr std::uint64_t own_keys = 2'000;
    static constexpr std::uint64_t common_keys = 40;

    SharedUser(SharedLines& table, GraceModel& grace, std::size_t number)
        : table_(table)
        , grace_(grace)
        , number_(number)
        , random_(number + 1) {}

    void operator()(std::size_t operations) {
        for (std::size_t i = 0; i < operations;) {
            GraceModel::Section const section(grace_);
            for (std::size_t const end = std::min(operations, i + 1 + random_.below(20)); i < end; ++i) operate(i);
        }
    }

    [[nodiscard]] std::size_t wrong() const { return wrong_; }
    [[nodiscard]] std::int64_t balance(std::uint64_t at) const { return balance_.at(at); }
    [[nodiscard]] auto const& model() const { return model_; }
    static std::uint64_t common_key(std::uint64_t at) { return 1 + at; }
    static std::uint64_t own_key(std::uint64_t number, std::uint64_t at) { return (number + 1) << 32 | (1 + at); }

  private:
    // A value that tells whose it is; its low bits are free.
    static std::uint64_t value_of_key(std::uint64_t key) { return key << 20; }
    static bool is_of(std::uint64_t key, std::uint64_t value) { return value >> 20 == (key << 20) >> 20; }
    void expect_that(bool holds) { wrong_ += holds ? 0 : 1; }

    void operate(std::size_t i) {
        if (random_.below(4096) == 0)
            (void)(table_.bucket_count() < 5'000 ? table_.begin_growing() : table_.begin_shrinking());
        if (random_.below(8) == 0) (void)table_.work();
        switch (random_.below(4)) {
        case 0: return use_common();
        case 1: return random_.below(8) == 0 ? look_at_others() : use_own(i);
        default: return use_own(i);
        }
    }
    void use_common() {
        std::uint64_t const at = random_.below(common_keys);
        std::uint64_t const key = common_key(at);
        switch (random_.below(4)) {
        case 0: balance_.at(at) += table_.insert(key, value_of_key(key)) == Insert::Inserted ? 1 : 0; return;
        case 1: balance_.at(at) += table_.upsert(key, value_of_key(key) + 1) == Insert::Inserted ? 1 : 0; return;
        case 2: {
            auto const found = table_.find(key);
            return expect_that(!found || is_of(key, *found));
        }
        default: balance_.at(at) -= table_.erase(key) ? 1 : 0;
        }
    }
    void look_at_others() {
        std::array<std::uint64_t, 20> keys{};
        for (auto& key : keys) key = own_key(random_.below(8), random_.below(own_keys));
        std::size_t answers = 0;
        table_.find_each(keys, [&](std::size_t at, std::optional<std::uint64_t> const& value) {
            ++answers;
            expect_that(!value || is_of(keys[at], *value));
        });
        expect_that(answers == keys.size());
    }
    void use_own(std::size_t i) {
        // Waves, so that the table grows and shrinks by itself, too.
        bool const fills = i / 5'000 % 2 == 0;
        std::uint64_t const key = own_key(number_, random_.below(own_keys));
        auto const at = model_.find(key);
        bool const there = at != model_.end();
        std::uint64_t const value = value_of_key(key) + i % 1024;
        std::uint64_t const draw = random_.below(8);
        if (draw == 0) {
            expect_that(table_.update(key, value) == there);
            if (there) at->second = value;
        } else if (draw == 1) {
            auto const before = table_.modify(key, [](std::uint64_t old) { return old ^ 1; });
            expect_that(before == (there ? std::optional(at->second) : std::nullopt));
            if (there) at->second ^= 1;
        } else if (draw == 2) {
            expect_that(table_.find(key) == (there ? std::optional(at->second) : std::nullopt));
        } else if (draw < 5 ? fills : draw == 5) {
            expect_that(table_.upsert(key, value) == (there ? Insert::Present : Insert::Inserted));
            model_[key] = value;
        } else if (fills) {
            expect_that(table_.insert(key, value) == (there ? Insert::Present : Insert::Inserted));
            model_.try_emplace(key, value);
        } else {
            expect_that(table_.erase(key) == there);
            model_.erase(key);
        }
    }

    SharedLines& table_;
    GraceModel& grace_;
    std::size_t number_;
    bench::Random random_;
    std::unordered_map<std::uint64_t, std::uint64_t> model_;
    std::array<std::int64_t, common_keys> balance_{};
    std::size_t wrong_ = 0;
};

TEST_F(ConcurrentLinesThreads, have_the_results_of_some_order_while_it_grows_and_shrinks) {
    constexpr std::size_t users = 10;
    // TSan takes ten times as long.
    std::size_t const each = operations(thread_sanitizer ? 200'000 : 1'000'000, 100'000'000) / users;
    auto table = make(16);
    std::vector<SharedUser> all;
    for (std::size_t i = 0; i < users; ++i) all.emplace_back(table, grace, i);
    run(users, [&](std::size_t i) {
        std::optional<InjectDelays> delays; // one at a time: for a part of the run
        if (i == 0) delays.emplace(&RandomPause::point);
        all[i](each / 50);
        delays.reset();
        all[i](each - each / 50);
    });
    GraceModel::place_of_thread = 0;
    GraceModel::Section const section(grace);
    while (table.work()) {
    }
    table.check();
    std::size_t expected = 0;
    for (SharedUser const& user : all) {
        EXPECT_EQ(user.wrong(), 0U);
        for (auto const& [key, value] : user.model()) ASSERT_EQ(table.find(key), value);
        expected += user.model().size();
    }
    for (std::uint64_t at = 0; at < SharedUser::common_keys; ++at) {
        std::int64_t balance = 0;
        for (SharedUser const& user : all) balance += user.balance(at);
        bool const there = table.find(SharedUser::common_key(at)).has_value();
        EXPECT_EQ(balance, there ? 1 : 0);
        expected += there ? 1 : 0;
    }
    EXPECT_EQ(table.size(), expected);
    EXPECT_GT(grace.done(), 10U);
}

// A short recorded run: each thread does random operations on a few keys; the last one resizes.
std::vector<Event> history_of(SharedLines& table, GraceModel& grace, std::size_t thread, std::uint64_t seed,
                              std::span<std::uint64_t const> keys) {
    constexpr std::size_t count = 60;
    std::vector<Event> events;
    bench::Random random(seed);
    for (std::size_t i = 0; i < count; ++i) {
        GraceModel::Section const section(grace);
        Event event{.operation = static_cast<Operation>(random.below(6)),
                    .key = keys[random.below(keys.size())],
                    .value = (thread + 1) * 1000 + i,
                    .core = core_id(thread)};
        bool is_yes = false;
        event.invoked = time_of_invocation();
        switch (event.operation) {
        case Operation::Insert: is_yes = table.insert(event.key, event.value) == Insert::Inserted; break;
        case Operation::Upsert: is_yes = table.upsert(event.key, event.value) == Insert::Inserted; break;
        case Operation::Update: is_yes = table.update(event.key, event.value); break;
        case Operation::Erase: is_yes = table.erase(event.key); break;
        case Operation::Find:
        case Operation::Modify: {
            auto const found = event.operation == Operation::Find
                                   ? table.find(event.key)
                                   : table.modify(event.key, [](std::uint64_t old) { return old + modify_addend; });
            is_yes = found.has_value();
            event.value = found.value_or(0);
        }
        }
        event.responded = time_of_response();
        event.result = is_yes ? TableResult::Yes : TableResult::No;
        events.push_back(event);
    }
    return events;
}

TEST_F(ConcurrentLinesThreads, are_linearizable_while_it_is_resized) {
    std::size_t const runs = operations(30, 6'000);
    std::size_t overlaps = 0;
    std::size_t total = 0;
    std::size_t resizes = 0;
    for (std::uint64_t number = 0; number < runs; ++number) {
        auto table = make(1, 1);
        InjectDelays const delays(&RandomPause::point);
        std::vector<std::uint64_t> keys;
        for (std::uint64_t i = 0; i <= number % 5; ++i) keys.push_back(1 + i);
        std::array<std::vector<Event>, threads> events;
        std::atomic<std::size_t> left{threads};
        run(threads + 1, [&](std::size_t i) {
            if (i < threads) {
                events[i] = history_of(table, grace, i, number * threads + i, keys);
                --left;
                return;
            }
            for (std::size_t turn = number; left.load() != 0; ++turn) {
                GraceModel::Section const section(grace);
                resizes += (turn % 4 < 2 ? table.begin_growing() : table.begin_shrinking()) ? 1 : 0;
                while (table.work()) {
                }
                std::this_thread::yield();
            }
        });
        std::vector<Event> history;
        for (auto const& each : events) history.insert(history.end(), each.begin(), each.end());
        auto const why = why_not_linearizable(history);
        ASSERT_FALSE(why) << "run " << number << ", " << *why;
        overlaps += overlapping(history);
        total += history.size();
    }
    EXPECT_GT(overlaps, total / 8) << "of " << total << ": too few to prove anything";
    EXPECT_GT(resizes, runs);
}

// What is there all the time, every walk visits once.
TEST_F(ConcurrentLinesThreads, walks_visit_once_what_is_there_all_the_time) {
    constexpr std::uint64_t lasting = 500;
    auto table = make(16);
    {
        GraceModel::Section const section(grace);
        for (std::uint64_t key = 1; key <= lasting; ++key) table.insert(key, 7 * key);
    }
    std::size_t const walks = operations(25, 6'000);
    std::atomic<bool> is_over{false};
    std::atomic<std::size_t> wrong{0};
    run(threads, [&](std::size_t i) {
        bench::Random random(i + 1);
        if (i == 0) {
            std::vector<std::uint8_t> visits(lasting + 1);
            for (std::size_t time = 0; time < walks; ++time) {
                std::fill(visits.begin(), visits.end(), 0);
                LineWalk walk;
                for (bool goes_on = true; goes_on;) {
                    GraceModel::Section const section(grace);
                    goes_on = table.visit_some(walk, 1 + random.below(50), [&](std::uint64_t key, std::uint64_t value) {
                        if (key > lasting) return;
                        ++visits[key];
                        wrong += value == 7 * key ? 0 : 1;
                    });
                }
                for (std::uint64_t key = 1; key <= lasting; ++key) wrong += visits[key] == 1 ? 0 : 1;
            }
            is_over.store(true);
            return;
        }
        while (!is_over.load()) {
            GraceModel::Section const section(grace);
            std::uint64_t const key = (i + 1) * 10'000 + random.below(600);
            random.below(2) == 0 ? (void)table.insert(key, 1) : (void)table.erase(key);
            if (random.below(200) == 0) (void)(random.below(2) == 0 ? table.begin_growing() : table.begin_shrinking());
            if (random.below(4) == 0) table.work();
        }
    });
    EXPECT_EQ(wrong.load(), 0U);
}

} // namespace
} // namespace mxk::test

// A table that is cut over several ranks, which here share a process: calls give what a map would, whatever their size,
// and operations of all cores at once are linearizable.
#include <deque>
#include <map>
#include <vector>

#include "bench/workload/keys.hpp"
#include "hashtable/remote/table_call.hpp"
#include "tests/unit/history.hpp"
#include "tests/unit/ranks_fixture.hpp"

namespace mxk::test {
namespace {

using RemoteTableTest = RanksTest;
using bench::Random;
using remote::TableOperation;

// Sixteen bytes, and longer values than keys.
struct PairKey {
    std::uint64_t high;
    std::uint64_t low;
    auto operator<=>(PairKey const&) const = default;
};
struct LongValue {
    std::array<std::uint64_t, 5> words;
    bool operator==(LongValue const&) const = default;
};

template <typename T> T made_from(std::uint64_t number);
template <> std::uint64_t made_from(std::uint64_t number) {
    return number * 0x9e37'79b9'7f4a'7c15;
}
template <> std::uint16_t made_from(std::uint64_t number) {
    return static_cast<std::uint16_t>(number);
}
template <> PairKey made_from(std::uint64_t number) {
    return {number % 3, number};
}
template <> LongValue made_from(std::uint64_t number) {
    return {{number, number + 1, number + 2, number + 3, number + 4}};
}

// The parts of all ranks.
template <typename Key, typename Value> class RankTables {
  public:
    using Part = remote::RankTable<Key, Value>;

    // The first `of_ranks` have the keys.
    RankTables(Ranks& ranks, remote::Rank of_ranks) {
        for (remote::Rank rank = 0; rank < ranks.shape().ranks; ++rank) {
            auto local = Part::Local::create();
            expect(local.ok(), "there is memory for a table");
            parts_.emplace_back(ranks.network(rank), std::move(local).value(), of_ranks);
        }
    }
    Part& part(remote::Rank rank) { return parts_[rank]; }
    [[nodiscard]] std::size_t size() const {
        std::size_t sum = 0;
        for (Part const& part : parts_) sum += part.local().size();
        return sum;
    }

    // From a core of that rank, which waits for it.
    remote::CallResult call(Worker& here, remote::Rank rank, TableOperation operation, std::span<Key const> keys,
                            Value const* given, Value* found, std::span<std::uint64_t> mask) {
        remote::TableCall<Key, Value> its(parts_[rank], operation, keys, given, found, mask);
        if (!its.advance(here)) here.run_until([&] { return its.advance(here); });
        return its.result();
    }

  private:
    std::deque<Part> parts_;
};

// Calls from core 0, with a map beside.
template <typename Key, typename Value> class RankTablesModel {
  public:
    RankTablesModel(Worker& here, Ranks& ranks, std::uint64_t seed)
        : here_(here)
        , tables_(ranks, ranks.shape().ranks)
        , random_(seed) {}

    // `kinds`: of different keys: few of them come again in one call.
    void play(TableOperation operation, std::size_t count, std::uint64_t kinds) {
        std::vector<Key> keys;
        std::vector<Value> given;
        for (std::size_t i = 0; i < count; ++i) {
            keys.push_back(made_from<Key>(random_.below(kinds)));
            given.push_back(made_from<Value>(random_.next()));
        }
        std::vector<std::uint64_t> mask((count + 63) / 64 + 1, random_.next());
        std::uint64_t const behind = mask.back();
        bool const has_mask = random_.below(4) != 0;
        std::vector<Value> found = given;
        bool const finds = operation == TableOperation::Find;
        auto const result =
            tables_.call(here_, 0, operation, keys, remote::brings_values(operation) ? given.data() : nullptr,
                         finds ? found.data() : nullptr, has_mask ? std::span(mask) : std::span<std::uint64_t>());
        std::size_t changed = 0;
        for (std::size_t i = 0; i < count; ++i) {
            bool const is_set = apply(operation, keys[i], given[i]);
            changed += is_set ? 1 : 0;
            if (has_mask) {
                ASSERT_EQ((mask[i / 64] >> i % 64 & 1) != 0, is_set) << "key " << i << " of " << count;
            }
            if (finds) {
                ASSERT_TRUE(found[i] == (is_set ? map_.at(keys[i]) : given[i])) << "key " << i << " of " << count;
            }
        }
        if (has_mask && count % 64 != 0) {
            EXPECT_EQ(mask[count / 64] >> count % 64, 0U) << "behind the last key";
        }
        EXPECT_EQ(mask.back(), behind) << "behind the mask";
        EXPECT_EQ(result.changed, changed);
        EXPECT_EQ(result.failed, 0U);
        EXPECT_EQ(tables_.size(), map_.size());
    }

  private:
    bool apply(TableOperation operation, Key const& key, Value const& value) {
        auto const place = map_.find(key);
        bool const is_there = place != map_.end();
        switch (operation) {
        case TableOperation::Find: return is_there;
        case TableOperation::Insert: return map_.emplace(key, value).second;
        case TableOperation::Upsert: return map_.insert_or_assign(key, value).second;
        case TableOperation::Update:
            if (is_there) place->second = value;
            return is_there;
        case TableOperation::Erase: break;
        }
        return map_.erase(key) != 0;
    }

    Worker& here_;
    RankTables<Key, Value> tables_;
    std::map<Key, Value> map_;
    Random random_;
};

std::vector<RanksShape> ranks_for_tables() {
    return {
        {.ranks = 2, .limits = {.fill = 256}},
        // Fewer requests than cores that have keys.
        {.ranks = 4, .cores = 2, .limits = {.credits = 1, .fill = 512, .requests = 2}},
        {.ranks = 3,
         .cores = 2,
         .endpoint_of_each_core = true,
         .disturb = 1,
         .limits = {.credits = 2, .fill = 16384, .requests = 3}},
        {.ranks = 4, .disturb = 2, .departure = Departure::WhenReceived, .limits = {.fill = 256, .requests = 1}},
    };
}

template <typename Key, typename Value> void expect_calls_as_of_a_map(Worker& here, Ranks& ranks) {
    RankTablesModel<Key, Value> model(here, ranks, ranks.shape().disturb + 1);
    // Where requests are scarce, each takes a key or two.
    std::vector<std::size_t> const all{0, 1, 63, 64, 65, 300};
    for (std::size_t const count : ranks.shape().limits.requests > 3 ? all : std::vector<std::size_t>{0, 1, 65}) {
        for (std::uint64_t const kinds : {std::uint64_t{5}, std::uint64_t{400}})
            for (TableOperation const operation : {TableOperation::Insert, TableOperation::Find, TableOperation::Upsert,
                                                   TableOperation::Update, TableOperation::Erase, TableOperation::Find})
                model.play(operation, count, kinds);
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST_F(RemoteTableTest, calls_give_what_a_map_would) {
    with_ranks(ranks_for_tables(), [](Worker& here, Ranks& ranks) {
        expect_calls_as_of_a_map<std::uint64_t, std::uint64_t>(here, ranks);
        expect_calls_as_of_a_map<PairKey, LongValue>(here, ranks);
        expect_calls_as_of_a_map<std::uint16_t, std::uint64_t>(here, ranks);
    });
}

// The last of them stays, and of inserts the first one.
TEST_F(RemoteTableTest, operations_on_one_key_take_effect_in_the_order_of_the_span) {
    with_ranks(ranks_for_tables(), [](Worker& here, Ranks& ranks) {
        RankTables<std::uint64_t, std::uint64_t> tables(ranks, ranks.shape().ranks);
        constexpr std::size_t count = 400;
        constexpr std::size_t kinds = 7;
        std::vector<std::uint64_t> keys;
        std::vector<std::uint64_t> values;
        for (std::size_t i = 0; i < count; ++i) {
            keys.push_back(i % kinds);
            values.push_back(i);
        }
        std::vector<std::uint64_t> mask(count / 64 + 1);
        EXPECT_EQ(tables.call(here, 0, TableOperation::Insert, keys, values.data(), nullptr, mask).changed, kinds);
        EXPECT_EQ(mask[0], (1U << kinds) - 1);
        std::vector<std::uint64_t> found(kinds);
        std::span const each(keys.data(), kinds);
        tables.call(here, 0, TableOperation::Find, each, nullptr, found.data(), {});
        for (std::size_t i = 0; i < kinds; ++i) EXPECT_EQ(found[i], i);
        EXPECT_EQ(tables.call(here, 0, TableOperation::Upsert, keys, values.data(), nullptr, {}).changed, 0U);
        tables.call(here, 0, TableOperation::Find, each, nullptr, found.data(), {});
        for (std::size_t i = 0; i < kinds; ++i) EXPECT_EQ(found[i], count - 1 - (count - 1 - i) % kinds);
    });
}

// Each part has the keys that are its own, and ranks that have none send to those that do.
TEST_F(RemoteTableTest, keys_stand_where_they_belong) {
    with_ranks({{.ranks = 4, .cores = 2}}, [](Worker& here, Ranks& ranks) {
        RankTables<std::uint64_t, std::uint64_t> tables(ranks, 3);
        std::vector<std::uint64_t> keys(2000);
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
        tables.call(here, 0, TableOperation::Insert, keys, keys.data(), nullptr, {});
        for (remote::Rank rank = 0; rank < 4; ++rank) {
            auto& part = tables.part(rank);
            std::size_t count = 0;
            part.local().for_each([&](std::uint64_t key, std::uint64_t) {
                ++count;
                EXPECT_EQ(part.owner(key) / 2, rank);
            });
            EXPECT_GE(count, rank < 3 ? keys.size() / 6 : 0);
            EXPECT_LE(count, rank < 3 ? keys.size() / 2 : 0);
        }
        std::vector<std::size_t> found(8);
        std::vector<CoreId> const cores = ranks.all_cores_of_ranks();
        ASSERT_TRUE(run_on(std::span<CoreId const>(cores), [&](Worker& worker, std::size_t place) {
            std::vector<std::uint64_t> values(keys.size());
            auto const rank = static_cast<remote::Rank>(place / 2);
            found[place] = tables.call(worker, rank, TableOperation::Find, keys, nullptr, values.data(), {}).changed;
            EXPECT_EQ(values, keys);
            return Step::Done;
        }));
        EXPECT_EQ(found, std::vector<std::size_t>(8, keys.size()));
    });
}

// Some operations on a few keys by each core of each rank, one at a time.
std::vector<Event> history_of_ranks(Ranks& ranks, std::uint64_t run, std::size_t operations) {
    RankTables<std::uint64_t, std::uint64_t> tables(ranks, ranks.shape().ranks);
    History history(ranks.cores_of_all());
    std::vector<CoreId> const cores = ranks.all_cores_of_ranks();
    std::vector<std::size_t> ended(cores.size());
    std::vector<Random> randoms;
    for (std::size_t i = 0; i < cores.size(); ++i) randoms.emplace_back(splitmix(run) + i);
    EXPECT_TRUE(run_on(std::span<CoreId const>(cores), [&](Worker& worker, std::size_t place) {
        constexpr std::array wanted{Operation::Find,   Operation::Find,   Operation::Insert,
                                    Operation::Update, Operation::Upsert, Operation::Erase};
        constexpr std::array sent{TableOperation::Find,   TableOperation::Find,   TableOperation::Insert,
                                  TableOperation::Update, TableOperation::Upsert, TableOperation::Erase};
        Random& random = randoms[place];
        std::size_t const kind = random.below(wanted.size());
        Event event{.operation = wanted[kind], .key = random.below(3), .core = worker.core()};
        bool const writes = remote::brings_values(sent[kind]);
        if (writes) event.value = (place + 1) * 1000 + ended[place];
        event.invoked = time_of_invocation();
        auto const result =
            tables.call(worker, static_cast<remote::Rank>(place / ranks.shape().cores), sent[kind],
                        std::span(&event.key, 1), writes ? &event.value : nullptr, writes ? nullptr : &event.value, {});
        event.responded = time_of_response();
        event.result = result.changed != 0 ? TableResult::Yes : TableResult::No;
        history.note(event);
        return ++ended[place] < operations ? Step::Again : Step::Done;
    }));
    return history.events();
}

TEST_F(RemoteTableTest, operations_of_all_ranks_are_linearizable) {
    std::vector<RanksShape> const shapes{
        {.ranks = 4},
        {.ranks = 4, .cores = 2, .endpoint_of_each_core = true, .limits = {.credits = 1}},
        {.ranks = 4, .disturb = 1},
        {.ranks = 4, .cores = 2, .disturb = 2, .departure = Departure::WhenReceived, .limits = {.credits = 1}},
    };
    with_ranks(shapes, [](Worker& /*here*/, Ranks& ranks) {
        std::size_t operations = 0;
        std::size_t overlaps = 0;
        for (std::uint64_t run = 0; run < 6; ++run) {
            std::vector<Event> const history = history_of_ranks(ranks, run, 40);
            auto const why = why_not_linearizable(history);
            ASSERT_FALSE(why) << "run " << run << ", " << *why;
            operations += history.size();
            overlaps += overlapping(history);
        }
        EXPECT_GT(overlaps, operations / 4) << "of " << operations << ": too few to prove anything";
    });
}

} // namespace
} // namespace mxk::test

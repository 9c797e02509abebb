// The shared table of lines at every injection point of its operations: what others do just there, and what they see.
// One thread, so that each order comes about at every run.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "hashtable/shared/concurrent_lines.hpp"
#include "tests/delays.hpp"
#include "tests/unit/memory_fixture.hpp"
#include "tests/unit/model_grace.hpp"

namespace mxk::test {
namespace {

// Keys up to 2^60 are in the first bucket of a table that has no more than 16.
struct KeyAsHash {
    std::uint64_t operator()(std::uint64_t key) const { return key; }
};
// The first of a quarter of the buckets; from four on they are different ones.
constexpr std::uint64_t quarter(std::uint64_t number) {
    return number << 62;
}

// Calls something at the points that a piece of code comes through, but for those of what it calls itself.
class AtPoints {
  public:
    // `at`: with the number of the point.
    template <typename Code> static std::size_t run(std::function<void(std::size_t)> at, Code code) {
        call = std::move(at);
        points = 0;
        {
            InjectDelays const inject(&AtPoints::point);
            code();
        }
        call = nullptr;
        return points;
    }

  private:
    static void point() {
        auto const now = std::exchange(call, nullptr);
        if (now == nullptr) return;
        now(points++);
        call = now;
    }
    static inline std::function<void(std::size_t)> call;
    static inline std::size_t points = 0;
};

using PointTable = ConcurrentLines<KeyAsHash, GraceModel::Handle>;
constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

class ConcurrentLinesPoints : public MemoryTest {
  protected:
    void SetUp() override {
        if (!inject::enabled) GTEST_SKIP() << "this build has no injection points";
        configure({64 * MiB});
    }
    void TearDown() override {
        grace.end();
        MemoryTest::TearDown();
    }
    PointTable make(GraceModel& its_grace) {
        Owner const owner{core_id(0), node_id(0)};
        return PointTable::create({.keys = 1}, {&owner, 1}, KeyAsHash(), its_grace.handle()).value();
    }

    GraceModel grace;
};

// One key of a bucket whose places are all taken goes, another one gets its place, goes again, and the first comes
// back: all while a look-up for it stands at its points. What it finds must have been the key's.
std::optional<std::uint64_t> find_while_places_change(PointTable& table) {
    for (std::uint64_t const key : {1U, 2U, 3U}) EXPECT_EQ(table.insert(key, 10 * key), Insert::Inserted);
    std::optional<std::uint64_t> found;
    AtPoints::run(
        [&](std::size_t point) {
            if (point == 1) { // it has found where the key stands
                EXPECT_TRUE(table.erase(1));
                EXPECT_EQ(table.insert(4, 666), Insert::Inserted);
            } else if (point == 2) { // and has read the value
                EXPECT_TRUE(table.erase(4));
                EXPECT_EQ(table.insert(1, 11), Insert::Inserted);
            }
        },
        [&] { found = table.find(1); });
    return found;
}

TEST_F(ConcurrentLinesPoints, a_look_up_gives_no_other_keys_value) {
    auto table = make(grace);
    GraceModel::Section const section(grace);
    EXPECT_EQ(find_while_places_change(table), std::nullopt); // there was a moment without it
    EXPECT_EQ(table.find(1), 11U);
}

// That the test above would find it.
TEST_F(ConcurrentLinesPoints, without_grace_periods_it_does) {
    GraceModel broken(GraceModel::Kind::OverAtOnce);
    auto table = make(broken);
    GraceModel::Section const section(broken);
    EXPECT_EQ(find_while_places_change(table), 666U);
}

// At every point of a look-up something is done to its key, to its bucket, or to the whole table.
TEST_F(ConcurrentLinesPoints, what_a_look_up_finds_was_there_at_some_moment) {
    using Action = std::function<void(PointTable&)>;
    auto const resize = [](PointTable& table) { EXPECT_TRUE(table.reserve(table.bucket_count() * 2)); };
    std::vector<Action> const actions = {
        [](PointTable& table) { table.erase(7); },
        [](PointTable& table) { table.update(7, 71); },
        [](PointTable& table) { table.upsert(7, 71); },
        resize,
        [&](PointTable& table) { resize(table), table.update(7, 71); },
        [&](PointTable& table) { table.erase(7), resize(table); },
        [&](PointTable& table) { resize(table), table.erase(7), table.insert(7, 71); },
        [](PointTable& table) { table.erase(7), table.insert(7, 71); },
    };
    for (std::uint64_t const others : {0U, 2U, 3U, 6U}) { // which are in front of it, in one line or another
        for (std::size_t const is_there : {0U, 1U}) {
            for (Action const& action : actions) {
                for (std::size_t at = 0, points = 1; at < points; ++at) {
                    auto table = make(grace);
                    GraceModel::Section const section(grace);
                    for (std::uint64_t key = 100; key < 100 + others; ++key) table.insert(key, key);
                    if (is_there != 0) table.insert(7, 70);
                    std::optional<std::uint64_t> found;
                    auto const before = table.find(7);
                    points = AtPoints::run(
                        [&](std::size_t point) {
                            if (point == at) action(table);
                        },
                        [&] { found = table.find(7); });
                    auto const after = table.find(7);
                    bool const may_be_gone = is_there == 0 || !after || *after == 71;
                    EXPECT_TRUE(found == before || found == after || (!found && may_be_gone))
                        << others << " others, point " << at;
                    for (std::uint64_t key = 100; key < 100 + others; ++key) ASSERT_EQ(table.find(key), key);
                }
            }
        }
    }
}

// At every point of a writer, and of a resize that goes on meanwhile, all that it does not concern is found, and what
// it concerns is as before until it is as after.
class Observer {
  public:
    Observer(PointTable const& table, std::map<std::uint64_t, std::uint64_t> lasting, std::uint64_t key,
             std::uint64_t after)
        : table_(table)
        , lasting_(std::move(lasting))
        , key_(key)
        , before_(table.find(key).value_or(none))
        , after_(after) {}

    void look() {
        for (auto const& [key, value] : lasting_) EXPECT_EQ(table_.find(key), value);
        std::uint64_t const now = table_.find(key_).value_or(none);
        EXPECT_TRUE(now == after_ || (now == before_ && !is_done_)) << now;
        is_done_ = is_done_ || now != before_;
        std::map<std::uint64_t, std::size_t> visits;
        table_.for_each([&](std::uint64_t key, std::uint64_t value) {
            ++visits[key];
            if (key != key_) EXPECT_EQ(lasting_.at(key), value);
        });
        EXPECT_EQ(visits.size() - visits.count(key_), lasting_.size());
        for (auto const& [key, times] : visits) EXPECT_EQ(times, 1U) << key;
    }
    void end() {
        look();
        EXPECT_EQ(table_.find(key_).value_or(none), after_);
    }

  private:
    PointTable const& table_;
    std::map<std::uint64_t, std::uint64_t> lasting_;
    std::uint64_t key_;
    std::uint64_t before_;
    std::uint64_t after_;
    bool is_done_ = false;
};

TEST_F(ConcurrentLinesPoints, readers_see_a_writer_before_or_after_it) {
    enum class Resizing : std::uint8_t { None, Growing, Shrinking };
    std::size_t points = 0;
    for (Resizing const resizing : {Resizing::None, Resizing::Growing, Resizing::Shrinking}) {
        for (std::uint64_t const in_bucket : {1U, 3U, 5U, 8U}) {
            for (int operation = 0; operation < 7; ++operation) {
                auto table = make(grace);
                GraceModel::Section const section(grace);
                if (resizing == Resizing::Shrinking) ASSERT_TRUE(table.reserve(40));
                std::map<std::uint64_t, std::uint64_t> lasting;
                for (std::uint64_t i = 0; i < in_bucket; ++i)
                    for (std::uint64_t at = 0; at < 4; ++at) lasting[quarter(at) + (i << 58) + 5] = i + 50;
                for (auto const& [key, value] : lasting) ASSERT_EQ(table.insert(key, value), Insert::Inserted);
                if (operation != 0 && operation != 2) ASSERT_EQ(table.insert(7, 70), Insert::Inserted);
                std::uint64_t const after = operation == 6 ? 70 : operation == 5 ? none : operation == 4 ? 72 : 71;
                Observer observer(table, lasting, 7, after);
                points += AtPoints::run([&](std::size_t) { observer.look(); },
                                        [&] {
                                            if (resizing == Resizing::Growing) ASSERT_TRUE(table.begin_growing());
                                            if (resizing == Resizing::Shrinking) ASSERT_TRUE(table.begin_shrinking());
                                            switch (operation) {
                                            case 0: ASSERT_EQ(table.insert(7, 71), Insert::Inserted); break;
                                            case 1: ASSERT_EQ(table.upsert(7, 71), Insert::Present); break;
                                            case 2: ASSERT_EQ(table.upsert(7, 71), Insert::Inserted); break;
                                            case 3: ASSERT_TRUE(table.update(7, 71)); break;
                                            case 4:
                                                ASSERT_TRUE(table.modify(7, [](std::uint64_t v) { return v + 2; }));
                                                break;
                                            case 5: ASSERT_TRUE(table.erase(7)); break;
                                            default: break;
                                            }
                                            while (table.work()) {
                                            }
                                        });
                observer.end();
                ASSERT_FALSE(table.is_resizing());
                table.check();
            }
        }
    }
    EXPECT_GT(points, 500U);
}

} // namespace
} // namespace mxk::test

// The loop that measures a peer must notice every way in which a table can be wrong: here, tables are wrong on purpose.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <vector>

#include "base/histogram.hpp"
#include "kernel/clock.hpp"
#include "peers/measured_table.hpp"

namespace mxk::bench {
namespace {

constexpr std::array one_core{core_id(0)};

// What a table may do wrong with the key 7; the others are treated well.
enum class Fault : std::uint8_t { None, RefusesInsert, Loses, FindsOther, InventsKeys, RefusesErase, Throws };

template <Fault fault> class ModelTable {
  public:
    ModelTable(std::size_t, Cores) {}
    std::size_t size() { return map_.size(); }

    bool insert(std::uint64_t key, std::uint64_t value) {
        if (fault == Fault::Throws && key == 7) throw std::bad_alloc();
        if (fault == Fault::RefusesInsert && key == 7) return false;
        if (fault == Fault::Loses && key == 7) return true;
        return map_.emplace(key, value).second;
    }
    std::optional<std::uint64_t> find(std::uint64_t key) {
        auto const found = map_.find(key);
        if (fault == Fault::InventsKeys && key == 7) return value_of(key);
        if (found == map_.end()) return std::nullopt;
        return fault == Fault::FindsOther && key == 7 ? value_of(8) : found->second;
    }
    bool erase(std::uint64_t key) { return (fault != Fault::RefusesErase || key != 7) && map_.erase(key) == 1; }

  private:
    std::map<std::uint64_t, std::uint64_t> map_;
};

std::vector<Instruction> of_keys(Operation operation, std::uint64_t first, std::uint64_t last, bool expected = true) {
    std::vector<Instruction> result;
    for (std::uint64_t key = first; key <= last; ++key) result.push_back({key, operation, expected});
    return result;
}

// How many of the results were wrong.
std::uint64_t wrong(PeerTable& table, std::vector<Instruction> const& slice) {
    auto const result = table.run(0, slice, 0, slice.size(), nullptr);
    EXPECT_TRUE(result.ok());
    return result.ok() ? result.value() : ~std::uint64_t{0};
}

// Inserts 1 to 10, finds them, looks for others, erases them; gives the wrong results of each.
template <Fault fault> std::vector<std::uint64_t> wrong_of_all() {
    MeasuredTable<ModelTable<fault>> table(10U, one_core);
    std::vector<std::uint64_t> result;
    result.push_back(wrong(table, of_keys(Operation::Insert, 1, 10)));
    result.push_back(wrong(table, of_keys(Operation::Find, 1, 10)));
    result.push_back(wrong(table, of_keys(Operation::Erase, 1, 10)));
    result.push_back(wrong(table, of_keys(Operation::Find, 1, 10, false)));
    return result;
}

using Counts = std::vector<std::uint64_t>;

TEST(MeasuredTable, a_right_table_has_no_wrong_results) {
    EXPECT_EQ(wrong_of_all<Fault::None>(), (Counts{0, 0, 0, 0}));
}

TEST(MeasuredTable, counts_each_wrong_result) {
    EXPECT_EQ(wrong_of_all<Fault::RefusesInsert>(), (Counts{1, 1, 1, 0}));
    EXPECT_EQ(wrong_of_all<Fault::Loses>(), (Counts{0, 1, 1, 0}));
    EXPECT_EQ(wrong_of_all<Fault::FindsOther>(), (Counts{0, 1, 0, 0}));
    EXPECT_EQ(wrong_of_all<Fault::InventsKeys>(), (Counts{0, 0, 0, 1}));
    EXPECT_EQ(wrong_of_all<Fault::RefusesErase>(), (Counts{0, 0, 1, 1}));
}

TEST(MeasuredTable, the_size_is_what_the_table_says) {
    MeasuredTable<ModelTable<Fault::Loses>> table(10U, one_core);
    EXPECT_EQ(wrong(table, of_keys(Operation::Insert, 1, 10)), 0U);
    EXPECT_EQ(table.size(), 9U);
}

TEST(MeasuredTable, runs_only_the_piece) {
    MeasuredTable<ModelTable<Fault::None>> table(10U, one_core);
    auto const slice = of_keys(Operation::Insert, 1, 10);
    ASSERT_TRUE(table.run(0, slice, 2, 5, nullptr).ok());
    EXPECT_EQ(table.size(), 3U);
    EXPECT_EQ(wrong(table, of_keys(Operation::Find, 3, 5)), 0U);
    EXPECT_EQ(wrong(table, of_keys(Operation::Find, 1, 2)), 2U);
}

TEST(MeasuredTable, what_a_table_throws_is_an_error) {
    MeasuredTable<ModelTable<Fault::Throws>> table(10U, one_core);
    auto const slice = of_keys(Operation::Insert, 1, 10);
    auto const result = table.run(0, slice, 0, slice.size(), nullptr);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().message(), std::bad_alloc().what());
}

// Has no erase.
class InsertOnly {
  public:
    InsertOnly(std::size_t, Cores) {}
    std::size_t size() { return 0; }
    bool insert(std::uint64_t, std::uint64_t) { return true; }
    std::optional<std::uint64_t> find(std::uint64_t) { return std::nullopt; }
};

TEST(MeasuredTable, an_erase_that_is_not_there_is_never_right) {
    MeasuredTable<InsertOnly> table(10U, one_core);
    EXPECT_EQ(wrong(table, of_keys(Operation::Erase, 1, 10)), 10U);
}

// Notes what it was told ahead of time.
class Listener {
  public:
    Listener(std::size_t, Cores) {}
    std::size_t size() { return 0; }
    struct Session {
        Session(Listener&, std::size_t) {}
        bool insert(std::uint64_t key, std::uint64_t) {
            EXPECT_EQ(told.size(), key);
            return true;
        }
        std::optional<std::uint64_t> find(std::uint64_t) { return std::nullopt; }
        void prefetch(std::uint64_t key) { told.push_back(key); }
    };
    static inline std::vector<std::uint64_t> told;
};

TEST(MeasuredTable, tells_keys_ahead_and_never_beyond_the_slice) {
    MeasuredTable<Listener> table(100U, one_core);
    auto const slice = of_keys(Operation::Insert, 1, 100);
    ASSERT_TRUE(table.run(0, slice, 0, 100, nullptr).ok());
    ASSERT_EQ(Listener::told.size(), 100U);
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(Listener::told[i], std::min<std::uint64_t>(i + 17, 100));
}

TEST(MeasuredTable, times_every_operation_if_it_is_asked_to) {
    Histogram latency;
    auto const slice = of_keys(Operation::Insert, 1, 100);
    MeasuredTable<ModelTable<Fault::None>> table(100U, one_core);
    ASSERT_TRUE(table.run(0, slice, 0, 60, &latency).ok());
    ASSERT_TRUE(table.run(0, slice, 60, 100, &latency).ok());
    EXPECT_EQ(latency.count(), 100U);
    EXPECT_EQ(table.size(), 100U);
}

// One that is told its keys ahead is busy with each from then on: here until the clock has gone on by `wait` for each
// of the operations before.
class Slow {
  public:
    static constexpr std::uint64_t wait = 100'000;
    Slow(std::size_t, Cores) {}
    std::size_t size() { return 0; }
    struct Session {
        Session(Slow&, std::size_t) {}
        bool insert(std::uint64_t, std::uint64_t) {
            auto const start = raw(clock::timestamp());
            while (raw(clock::timestamp()) - start < wait) {
            }
            return true;
        }
        std::optional<std::uint64_t> find(std::uint64_t) { return std::nullopt; }
        void prefetch(std::uint64_t) {}
    };
};

TEST(MeasuredTable, times_from_the_prefetch_on) {
    Histogram latency;
    auto const slice = of_keys(Operation::Insert, 1, 100);
    MeasuredTable<Slow> table(100U, one_core);
    ASSERT_TRUE(table.run(0, slice, 0, slice.size(), &latency).ok());
    EXPECT_GE(latency.quantile(0.5), 16 * Slow::wait);
}

} // namespace
} // namespace mxk::bench

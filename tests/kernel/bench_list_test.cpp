// `bench list` on real cores, small: the list under each protection, and protections that do not protect, or lists that
// lose something, are found out.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "bench/rcu/list_protection.hpp"
#include "bench/rcu/list_run.hpp"
#include "kernel/testing.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk::bench {
namespace {

MXK_TEST(bench_list, a_sorted_list_finds_and_replaces) {
    std::array<ListItem, 4> items;
    SortedList list;
    MXK_CHECK(!list.find(2));
    MXK_CHECK(list.replace(2, items[3]) == nullptr);
    list.push_front(items[2], 6);
    list.push_front(items[1], 4);
    list.push_front(items[0], 2);
    for (std::uint64_t const key : {2U, 4U, 6U}) MXK_CHECK(list.find(key) == value_of(key));
    for (std::uint64_t const key : {1U, 3U, 5U, 7U}) {
        MXK_CHECK(!list.find(key));
        MXK_CHECK(list.replace(key, items[3]) == nullptr);
    }
    // The last, the first, one between: each the new item of the next one.
    MXK_CHECK(list.replace(6, items[3]) == &items[2]);
    MXK_CHECK(list.replace(2, items[2]) == &items[0]);
    MXK_CHECK(list.replace(4, items[0]) == &items[1]);
    MXK_CHECK(list.replace(4, items[1]) == &items[0]);
    MXK_CHECK(list.find(6) == value_of(6, 1));
    MXK_CHECK(list.find(2) == value_of(2, 1));
    MXK_CHECK(list.find(4) == value_of(4, 2));
    std::uint64_t last = 0;
    std::size_t visited = 0;
    list.visit_while([&](ListItem const& item) {
        MXK_CHECK_EQUAL(item.key.load(), last + 2);
        last = item.key.load();
        return ++visited < 4;
    });
    MXK_CHECK_EQUAL(visited, 3);
}

MXK_TEST(bench_list, a_pool_poisons_what_is_given_back) {
    std::array<ListItem, 2> items;
    ListItemPool pool;
    MXK_CHECK(pool.take() == nullptr);
    for (ListItem& item : items) {
        item.key = 3;
        item.value = value_of(3);
        item.link = items.data();
        pool.give_back(item);
        MXK_CHECK(item.key.load() == ListItem::poison && item.value.load() == ListItem::poison);
        MXK_CHECK(item.link.load() == nullptr);
    }
    MXK_CHECK_EQUAL(pool.count_free(), 2);
    items[0].value = value_of(3); // somebody has written to it
    MXK_CHECK_EQUAL(pool.count_free(), 0);
    MXK_CHECK(pool.take() == &items[1]);
    MXK_CHECK(pool.take() == items.data());
    MXK_CHECK(pool.take() == nullptr);
}

// Up to four cores for some milliseconds, until there was each kind of operation: a busy host may leave a machine none
// of the time.
template <typename Protection>
std::optional<ListOutcome> list_once(std::size_t keys, unsigned update_percent, Distribution distribution = {}) {
    FixedText<1> nowhere;
    console::Invocation const invocation(nowhere);
    Progress progress(invocation);
    auto const cores = all_cores();
    for (std::uint64_t milliseconds = 3; milliseconds < 10'000; milliseconds *= 2) {
        auto const outcome = run_list<Protection>({.cores = cores.span().first(std::min<std::size_t>(cores.size(), 4)),
                                                   .keys = keys,
                                                   .update_percent = update_percent,
                                                   .distribution = distribution,
                                                   .time = clock::to_cycles(Nanoseconds{milliseconds * 1'000'000}),
                                                   .seed = 1,
                                                   .progress = progress});
        if (!outcome.ok()) break;
        ListOutcome const& run = outcome.value();
        bool const has_updates = run.updates != 0 || update_percent == 0;
        bool const has_finds = run.updates != run.operations || update_percent == 100;
        if (has_updates && has_finds) return run;
    }
    MXK_CHECK(false && "a run without an error, with each kind of operation");
    return std::nullopt;
}

template <typename Protection> void protects() {
    for (unsigned const update_percent : {0U, 50U, 100U}) {
        auto const outcome = list_once<Protection>(20, update_percent);
        if (!outcome) return;
        MXK_CHECK_EQUAL(outcome->wrong, 0);
        MXK_CHECK(outcome->has_content);
        MXK_CHECK(outcome->is_sound);
        MXK_CHECK(outcome->verified());
        MXK_CHECK_EQUAL(outcome->updates == 0, update_percent == 0);
        MXK_CHECK_EQUAL(outcome->updates == outcome->operations, update_percent == 100);
    }
}

MXK_TEST(bench_list, is_verified_under_rcu) {
    protects<RcuProtection>();
}
MXK_TEST(bench_list, is_verified_under_a_test_and_set_lock) {
    protects<LockProtection<TestAndSetLock>>();
}
MXK_TEST(bench_list, is_verified_under_a_ticket_lock) {
    protects<LockProtection<TicketLock>>();
}
MXK_TEST(bench_list, is_verified_under_a_reader_writer_lock) {
    protects<ReaderWriterProtection>();
}

MXK_TEST(bench_list, is_verified_with_one_key_and_with_few_that_are_used_often) {
    for (std::size_t const keys : {1U, 5000U}) {
        auto const outcome = list_once<RcuProtection>(keys, 20, Distribution::zipf(0.99));
        if (outcome) MXK_CHECK(outcome->verified());
    }
}

// Readers may still be at what it gives back.
struct NoGracePeriods : RcuProtection {
    static void give_back(ListItemPool& pool, ListItem& item) { pool.give_back(item); }
};

// Sooner or later a reader meets what was given back, if it runs beside a writer.
MXK_TEST(bench_list, items_that_come_back_without_a_grace_period_are_found_out) {
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    std::uint64_t const deadline = raw(clock::now()) + 30'000'000'000;
    bool is_found = false;
    while (!is_found && raw(clock::now()) < deadline) {
        auto const outcome = list_once<NoGracePeriods>(50, 50);
        if (!outcome) return;
        MXK_CHECK(outcome->has_content); // its writers exclude each other
        is_found = !outcome->verified();
        MXK_CHECK_EQUAL(is_found, outcome->wrong != 0);
    }
    MXK_CHECK(is_found);
}

struct NoLockForReaders : LockProtection<TicketLock> {
    template <typename Function> static auto read(Function function) { return function(); }
};

MXK_TEST(bench_list, readers_that_take_no_lock_are_found_out) {
    auto const outcome = list_once<NoLockForReaders>(50, 50);
    if (!outcome) return;
    MXK_CHECK(!outcome->is_sound);
    MXK_CHECK(!outcome->verified());
}

// The first update is not made; it looks as if it were, and there are as many items as before.
class OneUpdateLost : public LockProtection<TestAndSetLock> {
  public:
    template <typename Function> auto write(Function function) {
        return LockProtection::read([&] { return std::exchange(is_lost_, true) ? function() : &another_; });
    }

  private:
    bool is_lost_ = false;
    ListItem another_;
};

MXK_TEST(bench_list, a_lost_update_is_found_out) {
    auto const outcome = list_once<OneUpdateLost>(50, 50);
    if (!outcome) return;
    MXK_CHECK_EQUAL(outcome->wrong, 0);
    MXK_CHECK(outcome->is_sound);
    MXK_CHECK(!outcome->has_content);
    MXK_CHECK(!outcome->verified());
}

// Does not give back the first item.
class OneItemLost : public LockProtection<TestAndSetLock> {
  public:
    void give_back(ListItemPool& pool, ListItem& item) {
        if (has_lost_.exchange(true)) pool.give_back(item);
    }

  private:
    std::atomic<bool> has_lost_{false};
};

MXK_TEST(bench_list, a_lost_item_is_found_out) {
    auto const outcome = list_once<OneItemLost>(50, 50);
    if (!outcome) return;
    MXK_CHECK_EQUAL(outcome->wrong, 0);
    MXK_CHECK(!outcome->has_content);
}

} // namespace
} // namespace mxk::bench

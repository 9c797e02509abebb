// The checker itself: histories made by hand, and thousands of random ones against all permutations.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "bench/workload/random.hpp"
#include "tests/unit/linearizable.hpp"

namespace mxk::test {
namespace {

constexpr auto yes = TableResult::Yes;
constexpr auto no = TableResult::No;
constexpr auto full = TableResult::Full;

struct When {
    std::uint64_t from;
    std::uint64_t to;
};

Event insert(std::uint64_t value, TableResult result, When when, std::uint64_t key = 5) {
    return {Operation::Insert, key, value, result, when.from, when.to, core_id(0)};
}
Event found(std::uint64_t value, When when, std::uint64_t key = 5) {
    return {Operation::Find, key, value, yes, when.from, when.to, core_id(1)};
}
Event not_found(When when, std::uint64_t key = 5) {
    return {Operation::Find, key, 0, no, when.from, when.to, core_id(2)};
}
Event erase(TableResult result, When when, std::uint64_t key = 5) {
    return {Operation::Erase, key, 0, result, when.from, when.to, core_id(3)};
}

Event update(std::uint64_t value, TableResult result, When when) {
    return {Operation::Update, 5, value, result, when.from, when.to, core_id(0)};
}
Event upsert(std::uint64_t value, TableResult result, When when) {
    return {Operation::Upsert, 5, value, result, when.from, when.to, core_id(0)};
}
Event modify(std::uint64_t before, When when) {
    return {Operation::Modify, 5, before, yes, when.from, when.to, core_id(1)};
}

bool is_fine(std::vector<Event> const& history, FullInserts full_inserts = FullInserts::Wrong) {
    return !why_not_linearizable(history, full_inserts).has_value();
}

TEST(Linearizable, nothing_at_all) {
    EXPECT_TRUE(is_fine({}));
}

TEST(Linearizable, one_after_the_other) {
    std::vector<Event> history{
        not_found({0, 1}),        erase(no, {2, 3}),  insert(7, yes, {4, 5}), found(7, {6, 7}),
        insert(8, no, {8, 9}),    found(7, {10, 11}), erase(yes, {12, 13}),   not_found({14, 15}),
        insert(8, yes, {16, 17}), found(8, {18, 19}),
    };
    EXPECT_TRUE(is_fine(history));
    std::reverse(history.begin(), history.end()); // their order in the list is nothing
    EXPECT_TRUE(is_fine(history));
}

TEST(Linearizable, what_overlaps_may_have_been_in_any_order) {
    // The find that saw the value ended before the insert did, and one that did not see it began before.
    EXPECT_TRUE(is_fine({insert(7, yes, {0, 100}), found(7, {10, 20}), not_found({5, 30})}));
    // All in one heap.
    EXPECT_TRUE(is_fine({erase(yes, {0, 100}), insert(7, yes, {0, 100}), insert(8, yes, {0, 100}), found(8, {0, 100}),
                         found(7, {0, 100}), insert(9, no, {0, 100}), erase(no, {0, 100})}));
    // The same operations in another order leave another value.
    std::vector<Event> either{insert(7, yes, {0, 100}), insert(8, yes, {0, 100}), erase(yes, {0, 100})};
    either.push_back(found(7, {200, 210}));
    EXPECT_TRUE(is_fine(either));
    either.back().value = 8;
    EXPECT_TRUE(is_fine(either));
    // A chain of overlaps in which each must wait for the next.
    EXPECT_TRUE(is_fine({found(7, {0, 10}), insert(7, yes, {9, 20}), not_found({19, 30}), erase(yes, {10, 40})}));
    // Where one ends and another begins at the same stamp, nobody knows.
    EXPECT_TRUE(is_fine({found(7, {0, 10}), insert(7, yes, {10, 20})}));
    EXPECT_FALSE(is_fine({found(7, {0, 10}), insert(7, yes, {11, 20})}));
}

TEST(Linearizable, keys_have_nothing_to_do_with_each_other) {
    EXPECT_TRUE(is_fine({insert(7, yes, {0, 10}, 1), not_found({20, 30}, 2), insert(8, yes, {40, 50}, 2),
                         found(7, {60, 70}, 1), erase(yes, {80, 90}, 1), found(8, {100, 110}, 2)}));
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}, 1), found(7, {20, 30}, 2)}));
}

TEST(Linearizable, lost_insert) {
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), not_found({20, 30})}));
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), erase(no, {20, 30})}));
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), insert(8, yes, {20, 30})}));
}

TEST(Linearizable, both_inserted_it) {
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), insert(8, yes, {5, 15})}));
    EXPECT_TRUE(is_fine({insert(7, yes, {0, 10}), insert(8, yes, {5, 15}), erase(yes, {0, 20})}));
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), insert(8, yes, {5, 15}), erase(yes, {16, 20})}));
}

TEST(Linearizable, both_erased_it) {
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), erase(yes, {20, 40}), erase(yes, {30, 50})}));
}

TEST(Linearizable, nobody_inserted_it) {
    EXPECT_FALSE(is_fine({insert(7, no, {0, 10})}));
    EXPECT_FALSE(is_fine({erase(yes, {0, 10})}));
    EXPECT_FALSE(is_fine({found(0, {0, 10})}));
}

TEST(Linearizable, stale_find) {
    EXPECT_FALSE(
        is_fine({insert(7, yes, {0, 10}), erase(yes, {20, 30}), insert(8, yes, {40, 50}), found(7, {60, 70})}));
    // One find has seen the new value, so a later one must.
    EXPECT_TRUE(is_fine({insert(7, yes, {0, 100}), not_found({10, 20}), found(7, {30, 40})}));
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 100}), found(7, {10, 20}), not_found({30, 40})}));
}

TEST(Linearizable, what_overwrites) {
    EXPECT_TRUE(is_fine({update(7, no, {0, 1}), upsert(8, yes, {2, 3}), update(9, yes, {4, 5}), modify(9, {6, 7}),
                         modify(9 + modify_addend, {8, 9}), found(9 + 2 * modify_addend, {10, 11}),
                         upsert(4, no, {12, 13}), found(4, {14, 15})}));
    // Two that have read the same value: one of them is lost.
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 1}), modify(7, {2, 10}), modify(7, {2, 10})}));
    EXPECT_TRUE(is_fine({insert(7, yes, {0, 1}), modify(7, {2, 10}), modify(7 + modify_addend, {2, 10})}));
    // An update that comes back, and one that never happened.
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 1}), update(8, yes, {2, 3}), found(7, {4, 5})}));
    EXPECT_FALSE(is_fine({upsert(8, yes, {2, 3}), upsert(9, yes, {4, 5})}));
    EXPECT_TRUE(is_fine({insert(7, yes, {0, 1}), update(8, yes, {2, 9}), found(7, {4, 5})}));
}

TEST(Linearizable, a_key_rises_from_the_dead) {
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), erase(yes, {20, 30}), not_found({40, 50}), found(7, {60, 70})}));
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), erase(yes, {20, 30}), insert(8, no, {40, 50})}));
}

TEST(Linearizable, wrong_value) {
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), found(8, {20, 30})}));
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), insert(8, no, {20, 30}), found(8, {40, 50})}));
}

TEST(Linearizable, each_alone_fits_but_not_in_the_order_of_time) {
    // As the sequence insert, find, erase all would be fine; the erase was over before the find began.
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), erase(yes, {20, 30}), found(7, {31, 40})}));
    EXPECT_TRUE(is_fine({insert(7, yes, {0, 10}), erase(yes, {20, 30}), found(7, {30, 40})}));
}

TEST(Linearizable, full_inserts_only_where_they_are_allowed_and_without_effect) {
    std::vector<Event> const refused{insert(7, full, {0, 10}), not_found({20, 30}), insert(8, yes, {40, 50})};
    EXPECT_FALSE(is_fine(refused));
    EXPECT_TRUE(is_fine(refused, FullInserts::Allowed));
    EXPECT_FALSE(is_fine({insert(7, full, {0, 10}), found(7, {20, 30})}, FullInserts::Allowed));
    EXPECT_FALSE(is_fine({insert(7, yes, {0, 10}), insert(8, full, {20, 30})}, FullInserts::Allowed));
    EXPECT_FALSE(is_fine({erase(full, {0, 10})}, FullInserts::Allowed));
}

TEST(Linearizable, a_response_before_its_invocation_is_no_history) {
    auto const why = why_not_linearizable({not_found({10, 9})});
    ASSERT_TRUE(why);
    EXPECT_EQ(*why, "key 5: find: no on core 2 responded before it was invoked\n");
}

TEST(Linearizable, the_message_shows_the_key_in_time_order_and_what_cannot_be) {
    auto const why = why_not_linearizable({
        insert(9, yes, {1, 2}, 1),
        not_found({1070, 1090}),
        erase(no, {1200, 1300}), // invoked when it was all over
        erase(yes, {1060, 1160}),
        insert(8, yes, {1125, 1300}),
        insert(7, yes, {1000, 1050}),
        found(7, {1120, 1130}),
    });
    ASSERT_TRUE(why);
    EXPECT_EQ(*why, "key 5: no order of its 6 operations explains their results. Up to the marked one's response "
                    "there is one without it,\nafter which the key is not there, but none with it. In time order "
                    "(ticks):\n"
                    "     invoked   responded  core\n"
                    "           0          50     0  insert 7: yes\n"
                    "          60         160     3  erase: yes\n"
                    "          70          90     2  find: no\n"
                    "         120         130     1  find: 7   <-- nothing explains this\n"
                    "         125         300     0  insert 8: yes   (may be later)\n");
}

TEST(Linearizable, the_message_leaves_out_what_is_long_ago_but_not_who_inserted_the_value) {
    std::vector<Event> history{insert(1, yes, {0, 1}), insert(7, yes, {2, 3}, 1)};
    for (std::uint64_t i = 1; i <= 100; ++i) {
        history.push_back(erase(yes, {100 * i, 100 * i + 10}));
        history.push_back(insert(i + 1, yes, {100 * i + 20, 100 * i + 30}));
    }
    history.push_back(found(40, {20000, 20010}));
    auto const why = why_not_linearizable(history);
    ASSERT_TRUE(why);
    EXPECT_NE(why->find("  (78 more)\n        3920        3930     0  insert 40: yes\n  (99 more)\n"),
              std::string::npos)
        << *why;
    EXPECT_LT(std::count(why->begin(), why->end(), '\n'), 40);
}

// Hundreds of operations on a key, all in each other's way as much as twelve tasks can be: the order in which they
// took place must be found again, and a fault must be found among them.
TEST(Linearizable, long_histories_with_much_overlap) {
    bench::Random random(1);
    for (int round = 0; round < 10; ++round) {
        std::vector<Event> history;
        bool is_there = false;
        std::uint64_t value = 0;
        for (std::uint64_t i = 0; i < 600; ++i) {
            When const when{10 * i + 1000 - random.below(120), 10 * i + 1000 + random.below(120)};
            switch (random.below(3)) {
            case 0:
                history.push_back(insert(i, is_there ? no : yes, when));
                if (!is_there) value = i;
                is_there = true;
                break;
            case 1:
                history.push_back(erase(is_there ? yes : no, when));
                is_there = false;
                break;
            default: history.push_back(is_there ? found(value, when) : not_found(when));
            }
        }
        auto const why = why_not_linearizable(history);
        ASSERT_FALSE(why) << *why;
        history.push_back(found(10000, {5000, 5100}));
        auto const why_not = why_not_linearizable(history);
        ASSERT_TRUE(why_not);
        ASSERT_NE(why_not->find("find: 10000   <--"), std::string::npos) << *why_not;
    }
}

// Straight from the definition, on all keys at once.
bool has_an_order(std::vector<Event> const& history, FullInserts full_inserts) {
    std::vector<std::size_t> order(history.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    do {
        std::map<std::uint64_t, std::uint64_t> pairs;
        bool is_right = true;
        for (std::size_t at = 0; at < order.size() && is_right; ++at) {
            Event const& event = history[order[at]];
            for (std::size_t later = at + 1; later < order.size(); ++later)
                is_right = is_right && event.invoked <= history[order[later]].responded;
            bool const is_there = pairs.contains(event.key);
            switch (event.operation) {
            case Operation::Insert:
                if (event.result == full)
                    is_right = is_right && full_inserts == FullInserts::Allowed && !is_there;
                else
                    is_right = is_right && pairs.emplace(event.key, event.value).second == (event.result == yes);
                break;
            case Operation::Find:
                is_right =
                    is_right && event.result == (is_there ? yes : no) && (!is_there || pairs[event.key] == event.value);
                break;
            case Operation::Erase:
                is_right = is_right && event.result == (pairs.erase(event.key) == 1 ? yes : no);
                break;
            case Operation::Upsert:
                if (event.result == full)
                    is_right = is_right && full_inserts == FullInserts::Allowed && !is_there;
                else
                    is_right =
                        is_right && pairs.insert_or_assign(event.key, event.value).second == (event.result == yes);
                break;
            case Operation::Update:
                is_right = is_right && event.result == (is_there ? yes : no);
                if (is_there) pairs[event.key] = event.value;
                break;
            case Operation::Modify:
                is_right =
                    is_right && event.result == (is_there ? yes : no) && (!is_there || pairs[event.key] == event.value);
                if (is_there) pairs[event.key] += modify_addend;
            }
        }
        if (is_right) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
}

// Up to six operations on one or two keys: as they would be one after the other, each then longer in both directions,
// and some of them with another result.
std::vector<Event> tiny_history(bench::Random& random) {
    std::vector<Event> history;
    std::map<std::uint64_t, std::uint64_t> pairs;
    std::uint64_t const keys = 1 + random.below(2);
    std::uint64_t const spread = 1 + random.below(40);
    std::uint64_t const values = 1 + random.below(3);
    for (std::uint64_t count = 1 + random.below(6), i = 0; i < count; ++i) {
        using enum Operation;
        Event event{.operation = static_cast<Operation>(random.below(6)), .key = 1 + random.below(keys)};
        auto const at = pairs.find(event.key);
        bool const is_there = at != pairs.end();
        bool const inserts = event.operation == Insert || event.operation == Upsert;
        event.result = is_there != inserts ? yes : no;
        event.invoked = 100 + 10 * i - random.below(spread);
        event.responded = 100 + 10 * i + random.below(spread);
        if (inserts || event.operation == Update) event.value = random.below(values);
        if (inserts && !is_there) pairs.emplace(event.key, event.value);
        if (is_there && (event.operation == Find || event.operation == Modify)) event.value = at->second;
        if (is_there && event.operation == Modify) at->second += modify_addend;
        if (is_there && (event.operation == Update || event.operation == Upsert)) at->second = event.value;
        if (event.operation == Erase) pairs.erase(event.key);
        if (random.below(6) == 0) event.result = static_cast<TableResult>(random.below(3));
        if (random.below(10) == 0) event.value = random.below(values);
        history.push_back(event);
    }
    return history;
}

TEST(Linearizable, agrees_with_all_permutations_of_tiny_histories) {
    constexpr int histories = 20000;
    bench::Random random(2);
    int fine = 0;
    for (int i = 0; i < histories; ++i) {
        auto const history = tiny_history(random);
        auto const full_inserts = random.below(2) == 0 ? FullInserts::Wrong : FullInserts::Allowed;
        auto const why = why_not_linearizable(history, full_inserts);
        ASSERT_EQ(!why, has_an_order(history, full_inserts)) << (why ? *why : "no order for history ") << i;
        if (!why) ++fine;
    }
    EXPECT_GT(fine, histories / 4);
    EXPECT_LT(fine, histories * 3 / 4);
}

} // namespace
} // namespace mxk::test

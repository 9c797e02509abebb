// The concurrent table of chains on all cores, in tasks and threads, while it grows and shrinks: `test cht`.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/splitmix.hpp"
#include "hashtable/shared/concurrent/concurrent_pairs.hpp"
#include "hashtable/shared/concurrent/resizing_chains.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/testing.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/all_memory.hpp"
#include "tests/kernel/chain_stress.hpp"
#include "tests/kernel/noise.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk::chain_stress {
namespace {

std::size_t count_equal(Table const& table, std::uint64_t key) {
    std::size_t count = 0;
    IsItem const is{key, {}};
    for (Node* node = table.find(hash_of(key), is); node != nullptr; node = table.find_next(*node, is)) ++count;
    return count;
}

// Six items, three of them alike, one with an equal hash and another key.
MXK_TEST(cht, sanity) {
    Chains table({.first_heads = 8});
    if (!table.ok()) return;
    std::array<TestItem, 6> items;
    for (std::size_t i = 0; i < 3; ++i) put(items[i], 7, i);
    put(items[3], 8, 3);
    put(items[4], 9, 4);
    put(items[5], 10, 5);
    items[5].hash = hash_of(7);
    MXK_CHECK(table->find(hash_of(7), IsItem{7, {}}) == nullptr);
    for (TestItem& item : items) table->insert(item);
    MXK_CHECK_EQUAL(table->size(), 6U);
    MXK_CHECK_EQUAL(count_equal(*table, 7), 3U);
    MXK_CHECK(table->find(hash_of(7), IsItem{10, {}}) == &items[5]);
    MXK_CHECK(table->find(hash_of(7), IsItem{11, {}}) == nullptr);
    TestItem another;
    put(another, 8, 6);
    MXK_CHECK(table->insert_unique(another, IsItem{8, {}}) == &items[3]);
    MXK_CHECK(table->replace_or_insert(another, IsItem{8, {}}) == &items[3]);
    MXK_CHECK(table->find(hash_of(8), IsItem{8, {}}) == &another);
    MXK_CHECK(!table->remove(items[3]));
    MXK_CHECK(table->remove(items[1]));
    MXK_CHECK_EQUAL(count_equal(*table, 7), 2U);
    MXK_CHECK(table->remove(hash_of(7), IsItem{7, {}}) != nullptr);
    MXK_CHECK(table->remove(hash_of(7), IsItem{7, {}}) != nullptr);
    MXK_CHECK(table->remove(hash_of(7), IsItem{7, {}}) == nullptr);
    MXK_CHECK_EQUAL(count_equal(*table, 7), 0U);
    MXK_CHECK(table->remove(another));
    MXK_CHECK(table->remove(items[4]));
    MXK_CHECK(table->remove(items[5]));
    MXK_CHECK_EQUAL(table->size(), 0U);
    while (!rcu::barrier().ok()) MXK_CHECK(false); // no memory: once more, since callbacks use what ends here
    for (TestItem const& item : items) MXK_CHECK_EQUAL(item.key, TestItem::poison);
}

MXK_TEST(cht, all_items_of_a_key_are_removed_at_once) {
    Chains table({.first_heads = 8});
    if (!table.ok()) return;
    std::array<TestItem, 5> items;
    for (std::size_t i = 0; i < 4; ++i) put(items[i], 7, i);
    put(items[4], 8, 4);
    items[4].hash = hash_of(7); // which another key may have
    MXK_CHECK_EQUAL(table->remove_all(hash_of(7), IsItem{7, {}}), 0U);
    for (TestItem& item : items) table->insert(item);
    MXK_CHECK_EQUAL(table->remove_all(hash_of(7), IsItem{7, 2}), 1U);
    MXK_CHECK_EQUAL(table->remove_all(hash_of(7), IsItem{7, {}}), 3U);
    MXK_CHECK_EQUAL(table->remove_all(hash_of(7), IsItem{7, {}}), 0U);
    MXK_CHECK_EQUAL(table->size(), 1U);
    MXK_CHECK(table->find(hash_of(7), IsItem{8, {}}) == &items[4]);
    MXK_CHECK(table->remove(items[4]));
    while (!rcu::barrier().ok()) MXK_CHECK(false); // no memory: once more, since callbacks use what ends here
    for (TestItem const& item : items) MXK_CHECK_EQUAL(item.key, TestItem::poison);
}

// Waves of items that make the table grow and shrink: inserted and removed by tasks of all cores.
void resize_in_waves(Table& table, std::size_t waves, std::size_t items) {
    auto filling = NodeVector<TestItem>::create(items, Worker::current().node());
    MXK_CHECK(filling.ok());
    if (!filling) return;
    for (std::size_t i = 0; i < items; ++i) put(filling.value().emplace(), 1'000'000 + i, 1'000'000);
    for (std::size_t wave = 0; wave < waves; ++wave) {
        for (bool const inserts : {true, false}) {
            std::atomic<std::size_t> next{0};
            bool const ran = run_on(all_cores().span(), [&](Worker&, std::size_t) {
                for (int time = 0; time < 16; ++time) {
                    std::size_t const at = next.fetch_add(1, std::memory_order_relaxed);
                    if (at >= items) return Step::Done;
                    TestItem& item = filling.value()[at];
                    if (inserts) {
                        put(item, 1'000'000 + at, 1'000'000);
                        table.insert(item);
                    } else {
                        MXK_CHECK(table.remove(item));
                    }
                }
                return Step::Again;
            });
            MXK_CHECK(ran);
            table.settle();
            if (!inserts)
                while (!rcu::barrier().ok()) MXK_CHECK(false); // before they are inserted again
        }
    }
}

void stress(std::size_t operations_each, std::size_t waves) {
    Chains table({.first_heads = 8});
    if (!table.ok()) return;
    std::size_t const threads = std::max<std::size_t>(9, workers::count()); // more than eight
    std::size_t const users = threads + workers::count();
    Stress stress(*table, users, Worker::current().node(), inner_tests::seed());
    if (!stress.ok()) return;
    {
        InjectDelays const delays;
        Noise const noise(5000);
        std::atomic<std::size_t> next_user{0};
        auto body = [&] {
            std::size_t const user = next_user.fetch_add(1);
            for (std::size_t i = 0; i < operations_each; ++i) {
                rcu::ReadSection const section;
                stress.operate(user, i);
            }
        };
        ThreadGroup group(threads);
        for (std::size_t i = 0; i < threads; ++i)
            group.start({.core = core_id(i % workers::count()), .name = "cht", .slice = Nanoseconds{200'000}}, body);
        auto done = PerCore<std::size_t>::create(system_topology().cores, [] { return std::size_t{0}; });
        MXK_CHECK(done.ok());
        bool const ran = done.ok() && run_on(all_cores().span(), [&](Worker&, std::size_t place) {
                             for (int time = 0; time < 8; ++time) {
                                 stress.operate(threads + place, done.value()[place]);
                                 if (++done.value()[place] == operations_each) return Step::Done;
                             }
                             return Step::Again;
                         });
        MXK_CHECK(ran);
        resize_in_waves(*table, waves, 4 * Stress::items_each * 16);
        group.join();
    }
    MXK_CHECK_EQUAL(stress.wrong(), 0U);
    MXK_CHECK(table->resizes() > 0);
    stress.remove_all();
    while (!rcu::barrier().ok()) MXK_CHECK(false); // no memory: once more, since callbacks use what ends here
    MXK_CHECK_EQUAL(table->size(), 0U);
}

MXK_TEST(cht, stress) {
    stress(std::max<std::size_t>(8000 / workers::count(), 150), 2);
}
MXK_LONG_TEST(cht, stress_long) {
    stress(500'000, 100);
}

// Keys and values, in tasks.
class Pairs {
  public:
    explicit Pairs(concurrent::TableShape const& shape) {
        NodeId const node = Worker::current().node();
        Owner const owner{core_id(0), node};
        auto parts = ConcurrentPairs::make(shape, {&node, 1}, {&owner, 1}, 0);
        MXK_CHECK(parts.ok());
        if (parts) table_.emplace(std::move(parts.value()));
    }
    [[nodiscard]] bool ok() const { return table_.has_value(); }
    ConcurrentPairs* operator->() { return &*table_; }

  private:
    std::optional<ConcurrentPairs> table_;
};

MXK_TEST(cht, pairs_have_values_that_can_be_overwritten) {
    Pairs table({.first_heads = 8});
    if (!table.ok()) return;
    MXK_CHECK(table->insert(0, 5) == Insert::Inserted); // any key
    MXK_CHECK(table->insert(0, 6) == Insert::Present);
    MXK_CHECK(table->find(0) == 5U);
    MXK_CHECK(table->update(0, 7));
    MXK_CHECK(!table->update(1, 7));
    MXK_CHECK(table->upsert(1, 8) == Insert::Inserted);
    MXK_CHECK(table->upsert(1, 9) == Insert::Present);
    MXK_CHECK(table->modify(1, [](std::uint64_t value) { return value + 1; }) == 9U);
    MXK_CHECK(!table->modify(2, [](std::uint64_t value) { return value + 1; }));
    MXK_CHECK(table->find(1) == 10U);
    MXK_CHECK(table->erase(1));
    MXK_CHECK(!table->erase(1));
    MXK_CHECK(!table->find(1));
    MXK_CHECK_EQUAL(table->size(), 1U);
}

MXK_TEST(cht, reserve_makes_room_and_keeps_it) {
    Pairs table({.first_heads = 8});
    if (!table.ok()) return;
    MXK_CHECK(table->reserve(20'000).ok());
    std::size_t const heads = table->head_count();
    MXK_CHECK(2 * heads >= 20'000);
    std::uint64_t const resizes = table->resizes();
    for (std::uint64_t key = 0; key < 20'000; ++key) MXK_CHECK(table->insert(key, ~key) == Insert::Inserted);
    for (std::uint64_t key = 0; key < 20'000; ++key) MXK_CHECK(table->erase(key));
    table->settle();
    MXK_CHECK_EQUAL(table->resizes(), resizes);
    MXK_CHECK_EQUAL(table->head_count(), heads);
}

// It is not tried, and the table goes on.
MXK_TEST(cht, without_memory_for_heads_it_remains_as_it_is) {
    Pairs table({.first_heads = 8});
    if (!table.ok()) return;
    MXK_CHECK(!table->reserve(std::size_t{1} << 45).ok());
    MXK_CHECK_EQUAL(table->resizes(), 0U);
    for (std::uint64_t key = 0; key < 1000; ++key) MXK_CHECK(table->insert(key, ~key) == Insert::Inserted);
    for (std::uint64_t key = 0; key < 1000; ++key) MXK_CHECK(table->find(key) == ~key);
}

// Look-ups of several keys, and an iteration, while the table grows and shrinks: what stays in it is found, and visited
// once.
MXK_TEST(cht, look_ups_and_iterations_while_it_is_resized) {
    constexpr std::uint64_t staying = 300;
    Pairs table({.first_heads = 8});
    if (!table.ok()) return;
    for (std::uint64_t key = 0; key < staying; ++key) MXK_CHECK(table->insert(key, ~key) == Insert::Inserted);
    std::size_t const cores = workers::count();
    struct Progress {
        std::uint64_t next = 0;
        std::uint64_t from = 0;
        std::uint64_t seen = 0;
        std::uint64_t sum = 0;
        std::size_t iterations = 0;
    };
    auto progress = PerCore<Progress>::create(system_topology().cores, [] { return Progress{}; });
    MXK_CHECK(progress.ok());
    if (!progress) return;
    InjectDelays const delays;
    std::uint64_t const first_noise = splitmix(inner_tests::seed());
    // Of each core, which then go again; an iteration of each core has as many steps as there are buckets.
    std::uint64_t const coming = std::max<std::uint64_t>(8000 / cores, 32);
    bool const ran = run_on(all_cores().span(), [&](Worker&, std::size_t place) {
        Progress& mine = progress.value()[place];
        std::uint64_t const base = 1000 + place * coming;
        for (int time = 0; time < 32 && mine.next < 2 * coming; ++time, ++mine.next) {
            std::uint64_t const key = base + mine.next % coming;
            MXK_CHECK(mine.next < coming ? table->insert(key, ~key) == Insert::Inserted : table->erase(key));
        }
        std::array<std::uint64_t, 20> keys{};
        for (std::size_t i = 0; i < keys.size(); ++i)
            keys[i] = splitmix(first_noise + mine.next * 20 + i) % (staying + 10);
        table->find_each(keys, [&](std::size_t at, std::optional<std::uint64_t> const& value) {
            MXK_CHECK(keys[at] < staying ? value == ~keys[at] : !value.has_value());
        });
        mine.from = table->visit_from(mine.from, [&](std::uint64_t key, std::uint64_t value) {
            MXK_CHECK_EQUAL(value, ~key);
            if (key >= staying) return;
            ++mine.seen;
            mine.sum += key;
        });
        if (mine.from == 0) {
            MXK_CHECK_EQUAL(mine.seen, staying);
            MXK_CHECK_EQUAL(mine.sum, staying * (staying - 1) / 2);
            mine.seen = mine.sum = 0;
            ++mine.iterations;
        }
        return mine.next == 2 * coming && mine.from == 0 ? Step::Done : Step::Again;
    });
    MXK_CHECK(ran);
    table->settle();
    MXK_CHECK(table->resizes() >= 4);
    MXK_CHECK_EQUAL(table->size(), staying);
    std::size_t visited = 0;
    table->for_each([&](std::uint64_t, std::uint64_t) { ++visited; });
    MXK_CHECK_EQUAL(visited, staying);
}

// All memory is the table's. What is erased can be inserted again, also where nobody has memory for those that wait for
// their grace period: all cores erase, some of which never had a pair.
MXK_TEST(cht, a_table_that_was_full_takes_keys_again) {
    std::array const nodes{NodeId{0}};
    auto parts = ConcurrentPairs::make({.first_heads = 1024}, nodes, {}, 0);
    MXK_CHECK(parts.ok());
    if (!parts.ok()) return;
    ConcurrentPairs table(std::move(parts).value());
    auto const cores = all_cores();
    constexpr std::uint64_t max_keys = 100'000;
    MXK_CHECK(run_on(cores.span(), [](Worker&, std::size_t) { return Step::Done; }));     // its tasks are kept
    auto const room = memory::allocate(384 * KiB, FrameAllocator::frame_bytes, NodeId{}); // the table's, and no more
    MXK_CHECK(room.ok());
    if (!room) return;
    AllMemory all;
    all.take();
    memory::free(room.value());
    std::uint64_t keys = 0;
    while (keys < max_keys && table.insert(keys, 0) == Insert::Inserted) ++keys;
    MXK_CHECK(keys > 5'000 && keys < max_keys);
    for (unsigned round = 1; round <= 3; ++round) {
        std::atomic<std::uint64_t> erased{0};
        std::atomic<std::uint64_t> next{0};
        bool const ran = run_on(cores.span(), [&](Worker&, std::size_t) {
            constexpr std::uint64_t step = 100;
            std::uint64_t const from = next.fetch_add(step, std::memory_order_relaxed);
            for (std::uint64_t key = from; key < std::min(from + step, keys); ++key)
                erased.fetch_add(table.erase(key) ? 1 : 0, std::memory_order_relaxed);
            return from < keys ? Step::Again : Step::Done;
        });
        MXK_CHECK(ran);
        MXK_CHECK_EQUAL(erased.load(), keys);
        // But for what each core keeps for itself. They come back when all cores have looked at their callbacks.
        std::uint64_t const wanted = keys - std::min(keys, 400 * cores.size());
        std::uint64_t again = 0;
        for (unsigned periods = 0; periods < 10'000 && again < wanted; ++periods) {
            rcu::synchronize();
            while (again < keys && table.insert(again, round) == Insert::Inserted) ++again;
        }
        MXK_CHECK(again >= wanted);
        for (std::uint64_t key = 0; key < again; ++key) MXK_CHECK(table.find(key) == round);
        keys = again;
    }
}

} // namespace
} // namespace mxk::chain_stress

// The shared table of lines on real cores: tasks and threads of all of them use all of it, while tasks of all of them
// move its buckets.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/inject.hpp"
#include "bench/workload/random.hpp"
#include "hashtable/shared/concurrent_lines.hpp"
#include "hashtable/shared/resize_tasks.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/testing.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/run_on.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"
#include "tests/kernel/contenders.hpp"
#include "tests/kernel/lines_user.hpp"

namespace mxk {
namespace {

NodeVector<Owner> owners_of_lines() {
    auto owners = NodeVector<Owner>::create(workers::count(), Worker::current().node());
    expect(owners.ok(), "a test needs some bytes of memory");
    for (CoreId const core : all_cores()) owners.value().emplace(core, workers::of(core).node());
    return std::move(owners).value();
}

std::size_t bytes_in_use() {
    std::size_t used = 0;
    for (std::size_t i = 0; i < memory::node_count(); ++i) used += memory::use(node_id(i)).used;
    return used;
}

// A table whose buckets are moved by tasks of all cores.
struct ServedLines {
    ServedLines()
        : owners(owners_of_lines())
        , table(ConcurrentLines<>::create({.keys = 16}, owners.span())) {
        MXK_CHECK(table.ok() && tasks.serve(table.value(), owners.span()).ok());
    }
    // Nobody uses it any more.
    void end() {
        if (!table.ok()) return;
        tasks.end();
        MXK_CHECK(finish_resize(table.value()).ok());
        table.value().check();
    }
    NodeVector<Owner> owners;
    Result<ConcurrentLines<>> table;
    ResizeTasks tasks;
};

// A core's task: keys of its own come, change, and go, some at a time; the table grows and shrinks with them.
class Wave {
  public:
    Wave(ConcurrentLines<>& table, std::size_t place, std::uint64_t keys, std::size_t waves)
        : table_(table)
        , first_((place + 1) << 32)
        , keys_(keys)
        , waves_(waves) {}

    Step step() {
        std::uint64_t const end = std::min(next_ + 64, keys_);
        for (; next_ < end; ++next_) comes_ ? come(first_ + next_) : go(first_ + next_);
        if (next_ < keys_) return Step::Again;
        next_ = 0;
        comes_ = !comes_;
        return comes_ && --waves_ == 0 ? Step::Done : Step::Again;
    }

  private:
    void come(std::uint64_t key) {
        MXK_CHECK(table_.insert(key, key) == Insert::Inserted);
        MXK_CHECK(table_.insert(key, 0) == Insert::Present);
        MXK_CHECK(table_.modify(key, [](std::uint64_t value) { return value + 1; }) == key);
    }
    void go(std::uint64_t key) {
        MXK_CHECK(table_.find(key) == key + 1);
        MXK_CHECK(table_.update(key, 3));
        MXK_CHECK(table_.find(key) == std::uint64_t{3});
        MXK_CHECK(table_.erase(key));
        MXK_CHECK(!table_.erase(key));
        MXK_CHECK(table_.find(key) == std::nullopt);
    }

    ConcurrentLines<>& table_;
    std::uint64_t first_;
    std::uint64_t keys_;
    std::uint64_t next_ = 0;
    bool comes_ = true;
    std::size_t waves_;
};

// So much less for each core where there are many: a host has seldom so many processors.
std::size_t shared_among_cores(std::size_t count) {
    return count / std::max<std::size_t>(workers::count(), 2) + 1;
}

void waves_of_all_cores(ConcurrentLines<>& table, std::uint64_t keys, std::size_t waves) {
    auto all = NodeVector<Wave>::create(workers::count(), Worker::current().node());
    MXK_CHECK(all.ok());
    if (!all) return;
    for (std::size_t i = 0; i < workers::count(); ++i) all.value().emplace(table, i, keys, waves);
    MXK_CHECK(run_on(all_cores().span(), [&](Worker&, std::size_t place) { return all.value()[place].step(); }));
}

void tasks_come_and_go(std::size_t keys, std::size_t waves) {
    MXK_CHECK(rcu::barrier().ok());
    std::size_t const used = bytes_in_use();
    {
        ServedLines lines;
        if (!lines.table.ok()) return;
        std::size_t const first = lines.table.value().bucket_count();
        waves_of_all_cores(lines.table.value(), keys, waves);
        lines.end();
        MXK_CHECK_EQUAL(lines.table.value().size(), 0U);
        MXK_CHECK(lines.table.value().bytes() > first * sizeof(ConcurrentLine)); // it has grown: lines are kept
    }
    MXK_CHECK(rcu::barrier().ok()); // old arrays are given back in callbacks
    MXK_CHECK_EQUAL(bytes_in_use(), used);
}

MXK_TEST(cht_lines, tasks_of_all_cores_fill_and_empty_it) {
    tasks_come_and_go(shared_among_cores(20'000), 3);
}
MXK_LONG_TEST(cht_lines, tasks_of_all_cores_fill_and_empty_it_for_long) {
    tasks_come_and_go(shared_among_cores(400'000), 100);
}

MXK_TEST(cht_lines, threads_of_all_cores_have_the_results_of_some_order) {
    ServedLines lines;
    if (!lines.table.ok()) return;
    auto& table = lines.table.value();
    auto const wrong = contend(
        static_cast<std::uint32_t>(shared_among_cores(40'000)), [&](std::size_t) { return LinesUser(table); },
        [&](std::uint64_t key) { return table.find(key) == ~key; }, inner_tests::seed());
    MXK_CHECK_EQUAL(wrong, 0U);
    lines.end();
}

// Threads look up, and walk, while tasks fill and empty it.
MXK_TEST(cht_lines, threads_find_what_stays_while_tasks_grow_and_shrink_it) {
    constexpr std::uint64_t lasting = 300;
    ServedLines lines;
    if (!lines.table.ok()) return;
    auto& table = lines.table.value();
    for (std::uint64_t key = 1; key <= lasting; ++key) MXK_CHECK(table.insert(key, 5 * key) == Insert::Inserted);
    std::atomic<bool> is_over{false};
    std::atomic<std::size_t> wrong{0};
    std::atomic<std::size_t> walks{0};
    std::uint64_t const seed = inner_tests::seed();
    std::atomic<std::uint64_t> readers{0};
    auto look = [&] {
        std::array<std::uint64_t, 64> keys{};
        bench::Random random(seed * 1000 + readers.fetch_add(1));
        std::array<std::uint8_t, lasting + 1> visits{};
        do {
            {
                rcu::ReadSection const section;
                for (auto& key : keys) key = 1 + random.below(lasting);
                std::size_t right = 0;
                table.find_each(keys, [&](std::size_t at, std::optional<std::uint64_t> const& value) {
                    right += value == 5 * keys[at] ? 1U : 0U;
                });
                wrong += keys.size() - right;
            }
            visits.fill(0);
            LineWalk walk;
            for (bool goes_on = true; goes_on;) {
                rcu::ReadSection const section;
                goes_on = table.visit_some(walk, 100, [&](std::uint64_t key, std::uint64_t) {
                    if (key <= lasting) ++visits.at(key);
                });
            }
            for (std::uint64_t key = 1; key <= lasting; ++key) wrong += visits.at(key) == 1 ? 0U : 1U;
            ++walks;
            this_thread::yield();
        } while (!is_over.load());
    };
    ThreadGroup group(workers::count());
    for (CoreId const core : all_cores()) group.start({.core = core, .name = "reader"}, look);
    waves_of_all_cores(table, shared_among_cores(6'000), 2);
    is_over.store(true);
    group.join();
    MXK_CHECK_EQUAL(wrong.load(), 0U);
    MXK_CHECK(walks.load() >= workers::count());
    lines.end();
    MXK_CHECK_EQUAL(table.size(), lasting);
}

MXK_TEST(cht_lines, a_task_reserves_while_tasks_of_all_cores_move) {
    ServedLines lines;
    if (!lines.table.ok()) return;
    auto& table = lines.table.value();
    for (std::uint64_t key = 1; key <= 1000; ++key) MXK_CHECK(table.insert(key, key) == Insert::Inserted);
    MXK_CHECK(reserve(table, 20'000).ok());
    std::size_t const buckets = table.bucket_count();
    MXK_CHECK(3 * buckets >= 2 * 20'000);
    MXK_CHECK(!reserve(table, std::size_t{1} << 45).ok());
    for (std::uint64_t key = 1001; key <= 20'000; ++key) MXK_CHECK(table.insert(key, key) == Insert::Inserted);
    for (std::uint64_t key = 1; key <= 20'000; ++key) MXK_CHECK(table.erase(key));
    MXK_CHECK_EQUAL(table.bucket_count(), buckets);
    lines.end();
}

// A thread that has moved the last slice, and does not run for a while before it has said that the resize has ended.
struct SlowMover {
    enum class State : std::uint8_t { Before, Within, Behind };
    void operator()() {
        rcu::ReadSection const section;
        while (table.work()) {
        }
    }
    // The point where all is moved, and no lock is held.
    static void point() {
        if (!in_thread() || moved->is_resizing() || state.load() != State::Before) return;
        state.store(State::Within);
        std::uint64_t const end = raw(clock::now()) + 30'000'000;
        while (raw(clock::now()) < end) this_thread::yield();
        state.store(State::Behind);
    }
    ConcurrentLines<>& table;
    static inline ConcurrentLines<>* moved = nullptr;
    static inline std::atomic<State> state{State::Before};
};

MXK_TEST(cht_lines, a_task_that_reserves_lets_threads_of_its_core_run) {
    if (!inject::enabled) MXK_SKIP("needs a build with injection points");
    ServedLines lines;
    if (!lines.table.ok()) return;
    auto& table = lines.table.value();
    table.tell(nullptr);
    MXK_CHECK(table.begin_growing());
    SlowMover mover{table};
    SlowMover::moved = &table;
    SlowMover::state.store(SlowMover::State::Before);
    InjectDelays const delays(&SlowMover::point);
    ThreadGroup group(1);
    group.start({.core = Worker::current().core(), .name = "mover"}, mover);
    wait_until([] { return SlowMover::state.load() != SlowMover::State::Before; });
    MXK_CHECK(SlowMover::state.load() == SlowMover::State::Within);
    MXK_CHECK(reserve(table, 8 * table.bucket_count()).ok());
    MXK_CHECK(SlowMover::state.load() == SlowMover::State::Behind);
    group.join();
    lines.end();
}

// One whose last buckets wait for memory, until it has been tried so often.
MXK_TEST(cht_lines, a_resize_that_lacks_memory_is_not_waited_for) {
    struct Lacking {
        [[nodiscard]] static bool work() { return false; }
        bool try_again() { return tries != 0 && tries-- != 0; }
        [[nodiscard]] bool is_resizing() const { return tries != 0; }
        std::size_t tries;
    };
    Lacking table{2};
    MXK_CHECK(!finish_resize(table).ok());
    MXK_CHECK(!finish_resize(table).ok());
    MXK_CHECK(finish_resize(table).ok());
}

} // namespace
} // namespace mxk

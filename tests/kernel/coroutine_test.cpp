// Coroutines on real cores: they continue where they said, their waiters continue at home, and their frames are freed
// there.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "bench/workload/instructions.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tasks/start.hpp"
#include "tasks/when_all.hpp"
#include "tests/delays.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {
namespace {

// Together about the same number on every machine: with 255 emulated cores each move takes its time.
constexpr std::uint32_t travellers = 20;
constexpr std::uint32_t moves = 500;

CoreId random_core(bench::Random& random) {
    return core_id(random.below(workers::count()));
}

// `steps` is plain: only the core that has the coroutine writes it.
Coroutine<> travel(std::uint64_t seed, std::uint32_t& steps) {
    bench::Random random(seed);
    CoreId const home = Worker::current().core();
    for (std::uint32_t i = 0; i < moves; ++i) {
        CoreId const target = random_core(random);
        if (random.below(4) == 0) co_await yield();
        RandomDelay::point();
        Worker& there = co_await move_to(target);
        MXK_CHECK_EQUAL(index(there.core()), index(target));
        MXK_CHECK(&there == &Worker::current());
        ++steps;
    }
    Worker& back = co_await move_home();
    MXK_CHECK_EQUAL(index(back.core()), index(home));
}

MXK_TEST(coroutines, move_between_cores_and_come_home) {
    Worker& here = Worker::current();
    std::int64_t const in_use = here.pool().in_use();
    std::array<std::uint32_t, travellers> steps{};
    TaskGroup group(here);
    for (std::uint32_t i = 0; i < travellers; ++i) MXK_CHECK(start(here, group, travel(i + 1, steps[i])));
    group.wait();
    for (std::uint32_t const count : steps) MXK_CHECK_EQUAL(count, moves);
    MXK_CHECK_EQUAL(here.pool().in_use(), in_use);
}

Coroutine<std::uint32_t> count_leaves(std::uint64_t seed, std::uint32_t depth) {
    bench::Random random(seed);
    co_await move_to(random_core(random));
    if (depth == 0) co_return 1;
    RandomDelay::point();
    std::array<Coroutine<std::uint32_t>, 3> children;
    for (auto& child : children) child = count_leaves(random.next(), depth - 1);
    CoreId const waits_on = Worker::current().core();
    MXK_CHECK(co_await when_all(std::span<Coroutine<std::uint32_t>>(children)));
    MXK_CHECK_EQUAL(index(Worker::current().core()), index(waits_on));
    std::uint32_t leaves = 0;
    for (auto& child : children) leaves += child.result();
    co_await move_to(random_core(random)); // the children go home to be freed
    co_return leaves;
}

// The sum over all pools; each is asked by its own core.
std::int64_t objects_in_use() {
    auto const cores = all_cores();
    auto counts = NodeArray<std::int64_t>::create_zeroed(cores.size(), Worker::current().node());
    expect(counts.ok(), "a test needs some bytes of memory");
    MXK_CHECK(run_on(cores.span(), [&counts](Worker& worker, std::size_t place) {
        counts.value()[place] = worker.pool().in_use();
        return Step::Done;
    }));
    std::int64_t sum = 0;
    for (std::int64_t const count : counts.value().span()) sum += count;
    return sum;
}

MXK_TEST(coroutines, trees_over_all_cores_wait_for_their_children) {
    Worker& here = Worker::current();
    std::int64_t const in_use = objects_in_use();
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        std::uint32_t leaves = 0;
        MXK_CHECK(start(here, count_leaves(seed, 4), [&leaves](Worker&, std::uint32_t all) { leaves = all; }));
        here.run_until([&leaves] { return leaves != 0; });
        MXK_CHECK_EQUAL(leaves, 81);
    }
    // The last frames may still be on their way home.
    int rounds = 0;
    while (objects_in_use() != in_use && rounds < 1000) ++rounds;
    MXK_CHECK(rounds < 1000);
}

// Depth costs frames, and no stack. `away`: at which depth it goes to another core; 0: nowhere.
Coroutine<std::uint64_t> levels_below(std::uint64_t levels, std::uint64_t away) {
    if (levels == 0) co_return 0;
    if (levels == away) co_await move_to(core_id(workers::count() - 1));
    std::optional<std::uint64_t> const below = co_await levels_below(levels - 1, away);
    co_return below ? *below + 1 : 0; // no memory for a frame: all levels from here on are missing in the sum
}

MXK_TEST(coroutines, may_await_each_other_as_deep_as_there_is_memory) {
    Worker& here = Worker::current();
    memory::NodeUse const use = memory::use(here.node());
    std::uint64_t const levels =
        std::min<std::uint64_t>(1'000'000, (use.total - use.used) / 4 / CorePool::largest_bytes);
    MXK_CHECK(levels > 10'000); // beyond what a core's stack in the kernel has room for
    std::int64_t const in_use = objects_in_use();
    for (std::uint64_t const away : {std::uint64_t{0}, levels / 2}) {
        std::uint64_t counted = 0;
        bool has_ended = false;
        MXK_CHECK(start(here, levels_below(levels, away), [&](Worker&, std::uint64_t sum) {
            counted = sum;
            has_ended = true;
        }));
        here.run_until([&has_ended] { return has_ended; });
        MXK_CHECK_EQUAL(counted, levels);
    }
    int rounds = 0;
    while (objects_in_use() != in_use && rounds < 1000) ++rounds;
    MXK_CHECK(rounds < 1000);
}

struct Link {
    Link const* next;
    std::uint64_t value;
};

Coroutine<std::uint64_t> sum_of(Link const* first) {
    std::uint64_t sum = 0;
    for (Link const* link = first; link != nullptr; link = link->next) {
        co_await prefetched(link);
        sum += link->value;
    }
    co_return sum;
}

MXK_TEST(coroutines, walks_interleave) {
    constexpr std::uint32_t walks = 10;
    std::array<Link, 100> links{};
    for (std::size_t i = 0; i < links.size(); ++i) links[i] = {i > 0 ? &links[i - 1] : nullptr, i};
    Worker& here = Worker::current();
    std::uint64_t const tasks_before = here.statistics().tasks_run.value();
    std::uint32_t ended = 0;
    for (std::uint32_t i = 0; i < walks; ++i) {
        MXK_CHECK(start(here, sum_of(&links.back()), [&](Worker& worker, std::uint64_t sum) {
            MXK_CHECK_EQUAL(sum, 4950);
            if (ended++ > 0) return;
            // When the first has ended, each of the others has had as many turns, less one up to.
            MXK_CHECK(worker.statistics().tasks_run.value() - tasks_before >= walks * links.size());
        }));
    }
    here.run_until([&ended] { return ended == walks; });
}

} // namespace
} // namespace mxk

// Coroutines as tasks: where they run and in which order, what becomes of what they hold, and what they are told when
// there is no memory.
#include <memory>
#include <numeric>
#include <random>

#include "tests/delays.hpp"
#include "tests/unit/coroutine_fixture.hpp"

namespace mxk::test {
namespace {

using CoroutineDeathTest = CoroutineTest;

Coroutine<> note(std::vector<int>& notes, int number) {
    for (int round = 0; round < 3; ++round) {
        notes.push_back(round * 10 + number);
        co_await yield();
    }
}

struct NotingTask : Task {
    NotingTask(std::vector<int>& its_notes, int its_number)
        : Task([](Worker& worker, Task& task) {
            auto& self = static_cast<NotingTask&>(task);
            self.notes.push_back(self.round * 10 + self.number);
            if (++self.round < 3) worker.append(task);
        })
        , notes(its_notes)
        , number(its_number) {}
    std::vector<int>& notes;
    int number;
    int round = 0;
};

TEST_F(CoroutineTest, stand_in_one_fifo_with_other_tasks) {
    with_runtime([](Worker& here) {
        std::vector<int> notes;
        NotingTask one(notes, 1);
        NotingTask three(notes, 3);
        ASSERT_TRUE(start(here, note(notes, 0)));
        here.append(one);
        ASSERT_TRUE(start(here, note(notes, 2)));
        here.append(three);
        here.run_until([&] { return notes.size() == 12 && here.pool().in_use() == 0; });
        EXPECT_EQ(notes, (std::vector<int>{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}));
    });
}

// Where the compiler puts the task, and where over-aligned locals lie.
Coroutine<> look_at_frame(std::uintptr_t& local) {
    struct alignas(cache_line_bytes) Line {
        std::byte bytes[cache_line_bytes];
    } line{};
    co_await yield();
    line.bytes[0] = std::byte{1};
    local = reinterpret_cast<std::uintptr_t>(&line);
}

TEST_F(CoroutineTest, a_frame_begins_at_a_line_and_its_task_at_the_next) {
    with_runtime([](Worker& here) {
        std::uintptr_t local = 1;
        Coroutine<> coroutine = look_at_frame(local);
        Task& task = coroutine.task();
        auto const at = reinterpret_cast<std::uintptr_t>(&task);
        EXPECT_TRUE(is_aligned(at, cache_line_bytes));
        auto const handle = std::coroutine_handle<Coroutine<>::promise_type>::from_promise(
            static_cast<Coroutine<>::promise_type&>(task));
        EXPECT_EQ(at - reinterpret_cast<std::uintptr_t>(handle.address()), cache_line_bytes);
        EXPECT_EQ(task.home, here.core());
        run(here, std::move(coroutine));
        EXPECT_TRUE(is_aligned(local, cache_line_bytes));
    });
}
static_assert(sizeof(Coroutine<>::promise_type) == cache_line_bytes);
static_assert(sizeof(Coroutine<std::uint32_t>::promise_type) == cache_line_bytes);

Coroutine<> hold(Tracked, int& runs) {
    ++runs;
    co_return;
}

TEST_F(CoroutineTest, one_that_is_called_does_not_run_and_may_be_dropped) {
    with_runtime([](Worker& here) {
        Tracks tracks;
        int runs = 0;
        {
            Coroutine<> dropped = hold(Tracked(tracks, here.core()), runs);
            EXPECT_TRUE(dropped);
            Coroutine<> moved = std::move(dropped);
            EXPECT_FALSE(dropped);
            moved = hold(Tracked(tracks, here.core()), runs); // drops the first
            EXPECT_EQ(tracks.alive.load(), 1);
        }
        EXPECT_EQ(runs, 0);
        EXPECT_EQ(tracks.alive.load(), 0);
        EXPECT_EQ(tracks.ended_at_home.load(), 2);
        EXPECT_EQ(here.pool().in_use(), 0);
    });
}

Coroutine<> carry_away(Coroutine<> cargo, CoreId target) {
    co_await move_to(target);
    Coroutine<> const dropped_here = std::move(cargo);
}

TEST_F(CoroutineTest, one_that_is_dropped_elsewhere_goes_home_first) {
    with_runtime([](Worker& here) {
        Tracks tracks;
        int runs = 0;
        for (std::size_t i = 0; i < core_count; ++i)
            run(here, carry_away(hold(Tracked(tracks, here.core()), runs), core_id(i)));
        expect_all_memory_back(here);
        EXPECT_EQ(runs, 0);
        EXPECT_EQ(tracks.alive.load(), 0);
        EXPECT_EQ(tracks.ended_at_home.load(), static_cast<int>(core_count));
        EXPECT_EQ(tracks.ended_elsewhere.load(), 0);
    });
}

// From core to core at random, with random delays; `steps` is plain: only the core that has it writes.
Coroutine<> travel(std::uint64_t seed, std::size_t moves, std::size_t& steps) {
    std::minstd_rand random(static_cast<std::uint32_t>(seed));
    CoreId const home = Worker::current().core();
    for (std::size_t i = 0; i < moves; ++i) {
        CoreId const target = core_id(random() % core_count);
        if (random() % 4 == 0) {
            Worker& same = co_await yield();
            EXPECT_EQ(&same, &Worker::current());
        }
        RandomDelay::point();
        Worker& there = co_await move_to(target);
        EXPECT_EQ(there.core(), target);
        EXPECT_EQ(&there, &Worker::current());
        ++steps;
    }
    Worker& back = co_await move_home();
    EXPECT_EQ(back.core(), home);
}

TEST_F(CoroutineTest, a_hundred_thousand_moves_between_eight_cores) {
    with_runtime([](Worker& here) {
        constexpr std::size_t travellers = 50;
        constexpr std::size_t moves = 2000;
        std::array<std::size_t, travellers> steps{};
        TaskGroup group(here);
        for (std::size_t i = 0; i < travellers; ++i) ASSERT_TRUE(start(here, group, travel(i + 1, moves, steps[i])));
        group.wait();
        for (std::size_t const count : steps) EXPECT_EQ(count, moves);
    });
}

// What a worker that fetches ahead is told.
struct Peek : Task {
    Peek(Task const& its_subject)
        : Task([](Worker&, Task& task) {
            auto& self = static_cast<Peek&>(task);
            self.seen = self.subject.touches;
            self.has_run = true;
        })
        , subject(its_subject) {}
    Task const& subject;
    Annotation seen{};
    bool has_run = false;
};

struct Link {
    Link const* next;
    std::uint64_t value;
};

Coroutine<std::uint64_t> sum_of(Link const* first) {
    std::uint64_t sum = 0;
    for (Link const* link = first; link != nullptr; link = link->next) {
        co_await prefetched(link, sizeof(Link));
        sum += link->value;
    }
    co_return sum;
}

TEST_F(CoroutineTest, a_walk_says_which_lines_it_needs_and_lets_others_run) {
    with_runtime([](Worker& here) {
        std::vector<Link> links(1000);
        std::uint64_t wanted = 0;
        for (std::size_t i = 0; i < links.size(); ++i) {
            links[i] = {i + 1 < links.size() ? &links[i + 1] : nullptr, i * i};
            wanted += i * i;
        }
        std::uint64_t sum = 0;
        Coroutine<std::uint64_t> walk = sum_of(links.data());
        Peek peek(walk.task());
        ASSERT_TRUE(start(here, std::move(walk), [&sum](Worker&, std::uint64_t result) { sum = result; }));
        here.append(peek); // behind the walk's first turn, before its second
        here.run_until([&] { return peek.has_run; });
        EXPECT_TRUE(peek.seen);
        EXPECT_FALSE(peek.seen.is_write());
        EXPECT_EQ(align_down(reinterpret_cast<std::uintptr_t>(links.data()), cache_line_bytes),
                  reinterpret_cast<std::uintptr_t>(peek.seen.address()));
        EXPECT_EQ(sum, 0U);
        here.run_until([&] { return sum != 0; });
        EXPECT_EQ(sum, wanted);
    });
}

Coroutine<> annotate(Task const*& task, CoreId target, Annotation touches, Annotation home) {
    co_await move_to(target, touches);
    EXPECT_EQ(task->touches.address(), touches.address());
    EXPECT_EQ(task->touches.lines(), touches.lines());
    EXPECT_TRUE(task->touches.is_write());
    EXPECT_TRUE(task->touches.has_next_line()); // the locals
    co_await move_to(target);
    EXPECT_FALSE(task->touches);
    co_await move_home(home);
    EXPECT_EQ(task->touches.lines(), home.lines());
    co_await move_home();
    EXPECT_FALSE(task->touches);
}

TEST_F(CoroutineTest, an_annotation_travels_with_the_task_for_one_turn) {
    with_runtime([](Worker& here) {
        std::array<std::byte, 300> touched{};
        Task const* task = nullptr;
        Coroutine<> coroutine = annotate(task, core_id(3), Annotation::writes(touched.data(), touched.size()),
                                         Annotation::reads(touched.data(), 65));
        task = &coroutine.task();
        run(here, std::move(coroutine));
    });
}

// Results, and what becomes of parameters and locals.

Coroutine<std::unique_ptr<int>> fetch(std::shared_ptr<int> parameter, Tracks& tracks, CoreId target) {
    Tracked const until_the_end(tracks, target); // a local: ends where the body does
    co_await move_to(target);
    EXPECT_EQ(Worker::current().core(), target);
    co_return std::make_unique<int>(*parameter);
}

Coroutine<> fetch_from_all(std::shared_ptr<int> parameter, Tracks& tracks, CoreId parent_core, int& sum) {
    co_await move_to(parent_core);
    for (std::size_t i = 0; i < core_count; ++i) {
        std::optional<std::unique_ptr<int>> const result = co_await fetch(parameter, tracks, core_id(i));
        EXPECT_EQ(Worker::current().core(), parent_core); // it goes on where it waited
        EXPECT_TRUE(result.has_value() && *result != nullptr);
        if (result) sum += **result;
    }
}

TEST_F(CoroutineTest, results_may_be_objects_that_only_move) {
    with_runtime([](Worker& here) {
        auto const shared = std::make_shared<int>(5);
        Tracks tracks;
        for (std::size_t core = 0; core < core_count; ++core) {
            int sum = 0;
            run(here, fetch_from_all(shared, tracks, core_id(core), sum));
            EXPECT_EQ(sum, 5 * static_cast<int>(core_count));
        }
        EXPECT_EQ(shared.use_count(), 1);
        EXPECT_EQ(tracks.alive.load(), 0);
        EXPECT_EQ(tracks.ended_at_home.load(), static_cast<int>(core_count * core_count));
        EXPECT_EQ(tracks.ended_elsewhere.load(), 0);
    });
}

Coroutine<int> wander(Tracked, std::uint32_t seed) {
    std::minstd_rand random(seed);
    for (int i = 0; i < 20; ++i) co_await move_to(core_id(random() % core_count));
    co_return 1; // somewhere: the parameter ends at home all the same
}

TEST_F(CoroutineTest, parameters_end_once_and_at_home) {
    with_runtime([](Worker& here) {
        Tracks tracks;
        int ended = 0;
        for (std::uint32_t i = 0; i < 200; ++i) {
            ASSERT_TRUE(start(here, wander(Tracked(tracks, here.core()), i + 1), [&](Worker& worker, int one) {
                EXPECT_EQ(worker.core(), core_id(0));
                ended += one;
            }));
        }
        here.run_until([&] { return ended == 200; });
        EXPECT_EQ(tracks.alive.load(), 0);
        EXPECT_EQ(tracks.ended_at_home.load(), 200);
        EXPECT_EQ(tracks.ended_elsewhere.load(), 0);
        EXPECT_EQ(here.pool().in_use(), 0);
    });
}

TEST_F(CoroutineTest, what_the_end_is_told_finds_the_coroutine_gone) {
    with_runtime([](Worker& here) {
        auto const shared = std::make_shared<int>(1);
        bool has_ended = false;
        int runs = 0;
        Tracks tracks;
        ASSERT_TRUE(start(here, hold(Tracked(tracks, here.core()), runs), [&, shared](Worker& worker) {
            EXPECT_EQ(tracks.alive.load(), 0);
            EXPECT_EQ(worker.pool().in_use(), 0);
            has_ended = true;
        }));
        here.run_until([&] { return has_ended; });
        EXPECT_EQ(shared.use_count(), 1);
        EXPECT_EQ(runs, 1);
    });
}

// One that does not suspend is a call: no turn passes, and the stack does not grow with the number of calls.
Coroutine<std::uint64_t> at_once(std::uint64_t value) {
    co_return value;
}
Coroutine<std::uint64_t> count_calls(std::uint64_t calls, bool& others_ran) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < calls; ++i) sum += (co_await at_once(1)).value_or(0);
    EXPECT_FALSE(others_ran);
    co_await yield();
    EXPECT_TRUE(others_ran);
    co_return sum;
}

TEST_F(CoroutineTest, one_that_does_not_suspend_is_a_call) {
    with_runtime([](Worker& here) {
        std::uint64_t sum = 0;
        bool others_ran = false;
        ASSERT_TRUE(start(here, count_calls(200'000, others_ran), [&](Worker&, std::uint64_t all) { sum = all; }));
        ASSERT_TRUE(spawn(here, here.core(), [&](Worker&) { others_ran = true; }));
        here.run_until([&] { return sum != 0; });
        EXPECT_EQ(sum, 200'000U);
    });
}

Coroutine<int> descend(int depth) {
    co_await yield(); // so that depth takes frames, but no stack
    if (depth == 0) co_return 0;
    co_return 1 + (co_await descend(depth - 1)).value_or(1'000'000);
}

TEST_F(CoroutineTest, depth_takes_no_stack_if_each_suspends) {
    with_runtime([](Worker& here) {
        int depth = -1;
        ASSERT_TRUE(start(here, descend(20'000), [&](Worker&, int result) { depth = result; }));
        here.run_until([&] { return depth >= 0; });
        EXPECT_EQ(depth, 20'000);
    });
}

// Without memory.

Coroutine<> await_empty(int& wrong) {
    Coroutine<int> empty;
    if ((co_await std::move(empty)).has_value()) ++wrong;
    if (co_await Coroutine<>()) ++wrong;
    if (!co_await when_all(std::span<Coroutine<int>>())) ++wrong;
}

TEST_F(CoroutineTest, awaiting_an_empty_one_says_so) {
    with_runtime([](Worker& here) {
        int wrong = 0;
        run(here, await_empty(wrong));
        EXPECT_EQ(wrong, 0);
    });
}

TEST_F(CoroutineTest, starting_an_empty_one_says_so) {
    with_runtime([](Worker& here) {
        EXPECT_FALSE(start(here, Coroutine<>()));
        EXPECT_FALSE(start(here, Coroutine<int>(), [](Worker&, int) { ADD_FAILURE(); }));
        TaskGroup group(here);
        EXPECT_FALSE(start(here, group, Coroutine<>()));
        group.wait();
    });
}

TEST_F(CoroutineTest, without_memory_it_is_empty_and_nothing_is_lost) {
    with_runtime([](Worker& here) {
        expect_all_memory_back(here); // so that the pool has what starting and looking take
        Tracks tracks;
        int runs = 0;
        run(here, hold(Tracked(tracks, here.core()), runs));
        std::vector<Coroutine<>> all;
        do all.push_back(hold(Tracked(tracks, here.core()), runs));
        while (all.back());
        EXPECT_GT(all.size(), 100'000U);
        EXPECT_EQ(tracks.alive.load(), static_cast<int>(all.size() - 1)); // the last one's parameter is gone
        EXPECT_FALSE(start(here, std::move(all.back()), [](Worker&) { ADD_FAILURE(); }));
        all.clear();
        EXPECT_EQ(tracks.alive.load(), 0);
        EXPECT_EQ(runs, 1);
        run(here, hold(Tracked(tracks, here.core()), runs));
        EXPECT_EQ(runs, 2);
    });
}

// What is wrong in every case.

Coroutine<> throw_one() {
    co_await yield();
    throw 1;
}
TEST_F(CoroutineDeathTest, one_that_throws_panics) {
    EXPECT_DEATH(with_runtime([](Worker& here) { run(here, throw_one()); }), "a coroutine threw an exception");
}

Coroutine<> take_too_much() {
    std::array<std::byte, 1024> large{};
    std::byte* volatile first = large.data(); // of an array that nothing points to Clang keeps what is used
    co_await yield();
    *first = std::byte{1};
}
TEST_F(CoroutineDeathTest, a_frame_that_is_too_large_is_named) {
    EXPECT_DEATH(with_runtime([](Worker& here) { run(here, take_too_much()); }),
                 "a coroutine's frame has 1[0-9]{3} bytes, expected up to 1024");
}

Coroutine<> begin_twice(Coroutine<>& other) {
    static_cast<void>(co_await when_all(std::span(&other, 1)));
    static_cast<void>(co_await when_all(std::span(&other, 1)));
}
TEST_F(CoroutineDeathTest, one_is_begun_once) {
    EXPECT_DEATH(with_runtime([](Worker& here) {
                     int runs = 0;
                     Tracks tracks;
                     Coroutine<> other = hold(Tracked(tracks, here.core()), runs);
                     run(here, begin_twice(other));
                 }),
                 "a coroutine is begun once");
}

TEST_F(CoroutineDeathTest, one_that_runs_is_not_destroyed) {
    EXPECT_DEATH(with_runtime([](Worker& here) {
                     std::size_t steps = 0;
                     Coroutine<> coroutine = travel(1, 10, steps);
                     Task waiter([](Worker&, Task&) {});
                     CoroutineWaiter waiting{&waiter, here.core(), 1};
                     coroutine.task().begin(here, &waiting);
                     coroutine.reset();
                 }),
                 "before it begins or after its end");
}

} // namespace
} // namespace mxk::test

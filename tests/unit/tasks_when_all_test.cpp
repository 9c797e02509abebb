// Trees of coroutines over all cores: each node waits for its children, and all memory comes back, even when it ends in
// the middle.
#include <memory>
#include <random>

#include "tests/delays.hpp"
#include "tests/unit/coroutine_fixture.hpp"

namespace mxk::test {
namespace {

using WhenAllTest = CoroutineTest;

Coroutine<int> number_on(CoreId core, int number) {
    co_await move_to(core);
    co_return number;
}
Coroutine<std::unique_ptr<int>> pointer_on(CoreId core, int number) {
    co_await move_to(core);
    co_return std::make_unique<int>(number);
}
Coroutine<> write_on(CoreId core, int& number, int value) {
    co_await move_to(core);
    number = value; // plain: coming home orders
}

Coroutine<> wait_for_several(CoreId where, int& done) {
    co_await move_to(where);
    int written = 0;
    auto results = co_await when_all(number_on(core_id(1), 7), write_on(core_id(2), written, 3),
                                     pointer_on(core_id(3), 9), number_on(where, 1));
    EXPECT_EQ(Worker::current().core(), where);
    EXPECT_EQ(written, 3);
    EXPECT_TRUE(results.has_value());
    if (!results) co_return;
    static_assert(std::is_same_v<decltype(results)::value_type, std::tuple<int, Done, std::unique_ptr<int>, int>>);
    EXPECT_EQ(std::get<0>(*results), 7);
    EXPECT_EQ(*std::get<2>(*results), 9);
    EXPECT_EQ(std::get<3>(*results), 1);
    int other = 0;
    bool const all_ran = co_await when_all(write_on(where, written, 5), write_on(core_id(6), other, 6));
    EXPECT_TRUE(all_ran);
    EXPECT_EQ(written + other, 11);
    ++done;
}

TEST_F(WhenAllTest, waits_for_several_of_different_types) {
    with_runtime([](Worker& here) {
        int done = 0;
        for (std::size_t i = 0; i < core_count; ++i) run(here, wait_for_several(core_id(i), done));
        EXPECT_EQ(done, static_cast<int>(core_count));
    });
}

// They begin in order, each as a task of its own.
Coroutine<> append_to(std::vector<int>& order, int number) {
    order.push_back(number);
    co_return;
}
Coroutine<> begin_in_order(std::vector<int>& order) {
    std::vector<Coroutine<>> children;
    children.push_back(append_to(order, 1));
    children.push_back(append_to(order, 2));
    children.push_back(append_to(order, 3));
    EXPECT_TRUE(spawn(Worker::current(), Worker::current().core(), [&order](Worker&) { order.push_back(0); }));
    EXPECT_TRUE(co_await when_all(std::span(children)));
    order.push_back(4);
}

TEST_F(WhenAllTest, children_begin_in_order_behind_what_stands_in_the_queue) {
    with_runtime([](Worker& here) {
        std::vector<int> order;
        run(here, begin_in_order(order));
        EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
    });
}

// A tree whose nodes are made and wait on random cores. Gives the number of leaves, less a million for each node
// without memory.
constexpr int no_memory = -1'000'000;

Coroutine<int> grow(std::uint32_t seed, int depth, Tracked held) {
    std::minstd_rand random(seed);
    co_await move_to(core_id(random() % core_count));
    if (depth == 0) co_return 1;
    RandomDelay::point();
    if (random() % 3 == 0) co_await yield();
    std::array<Coroutine<int>, 3> children;
    for (Coroutine<int>& child : children) {
        auto const child_seed = static_cast<std::uint32_t>(random());
        child = grow(child_seed, depth - 1, Tracked(held.tracks(), Worker::current().core()));
    }
    CoreId const waits_on = Worker::current().core();
    if (!co_await when_all(std::span<Coroutine<int>>(children))) co_return no_memory;
    EXPECT_EQ(Worker::current().core(), waits_on);
    int leaves = 0;
    for (Coroutine<int>& child : children) leaves += child.result();
    if (random() % 2 == 0) co_await move_to(core_id(random() % core_count)); // the children go home to end
    co_return leaves;
}

TEST_F(WhenAllTest, random_trees_over_all_cores) {
    with_runtime([](Worker& here) {
        Tracks tracks;
        constexpr int trees = 8;
        int ended = 0;
        for (std::uint32_t i = 0; i < trees; ++i) {
            ASSERT_TRUE(start(here, grow(i + 1, 6, Tracked(tracks, here.core())), [&](Worker&, int leaves) {
                EXPECT_EQ(leaves, 729);
                ++ended;
            }));
        }
        here.run_until([&] { return ended == trees; });
        expect_all_memory_back(here);
        EXPECT_EQ(tracks.alive.load(), 0);
        EXPECT_EQ(tracks.ended_at_home.load(), trees * (1 + 3 + 9 + 27 + 81 + 243 + 729));
        EXPECT_EQ(tracks.ended_elsewhere.load(), 0);
    });
}

// All memory of all nodes, in slabs; gives it back when it ends.
class Ballast {
  public:
    Ballast() {
        for (;;) {
            auto const block = memory::allocate(heap::superblock_unit, heap::superblock_unit, node_id(0));
            if (!block) break;
            blocks_.push_back(block.value());
        }
    }
    ~Ballast() { give_back(blocks_.size()); }
    Ballast(Ballast const&) = delete;
    Ballast& operator=(Ballast const&) = delete;

    void give_back(std::size_t count) {
        for (; count > 0 && !blocks_.empty(); --count) {
            memory::free(blocks_.back());
            blocks_.pop_back();
        }
    }

  private:
    std::vector<memory::Block> blocks_;
};

// From each core to each other, so that what they keep for sending is there.
Coroutine<> visit_all_pairs() {
    for (std::size_t from = 0; from < core_count; ++from) {
        for (std::size_t to = 0; to < core_count; ++to) {
            co_await move_to(core_id(from));
            co_await move_to(core_id(to));
        }
    }
}

TEST_F(WhenAllTest, a_tree_that_runs_out_of_memory_ends_and_loses_nothing) {
    with_runtime([](Worker& here) {
        Tracks tracks;
        int failed = 0;
        int succeeded = 0;
        run(here, visit_all_pairs());
        expect_all_memory_back(here); // so that this pool has what looking again takes
        Ballast ballast;
        for (std::uint32_t slabs = 1; slabs <= 200 && succeeded < 3; ++slabs) { // at another depth each time
            ballast.give_back(1);
            int leaves = 0;
            if (start(here, grow(slabs, 7, Tracked(tracks, here.core())),
                      [&leaves](Worker&, int result) { leaves = result; })) {
                here.run_until([&] { return leaves != 0; });
                EXPECT_TRUE(leaves < 0 || leaves == 2187) << leaves;
            }
            ++(leaves > 0 ? succeeded : failed);
            expect_all_memory_back(here);
            EXPECT_EQ(tracks.alive.load(), 0);
        }
        EXPECT_GT(failed, 3);
        EXPECT_EQ(succeeded, 3);
        EXPECT_EQ(tracks.ended_elsewhere.load(), 0);
    });
}

} // namespace
} // namespace mxk::test

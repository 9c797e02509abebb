// The queue's promises under threads, delays and TSan: no task lost or doubled, FIFO per sender, no lost wake-up.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "arch/attention.hpp"
#include "bench/workload/random.hpp"
#include "tasks/queue/core_queue.hpp"
#include "tests/delays.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk {
namespace {

struct Letter : Task {
    Letter()
        : Task(nullptr) {}
    std::size_t sender = 0;
    std::size_t number = 0;
};

TEST(TaskList, is_a_fifo) {
    std::array<Letter, 3> letters;
    TaskList list;
    EXPECT_EQ(list.take(), nullptr);
    for (Letter& letter : letters) list.append(letter);
    TaskList other;
    Letter more;
    other.append(more);
    list.splice(other);
    EXPECT_TRUE(other.empty());
    for (Letter& letter : letters) EXPECT_EQ(list.take(), &letter);
    EXPECT_EQ(list.take(), &more);
    EXPECT_EQ(list.take(), nullptr);
    list.prepend(more);
    list.append(letters[0]);
    EXPECT_EQ(list.take(), &more);
    EXPECT_EQ(list.take(), &letters[0]);
}

auto const no_wake = [](CoreId core) { ADD_FAILURE() << "core " << index(core) << " need not be woken"; };

// The next task as a worker takes it, or null.
Task* take(CoreQueue& queue) {
    if (Task* const task = queue.take()) return task;
    return queue.begin_round([](CoreId) {}) ? queue.take() : nullptr;
}

class QueueTest : public test::MemoryTest {
  protected:
    void SetUp() override { configure({64 * MiB}, {10}); }

    // Queues of a machine with as many cores. They end before the memory does.
    static std::deque<CoreQueue> queues(std::size_t cores) {
        std::deque<CoreQueue> all;
        for (std::size_t i = 0; i < cores; ++i)
            all.emplace_back(core_id(i), std::move(CoreQueue::Memory::create(cores, node_id(0)).value()));
        return all;
    }
};

std::vector<Letter> numbered(std::size_t count, std::size_t sender = 0) {
    std::vector<Letter> letters(count);
    for (std::size_t i = 0; i < count; ++i) {
        letters[i].sender = sender;
        letters[i].number = i + 1;
    }
    return letters;
}

TEST_F(QueueTest, mail_gets_in_between_tasks_that_append_themselves) {
    auto queue = queues(2);
    Letter looping;
    Letter mail;
    queue[0].append(looping);
    queue[1].send(mail, queue[0], core_id(0), no_wake);
    queue[1].flush(no_wake);
    int turns = 0;
    for (Task* task = take(queue[0]); task != &mail; task = take(queue[0])) {
        ASSERT_LT(++turns, 1000);
        queue[0].append(*task);
    }
}

// A core that is flooded from another one keeps running its own tasks: they get every second turn or more.
TEST_F(QueueTest, a_flooding_sender_does_not_keep_local_tasks_out) {
    auto queue = queues(2);
    constexpr std::size_t floods = 10000;
    auto flood = numbered(floods);
    std::vector<Letter> local(8);
    for (Letter& task : local) queue[0].append(task);
    for (Letter& letter : flood) queue[1].send(letter, queue[0], core_id(0), no_wake);
    std::size_t local_runs = 0;
    std::size_t mail_runs = 0;
    std::size_t max_gap = 0;
    for (std::size_t gap = 0; mail_runs < floods;) {
        queue[1].flush(no_wake); // the sender goes on and on
        Task* const task = take(queue[0]);
        ASSERT_NE(task, nullptr);
        if (task >= &local.front() && task <= &local.back()) {
            queue[0].append(*task);
            ++local_runs;
            gap = 0;
        } else {
            ASSERT_EQ(static_cast<Letter*>(task)->number, ++mail_runs);
            max_gap = std::max(max_gap, ++gap);
        }
    }
    EXPECT_LE(max_gap, CoreQueue::round); // mail of a round between two local tasks
    EXPECT_GE(local_runs, mail_runs * 9 / 10);
    EXPECT_GT(queue[1].statistics().waited.value(), 0U);
}

// Several floods: each sender gets its turn.
TEST_F(QueueTest, senders_take_turns) {
    constexpr std::size_t cores = 130; // three words of bits
    auto queue = queues(cores);
    std::vector<std::vector<Letter>> letters;
    std::vector<std::size_t> const senders = {1, 2, 63, 64, 65, 127, 128, 129};
    for (std::size_t const sender : senders) letters.push_back(numbered(1000, sender));
    for (auto& mine : letters)
        for (Letter& letter : mine) queue[mine.front().sender].send(letter, queue[0], core_id(0), no_wake);
    std::vector<std::size_t> received(cores);
    for (std::size_t i = 0; i < senders.size() * 1000; ++i) {
        for (std::size_t const sender : senders) queue[sender].flush(no_wake);
        auto const* const letter = static_cast<Letter*>(take(queue[0]));
        ASSERT_NE(letter, nullptr);
        ASSERT_EQ(letter->number, ++received[letter->sender]);
        std::size_t fewest = 1000;
        for (std::size_t const sender : senders) fewest = std::min(fewest, received[sender]);
        ASSERT_LE(received[letter->sender] - fewest, 2 * CoreQueue::round) << letter->sender;
    }
    EXPECT_EQ(take(queue[0]), nullptr);
}

TEST_F(QueueTest, more_than_a_mailbox_holds_waits_at_the_sender_in_order) {
    auto queue = queues(2);
    auto letters = numbered(MailRing::capacity + 100);
    for (Letter& letter : letters) queue[0].send(letter, queue[1], core_id(1), no_wake);
    queue[0].flush(no_wake);
    EXPECT_TRUE(queue[0].needs_flush()); // no room
    EXPECT_EQ(queue[0].statistics().waited.value(), 100U);
    for (std::size_t number = 1; number <= letters.size(); ++number) {
        auto const* const letter = static_cast<Letter*>(take(queue[1]));
        ASSERT_NE(letter, nullptr);
        ASSERT_EQ(letter->number, number);
        queue[0].flush(no_wake);
    }
    queue[0].flush(no_wake);
    EXPECT_FALSE(queue[0].needs_flush());
    EXPECT_EQ(take(queue[1]), nullptr);
    EXPECT_EQ(queue[1].statistics().high_water.value(), MailRing::capacity);
}

// The first task to a core costs a ring, and so many senders must not cost a frame each.
TEST_F(QueueTest, rings_cost_little_more_than_their_bytes) {
    constexpr std::size_t senders = 511;
    auto made = MailRings::Memory::create(senders, node_id(0));
    ASSERT_TRUE(made.ok());
    std::size_t const before = used_bytes();
    {
        MailRings rings(std::move(made.value()), node_id(0));
        ASSERT_NE(rings.open(), nullptr);
        EXPECT_EQ(used_bytes() - before, 4 * KiB);
        for (std::size_t i = 1; i < senders; ++i) ASSERT_NE(rings.open(), nullptr) << i;
        EXPECT_LE(used_bytes() - before, senders * sizeof(MailRing) * 104 / 100);
    }
    EXPECT_LT(used_bytes(), before); // the list of blocks, too
}

TEST_F(QueueTest, senders_on_many_cores_get_a_ring_each) {
    constexpr std::size_t threads = 4;
    constexpr std::size_t rings_of_each = 50;
    MailRings rings(std::move(MailRings::Memory::create(threads * rings_of_each, node_id(0)).value()), node_id(0));
    std::array<std::vector<MailRing*>, threads> got;
    std::vector<std::thread> openers;
    for (auto& mine : got)
        openers.emplace_back([&rings, &mine] {
            for (std::size_t i = 0; i < rings_of_each; ++i) mine.push_back(rings.open());
        });
    for (std::thread& opener : openers) opener.join();
    std::vector<MailRing*> all;
    for (auto const& mine : got) all.insert(all.end(), mine.begin(), mine.end());
    std::sort(all.begin(), all.end());
    EXPECT_NE(all.front(), nullptr);
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i] - all[i - 1], 1) << "rings do not overlap";
    for (MailRing* const ring : all) EXPECT_TRUE(ring->empty());
}

TEST_F(QueueTest, without_memory_for_a_ring_nothing_is_lost) {
    auto queue = queues(3);
    Letter first;
    queue[1].send(first, queue[0], core_id(0), no_wake); // has its ring
    queue[1].flush(no_wake);
    std::vector<memory::Block> all;
    for (auto block = memory::allocate(4 * KiB, 4 * KiB, node_id(0)); block;
         block = memory::allocate(4 * KiB, 4 * KiB, node_id(0)))
        all.push_back(block.value());
    auto letters = numbered(1000);
    for (Letter& letter : letters) queue[2].send(letter, queue[0], core_id(0), no_wake);
    EXPECT_FALSE(queue[2].needs_flush());
    for (memory::Block const& block : all) memory::free(block);
    std::size_t number = 0;
    for (std::size_t i = 0; i <= letters.size(); ++i) {
        Task* const task = take(queue[0]);
        ASSERT_NE(task, nullptr);
        if (task != &first) {
            ASSERT_EQ(static_cast<Letter*>(task)->number, ++number);
        }
    }
    bool slept = false;
    queue[0].sleep_unless_mail([&] { slept = true; });
    EXPECT_TRUE(slept);
}

TEST_F(QueueTest, a_sender_is_told_to_ring_only_when_the_receiver_sleeps) {
    auto queue = queues(2);
    std::vector<Letter> letters(4);
    std::size_t rings = 0;
    auto const ring = [&rings](CoreId core) {
        EXPECT_EQ(core, core_id(0));
        ++rings;
    };
    queue[1].send(letters[0], queue[0], core_id(0), no_wake);
    queue[1].flush(no_wake);
    EXPECT_EQ(take(queue[0]), &letters[0]);
    bool slept = false;
    queue[0].sleep_unless_mail([&] {
        slept = true;
        queue[1].send(letters[1], queue[0], core_id(0), ring);
        queue[1].flush(ring);
        EXPECT_EQ(rings, 1U);
        queue[1].send(letters[2], queue[0], core_id(0), ring); // one ring is enough
        while (queue[1].needs_flush()) queue[1].flush(ring);
        EXPECT_EQ(rings, 1U);
        EXPECT_EQ(take(queue[0]), &letters[1]);
        EXPECT_EQ(take(queue[0]), &letters[2]);
    });
    EXPECT_TRUE(slept);
    queue[1].send(letters[3], queue[0], core_id(0), no_wake);
    queue[1].flush(no_wake);
    queue[0].sleep_unless_mail([] { FAIL() << "slept although there was mail"; });
    EXPECT_EQ(take(queue[0]), &letters[3]);
}

// The narrow case: the receiver stops to watch between the sender's look and the moment its letter is seen.
TEST_F(QueueTest, a_letter_that_came_while_the_receiver_dozed_off_is_found) {
    auto queue = queues(2);
    std::vector<Letter> letters(2);
    queue[1].send(letters[0], queue[0], core_id(0), no_wake);
    queue[1].flush(no_wake);
    EXPECT_EQ(take(queue[0]), &letters[0]);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(take(queue[0]), nullptr); // has lost patience by now
    queue[1].send(letters[1], queue[0], core_id(0), no_wake);
    queue[1].flush(no_wake);
    EXPECT_EQ(take(queue[0]), &letters[1]);
}

void exchange_letters(std::deque<CoreQueue> queue, std::size_t letters_each) {
    std::size_t const senders = queue.size() - 1;
    std::vector<std::vector<Letter>> letters;
    for (std::size_t sender = 0; sender < senders; ++sender) letters.push_back(numbered(letters_each, sender));
    arch::CoreLocal receiver;
    arch::reserve_cores(senders + 1);
    std::atomic<bool> ready{false};
    CoreQueue& inbox = queue[senders];
    std::thread receiving([&] {
        arch::adopt_core(receiver, core_id(senders));
        ready.store(true);
        std::vector<std::size_t> last(senders);
        for (std::size_t received = 0; received < senders * letters_each;) {
            if (Task* const task = take(inbox)) {
                auto const& letter = static_cast<Letter&>(*task);
                ASSERT_EQ(letter.number, last[letter.sender] + 1);
                last[letter.sender] = letter.number;
                ++received;
                continue;
            }
            inbox.sleep_unless_mail([] { arch::halt_until_attention(); });
            arch::take_attention();
        }
        EXPECT_EQ(take(inbox), nullptr);
    });
    while (!ready.load()) std::this_thread::yield();
    auto const wake = [](CoreId core) { arch::wake(core); };
    std::vector<std::thread> threads;
    for (std::size_t sender = 0; sender < senders; ++sender) {
        threads.emplace_back([&, sender] {
            for (std::size_t i = 0; i < letters_each; ++i) {
                queue[sender].send(letters[sender][i], inbox, core_id(senders), wake);
                if (i % 7 == 0) queue[sender].flush(wake);
            }
            for (queue[sender].flush(wake); queue[sender].needs_flush(); queue[sender].flush(wake))
                std::this_thread::yield();
        });
    }
    for (std::thread& thread : threads) thread.join();
    receiving.join();
}

TEST_F(QueueTest, keeps_order_and_loses_nothing) {
    exchange_letters(queues(5), 50000);
}
TEST_F(QueueTest, keeps_order_and_loses_nothing_under_delays) {
    InjectDelays const delays;
    exchange_letters(queues(5), 3000);
}
TEST_F(QueueTest, wakes_a_receiver_that_mostly_sleeps) {
    InjectDelays const delays;
    exchange_letters(queues(2), 5000);
}
TEST_F(QueueTest, keeps_order_without_memory_for_rings) {
    InjectDelays const delays;
    auto all = queues(4);
    std::vector<memory::Block> blocks;
    for (auto block = memory::allocate(4 * KiB, 4 * KiB, node_id(0)); block;
         block = memory::allocate(4 * KiB, 4 * KiB, node_id(0)))
        blocks.push_back(block.value());
    exchange_letters(std::move(all), 3000);
    for (memory::Block const& block : blocks) memory::free(block);
}

TEST(TaskFifo, is_a_fifo_of_any_length) {
    TaskFifo fifo;
    auto letters = numbered(3 * TaskFifo::capacity + 17);
    std::size_t appended = 0;
    std::size_t taken = 0;
    EXPECT_EQ(fifo.take(), nullptr);
    for (std::size_t const burst : {1U, 5U, 255U, 1U, 300U, 2U, 222U}) { // in the ring, at its edge, far beyond
        for (std::size_t i = 0; i < burst && appended < letters.size(); ++i) fifo.append(letters[appended++]);
        for (std::size_t i = 0; i < burst / 2; ++i) ASSERT_EQ(fifo.take(), &letters[taken++]);
    }
    while (taken < appended) ASSERT_EQ(fifo.take(), &letters[taken++]);
    EXPECT_TRUE(fifo.empty());
    EXPECT_EQ(fifo.take(), nullptr);
}

// Bursts of tasks that come from here or there and leave again, at random, from an empty queue to one twice its ring.
TEST(TaskFifo, keeps_the_order_of_random_bursts) {
    auto letters = numbered(3 * TaskFifo::capacity);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        bench::Random random(seed);
        TaskFifo fifo;
        fifo.set_distance(static_cast<std::uint32_t>(random.below(TaskFifo::max_distance + 1)));
        std::deque<Letter*> outside;
        std::deque<Task*> inside; // as they should be
        for (Letter& letter : letters) outside.push_back(&letter);
        for (int turn = 0; turn < 2000; ++turn) {
            std::uint64_t const kind = random.below(4);
            if (random.below(8) == 0) {
                TaskList front;
                std::vector<Task*> as_well;
                for (std::uint64_t left = random.below(30); left > 0 && !outside.empty(); --left) {
                    as_well.push_back(outside.front());
                    front.append(*outside.front());
                    outside.pop_front();
                }
                fifo.prepend(front);
                ASSERT_TRUE(front.empty());
                inside.insert(inside.begin(), as_well.begin(), as_well.end());
            }
            std::uint32_t const end = fifo.end();
            for (std::uint64_t left = random.below(turn % 2 == 0 ? 300 : 20); left > 0; --left) {
                if (kind >= 2) {
                    Task* const expected = inside.empty() ? nullptr : inside.front();
                    ASSERT_EQ(fifo.take(), expected);
                    if (expected == nullptr) break;
                    inside.pop_front();
                    outside.push_back(static_cast<Letter*>(expected));
                } else if (!outside.empty()) {
                    kind == 0 ? fifo.append(*outside.front()) : fifo.append_arrived(*outside.front());
                    inside.push_back(outside.front());
                    outside.pop_front();
                }
            }
            if (kind == 1) fifo.fetch_for_arrived(end);
            ASSERT_EQ(fifo.empty(), inside.empty());
        }
    }
}

// Each annotated task is fetched for exactly once, whether it comes to a short or to a long queue, from here or there.
TEST(TaskFifo, fetches_once_for_every_task_that_says_what_it_touches) {
    int touched = 0;
    for (std::uint32_t const distance : {0U, 1U, 8U, 100U, 100000U}) {
        for (std::size_t const length : {1U, 7U, 8U, 9U, 100U, 256U, 300U}) {
            TaskFifo fifo;
            fifo.set_distance(distance);
            EXPECT_EQ(fifo.distance(), std::min(distance, TaskFifo::max_distance));
            auto local = numbered(length);
            auto mail = numbered(length);
            for (auto* const letters : {&local, &mail})
                for (Letter& letter : *letters) letter.touches = Annotation::reads(&touched);
            Letter silent;
            for (int round = 0; round < 3; ++round) {
                std::uint64_t const before = fifo.prefetched().value();
                fifo.append(silent);
                for (Letter& letter : local) fifo.append(letter);
                std::uint32_t const end = fifo.end();
                for (Letter& letter : mail) fifo.append_arrived(letter);
                fifo.fetch_for_arrived(end);
                while (fifo.take() != nullptr) {
                }
                EXPECT_EQ(fifo.prefetched().value() - before, distance == 0 ? 0 : 2 * length);
            }
        }
    }
}

TEST(Annotation, names_lines) {
    alignas(cache_line_bytes) std::array<std::byte, 4096> room{};
    EXPECT_FALSE(Annotation());
    EXPECT_FALSE(Annotation::reads(&room, 0));
    EXPECT_EQ(Annotation::reads(&room).lines(), 1U);
    EXPECT_EQ(Annotation::reads(&room[63], 2).lines(), 2U);
    EXPECT_EQ(Annotation::reads(&room[63], 2).address(), static_cast<void const*>(&room[0]));
    EXPECT_EQ(Annotation::reads(&room[64], 64).address(), static_cast<void const*>(&room[64]));
    EXPECT_EQ(Annotation::reads(&room, 128).lines(), 2U);
    EXPECT_EQ(Annotation::writes(&room, 129).lines(), 3U);
    EXPECT_EQ(Annotation::writes(&room, room.size()).lines(), Annotation::max_lines);
    EXPECT_TRUE(Annotation::writes(&room).is_write());
    EXPECT_FALSE(Annotation::reads(&room).is_write());
    EXPECT_EQ(Annotation::table_line(&room[65]).lines(), 1U);
    EXPECT_EQ(Annotation::table_line(&room[65]).address(), static_cast<void const*>(&room[64]));
    EXPECT_TRUE(Annotation::table_line(&room).is_table_line() &&
                !Annotation::writes(&room, room.size()).is_table_line());
    EXPECT_EQ(Annotation::table_line(&room).and_next_line().lines(), 1U);
    Annotation::writes(nullptr, 100).prefetch(); // ignored by the processor
    Annotation::table_line(nullptr).prefetch();
    Annotation().prefetch();
}

} // namespace
} // namespace mxk

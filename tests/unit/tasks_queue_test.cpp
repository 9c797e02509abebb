// The queue's promises under threads, delays and TSan: no task lost or doubled, FIFO per sender, no lost wake-up.
#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "arch/core_local.hpp"
#include "tasks/core_queue.hpp"

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

TEST(CoreQueue, mail_gets_in_between_tasks_that_append_themselves) {
    CoreQueue<> queue;
    Letter looping;
    Letter mail;
    queue.append(looping);
    (void)queue.send(mail);
    int turns = 0;
    for (Task* task = queue.take(); task != &mail; task = queue.take()) {
        ASSERT_LT(++turns, 1000);
        queue.append(*task);
    }
}

TEST(CoreQueue, a_sender_is_told_to_ring_only_when_the_receiver_sleeps) {
    CoreQueue<> queue;
    Letter letter;
    EXPECT_FALSE(queue.send(letter));
    EXPECT_EQ(queue.take(), &letter);
    bool slept = false;
    queue.sleep_unless_mail([&] {
        slept = true;
        EXPECT_TRUE(queue.send(letter));
        Letter second;
        EXPECT_FALSE(queue.send(second)); // one ring is enough
        EXPECT_EQ(queue.take(), &letter);
        EXPECT_EQ(queue.take(), &second);
    });
    EXPECT_TRUE(slept);
    (void)queue.send(letter);
    queue.sleep_unless_mail([] { FAIL() << "slept although there was mail"; });
}

template <typename Delay> void exchange_letters(std::size_t senders, std::size_t letters_each) {
    CoreQueue<Delay> queue;
    std::vector<std::vector<Letter>> letters(senders);
    for (auto& mine : letters) mine = std::vector<Letter>(letters_each);
    arch::CoreLocal receiver;
    arch::reserve_cores(1);
    std::atomic<bool> ready{false};
    std::thread receiving([&] {
        arch::adopt_core(receiver, core_id(0));
        ready.store(true);
        std::vector<std::size_t> last(senders);
        for (std::size_t received = 0; received < senders * letters_each;) {
            if (Task* const task = queue.take()) {
                auto const& letter = static_cast<Letter&>(*task);
                ASSERT_EQ(letter.number, last[letter.sender] + 1);
                last[letter.sender] = letter.number;
                ++received;
                continue;
            }
            queue.sleep_unless_mail([] { arch::halt_until_attention(); });
            arch::take_attention();
        }
        EXPECT_EQ(queue.take(), nullptr);
    });
    while (!ready.load()) std::this_thread::yield();
    std::vector<std::thread> threads;
    for (std::size_t sender = 0; sender < senders; ++sender) {
        threads.emplace_back([&, sender] {
            for (std::size_t i = 0; i < letters_each; ++i) {
                letters[sender][i].sender = sender;
                letters[sender][i].number = i + 1;
                if (queue.send(letters[sender][i])) arch::wake(core_id(0));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    receiving.join();
}

TEST(CoreQueue, keeps_order_and_loses_nothing) {
    exchange_letters<NoDelay>(4, 50000);
}
TEST(CoreQueue, keeps_order_and_loses_nothing_under_delays) {
    exchange_letters<RandomDelay>(4, 3000);
}
TEST(CoreQueue, wakes_a_receiver_that_mostly_sleeps) {
    exchange_letters<RandomDelay>(1, 5000);
}

} // namespace
} // namespace mxk

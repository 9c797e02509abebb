// The promises of threads that hold in both builds. What only the kernel's own have: metal/preemption_test.cpp.

#include <array>
#include <atomic>

#include "base/log.hpp"
#include "kernel/clock.hpp"
#include "kernel/testing.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread_record.hpp"
#include "tests/kernel/answer.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {
namespace {

// But for those of the system's work queue, which stay.
std::size_t thread_count() {
    std::size_t count = 0;
    thread_list::for_each(
        [](ThreadRecord const& thread, void* sum) {
            if (!thread.name.view().starts_with("workq ")) ++*static_cast<std::size_t*>(sum);
        },
        &count);
    return count;
}

MXK_TEST(threads, run_on_their_cores_and_are_joined) {
    struct Visit {
        CoreId core{};
        bool is_thread = false;
        FixedText<32> name{};
        void operator()() {
            core = this_thread::core();
            is_thread = in_thread();
            name.append(this_thread::name());
        }
    };
    MXK_CHECK(!in_thread());
    auto visits = NodeVector<Visit>::create(workers::count(), Worker::current().node());
    MXK_CHECK(visits.ok());
    if (!visits) return;
    ThreadGroup group(workers::count());
    for (std::size_t i = 0; i < workers::count(); ++i)
        group.start({.core = core_id(i), .name = "visitor"}, visits.value().emplace());
    group.join();
    for (std::size_t i = 0; i < workers::count(); ++i) { // plain memory: join() must order it
        MXK_CHECK_EQUAL(index(visits.value()[i].core), i);
        MXK_CHECK(visits.value()[i].is_thread);
        MXK_CHECK(visits.value()[i].name.view() == "visitor");
    }
    MXK_CHECK_EQUAL(thread_count(), 0U);
}

template <typename T> void expect_error(Result<T> const& result, std::string_view part) {
    MXK_CHECK(!result.ok());
    if (result.ok()) return;
    bool const says_it = result.error().message().find(part) != std::string_view::npos;
    if (!says_it) log::info("'{}' does not say '{}'", result.error().message(), part);
    MXK_CHECK(says_it);
}

MXK_TEST(threads, wrong_options_are_named) {
    auto nothing = [] {};
    expect_error(Thread::create({.core = core_id(workers::count())}, nothing), "expected a core below");
    expect_error(Thread::create({.stack_bytes = 100}, nothing), "expected a stack of 16384 to 16777216 bytes, got 100");
    expect_error(Thread::create({.stack_bytes = GiB}, nothing), "expected a stack");
    expect_error(Thread::create({.name = "hasty", .slice = Nanoseconds{9'999}}, nothing),
                 "thread 'hasty': expected a slice of 10000 to 1000000000 ns, got 9999");
    auto const minus_one = Nanoseconds{UINT64_MAX};
    expect_error(Thread::create({.slice = minus_one}, nothing), "expected a slice");
    MXK_CHECK_EQUAL(thread_count(), 0U);
}

MXK_TEST(threads, are_joined_or_detached_once) {
    auto nothing = [] {};
    auto thread = Thread::create({}, nothing);
    MXK_CHECK(thread.ok());
    if (!thread) return;
    MXK_CHECK(thread.value().join().ok());
    expect_error(thread.value().join(), "expected a thread that has been neither joined nor detached");
    expect_error(thread.value().detach(), "neither joined nor detached");

    struct SelfJoiner {
        Thread* self = nullptr;
        Semaphore may_go{0};
        bool was_told = false;
        std::atomic<bool> has_tried{false};
        void operator()() {
            may_go.wait();
            auto const joined = self->join();
            was_told = !joined && joined.error().message() == "thread 'narcissus' waits for its own end";
            has_tried.store(true, std::memory_order_release);
        }
    } joiner;
    auto self = Thread::create({.name = "narcissus"}, joiner);
    MXK_CHECK(self.ok());
    if (!self) return;
    joiner.self = &self.value();
    joiner.may_go.post();
    wait_until([&] { return joiner.has_tried.load(std::memory_order_acquire); });
    MXK_CHECK(self.value().join().ok());
    MXK_CHECK(joiner.was_told);
}

MXK_TEST(threads, detached_ones_give_their_memory_back) {
    std::atomic<int> ran{0};
    auto count = [&] { ran.fetch_add(1, std::memory_order_relaxed); };
    constexpr int threads = 50;
    for (int i = 0; i < threads; ++i) {
        auto thread = Thread::create({.core = core_id(static_cast<std::size_t>(i) % workers::count())}, count);
        MXK_CHECK(thread.ok());
        if (thread) MXK_CHECK(thread.value().detach().ok()); // before or after it has ended
    }
    wait_until([] { return thread_count() == 0; });
    MXK_CHECK_EQUAL(ran.load(), threads);
}

MXK_TEST(threads, join_each_other) {
    // Each waits for the one before it; all on different cores, if there are.
    struct Link {
        Thread* before = nullptr;
        int number = 0;
        int* last = nullptr;
        void operator()() {
            if (before != nullptr) MXK_CHECK(before->join().ok());
            MXK_CHECK_EQUAL(*last, number);
            ++*last;
        }
    };
    constexpr std::size_t threads = 20;
    int last = 0;
    std::array<Link, threads> links{};
    auto chain = NodeVector<Thread>::create(threads, Worker::current().node());
    MXK_CHECK(chain.ok());
    if (!chain) return;
    for (std::size_t i = 0; i < threads; ++i) {
        links[i] = {i == 0 ? nullptr : &chain.value()[i - 1], static_cast<int>(i), &last};
        auto thread = Thread::create({.core = core_id(i % workers::count()), .name = "link"}, links[i]);
        MXK_CHECK(thread.ok());
        if (!thread) return;
        chain.value().emplace(std::move(thread).value());
    }
    MXK_CHECK(chain.value()[threads - 1].join().ok());
    MXK_CHECK_EQUAL(last, static_cast<int>(threads));
}

MXK_TEST(threads, end_in_the_middle) {
    struct Quitter {
        int reached = 0;
        [[gnu::noinline]] void go_deeper() {
            reached = 1;
            this_thread::exit();
        }
        void operator()() {
            go_deeper();
            reached = 2;
        }
    } quitter;
    ThreadGroup group(1);
    group.start({.name = "quitter"}, quitter);
    group.join();
    MXK_CHECK_EQUAL(quitter.reached, 1);
}

MXK_TEST(threads, sleep_no_shorter_than_they_say) {
    struct Sleeper {
        Nanoseconds slept{};
        bool refused = false;
        void operator()() {
            std::uint64_t const before = raw(clock::now());
            MXK_CHECK(this_thread::sleep_for(Nanoseconds{5'000'000}).ok());
            slept = static_cast<Nanoseconds>(raw(clock::now()) - before);
            auto const negative = this_thread::sleep_for(Nanoseconds{UINT64_MAX});
            refused = !negative && negative.error().message() == "expected a time of 0 ns or more, got -1";
        }
    } sleeper;
    ThreadGroup group(1);
    group.start({.core = core_id(workers::count() - 1), .name = "sleeper"}, sleeper);
    group.join();
    MXK_CHECK(raw(sleeper.slept) >= 4'990'000); // two clocks, on Linux
    MXK_CHECK(raw(sleeper.slept) < 2'000'000'000);
    MXK_CHECK(sleeper.refused);
}

// What is set for calculations is a thread's own (it is the callee's to keep, System V ABI for x86-64, section 3.2.1),
// also where the thread gives the core away by itself.
MXK_TEST(threads, round_as_each_of_them_says) {
    static constexpr unsigned all_modes = 3U << 13; // MXCSR's bits 13 and 14
    struct Rounder {
        unsigned mode = 0;
        unsigned wrong = 0;
        void operator()() {
            unsigned const mine = (__builtin_ia32_stmxcsr() & ~all_modes) | mode << 13;
            __builtin_ia32_ldmxcsr(mine);
            for (int i = 0; i < 100; ++i) {
                this_thread::yield();
                if ((__builtin_ia32_stmxcsr() & all_modes) != (mine & all_modes)) ++wrong;
            }
        }
    };
    unsigned const before = __builtin_ia32_stmxcsr() & all_modes;
    std::array<Rounder, 4> rounders{Rounder{0}, Rounder{1}, Rounder{2}, Rounder{3}};
    ThreadGroup group(rounders.size());
    for (Rounder& rounder : rounders) group.start({.name = "rounder"}, rounder); // all on the console's core
    group.join();
    for (Rounder const& rounder : rounders) MXK_CHECK_EQUAL(rounder.wrong, 0U);
    MXK_CHECK_EQUAL(__builtin_ia32_stmxcsr() & all_modes, before);
}

// A task that a thread sends, which says so to the thread.
MXK_TEST(threads, send_tasks_and_are_posted_by_them) {
    struct Sender {
        CoreId target{};
        int right = 0;
        void operator()() {
            Answer answer;
            for (int i = 0; i < 100; ++i) {
                send_task(answer, target);
                answer.done.wait();
                if (answer.ran_on == target) ++right;
            }
        }
    };
    auto senders = NodeVector<Sender>::create(workers::count(), Worker::current().node());
    MXK_CHECK(senders.ok());
    if (!senders) return;
    ThreadGroup group(workers::count());
    for (std::size_t i = 0; i < workers::count(); ++i)
        group.start({.core = core_id(i), .name = "sender"},
                    senders.value().emplace(Sender{.target = core_id((i + 1) % workers::count())}));
    group.join();
    for (Sender const& sender : senders.value()) MXK_CHECK_EQUAL(sender.right, 100);
}

} // namespace
} // namespace mxk

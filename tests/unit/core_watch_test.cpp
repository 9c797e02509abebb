// RuntimeOptions::warn_after: what is said of a core that is held, and that nothing is said of others.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/log.hpp"
#include "main/library/parallel.hpp"
#include "tasks/spawn.hpp"
#include "tasks/threads/semaphore.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"
#include "tests/unit/hold_up.hpp"

namespace mxk {
namespace {

// What the log says while this lives, which must be longer than the Runtime does.
class Said final : public TextSink {
  public:
    Said() { log::set_sink(*this); }
    Said(Said const&) = delete;
    Said& operator=(Said const&) = delete;
    ~Said() {
        static class Nowhere final : public TextSink {
            void write(std::string_view) override {}
        } nowhere;
        log::set_sink(nowhere);
    }
    void write(std::string_view line) override {
        if (line.find("has served nothing else") == std::string_view::npos) return;
        std::scoped_lock const guard(mutex_);
        lines_.emplace_back(line);
    }
    [[nodiscard]] std::vector<std::string> lines() const {
        std::scoped_lock const guard(mutex_);
        return lines_;
    }
    [[nodiscard]] std::vector<std::string> await(std::size_t count) const {
        for (int i = 0; i < 2000 && lines().size() < count; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return lines();
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
};

constexpr std::string_view own_task = "HoldUp";
constexpr std::string_view other_work = ": a part of a loop, a box of a query or a callback runs there\n";

bool contains(std::string const& line, std::string_view part) {
    return line.find(part) != std::string::npos;
}
Result<Runtime> start(bool own_threads, Nanoseconds warn_after) {
    return Runtime::start(
        {.cores = 2, .memory_bytes = 256 * MiB, .own_threads = own_threads, .warn_after = warn_after});
}
void let_pass(Nanoseconds time) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(raw(time)));
}

TEST(CoreWatchTest, a_task_that_holds_its_core_is_named_once) {
    Said const said;
    Nanoseconds const limit = microseconds(20'000);
    auto runtime = start(true, limit);
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    test::HoldUp first;
    test::HoldUp second;
    workers::of(core_id(1)).append_from_outside(first);
    EXPECT_EQ(said.await(1).size(), 1U);
    let_pass(microseconds(100'000));
    EXPECT_EQ(said.lines().size(), 1U);
    workers::of(core_id(1)).append_from_outside(second);
    first.is_held = false;
    auto const lines = said.await(2);
    while (!second.is_held) std::this_thread::yield();
    second.is_held = false;
    ASSERT_EQ(lines.size(), 2U) << "the second task is another one";
    for (std::string const& line : lines) {
        EXPECT_TRUE(line.starts_with("WARN core 1 has served nothing else for ")) << line;
        EXPECT_TRUE(contains(line, "the task that runs there is ")) << line;
        EXPECT_TRUE(contains(line, own_task)) << line;
        EXPECT_GE(std::stoul(line.substr(line.find("for ") + 4)), 20U);
    }
}

TEST(CoreWatchTest, a_task_of_core_0_is_named_while_run_waits) {
    Said const said;
    auto runtime = start(false, microseconds(20'000));
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    std::atomic<bool> is_held{true};
    std::thread waiter([&] {
        EXPECT_EQ(said.await(1).size(), 1U);
        is_held = false;
    });
    runtime.value().run([&](Worker& here) {
        bool is_over = false;
        ASSERT_TRUE(spawn(here, core_id(0), [&](Worker&) {
            while (is_held) std::this_thread::yield();
            is_over = true;
        }));
        here.run_until([&] { return is_over; });
    });
    waiter.join();
    ASSERT_EQ(said.lines().size(), 1U);
    EXPECT_TRUE(said.lines()[0].starts_with("WARN core 0 ")) << said.lines()[0];
}

TEST(CoreWatchTest, what_was_stolen_is_not_taken_for_a_task) {
    Said const said;
    auto runtime = start(true, microseconds(20'000));
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    // Both wait for a line of each core: one is a task that begins a fork, the other one has stolen from it.
    auto wait = [&] { std::ignore = said.await(2); };
    parallel_invoke(wait, wait);
    auto const lines = said.lines();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_NE(lines[0].ends_with(other_work), lines[1].ends_with(other_work)) << lines[0] << lines[1];
}

TEST(CoreWatchTest, nothing_is_said_of_cores_that_sleep_or_serve_others_nor_of_threads) {
    Said const said;
    Nanoseconds const limit = microseconds(200'000); // longer than a system that has much to do lets a core wait
    auto runtime = start(false, limit);
    ASSERT_TRUE(runtime.ok()) << runtime.error().message();
    let_pass(Nanoseconds{3 * raw(limit)}); // all sleep, or are the program's
    runtime.value().run([&](Worker& here) {
        let_pass(Nanoseconds{3 * raw(limit)}); // this core is what run() was given
        Semaphore gate;
        auto body = [&] { gate.wait(); };
        auto thread = Thread::create({.core = core_id(1), .name = "waiter"}, body);
        ASSERT_TRUE(thread.ok());
        // A task that goes on in turns, on both cores, beside a thread that waits.
        struct Turns : Task {
            explicit Turns(CoreId core)
                : Task(&Turns::work, core) {}
            static void work(Worker& worker, Task& task) {
                auto& self = static_cast<Turns&>(task);
                ++self.count;
                if (!self.stop.load(std::memory_order_relaxed)) return worker.append(task);
                self.is_over.store(true, std::memory_order_release);
                arch::wake(core_id(0));
            }
            std::atomic<bool> stop{false};
            std::atomic<bool> is_over{false};
            std::uint64_t count = 0;
        } on_0(core_id(0)), on_1(core_id(1));
        here.append(on_0, core_id(0));
        here.append(on_1, core_id(1));
        Nanoseconds const end{raw(clock::now()) + 3 * raw(limit)};
        here.run_until([&] {
            if (clock::now() > end) on_0.stop = on_1.stop = true;
            return on_0.is_over.load() && on_1.is_over.load();
        });
        gate.post();
        ASSERT_TRUE(thread.value().join().ok());
        EXPECT_GT(on_0.count, 2U);
        EXPECT_GT(on_1.count, 2U);
    });
    for (std::string const& line : said.lines()) ADD_FAILURE() << line;
}

} // namespace
} // namespace mxk

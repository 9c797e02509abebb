// Coroutines on a Runtime with more cores than many machines have to spare, and what tests of them count.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <vector>

#include "main/library/runtime.hpp"
#include "tasks/run_on.hpp"
#include "tasks/start.hpp"
#include "tasks/when_all.hpp"

namespace mxk::test {

inline constexpr std::size_t core_count = 8;

class CoroutineTest : public testing::Test {
  protected:
    template <typename Body> static void with_runtime(Body body) {
        auto runtime = Runtime::start({.cores = core_count, .nodes = 2, .memory_bytes = 64 * MiB});
        ASSERT_TRUE(runtime.ok()) << runtime.error().message();
        runtime.value().run([&](Worker& here) {
            body(here);
            expect_all_memory_back(here);
        });
    }

    // Every object is in the pool that it came from, at the latest when all cores have run what they were sent.
    static void expect_all_memory_back(Worker& here) {
        std::vector<std::int64_t> in_use(core_count);
        std::vector<CoreId> cores; // not in node memory, of which there may be none
        for (std::size_t i = 0; i < core_count; ++i) cores.push_back(core_id(i));
        for (int round = 0; round < 100; ++round) {
            ASSERT_TRUE(run_on(std::span<CoreId const>(cores), [&](Worker& worker, std::size_t place) {
                in_use[place] = worker.pool().in_use();
                return Step::Done;
            }));
            in_use[0] = here.pool().in_use(); // without the tasks that looked
            if (in_use == std::vector<std::int64_t>(core_count)) return;
        }
        EXPECT_EQ(in_use, std::vector<std::int64_t>(core_count));
    }

    // Starts it here and waits until it has ended.
    static void run(Worker& here, Coroutine<> coroutine) {
        TaskGroup group(here);
        ASSERT_TRUE(start(here, group, std::move(coroutine)));
        group.wait();
    }
};

// What happened to objects that coroutines hold, from any core.
struct Tracks {
    std::atomic<int> alive{0};
    std::atomic<int> ended_at_home{0}; // of those that were not moved away
    std::atomic<int> ended_elsewhere{0};
};

// Moved, but not copied; notices when it is destroyed twice, or on another core than `home`.
class Tracked {
  public:
    Tracked(Tracks& tracks, CoreId home)
        : tracks_(&tracks)
        , home_(home) {
        ++tracks_->alive;
    }
    Tracked(Tracked&& other) noexcept
        : tracks_(other.tracks_)
        , home_(other.home_)
        , is_moved_away_(std::exchange(other.is_moved_away_, true)) {
        ++tracks_->alive;
    }
    Tracked& operator=(Tracked&&) = delete;
    ~Tracked() {
        EXPECT_EQ(std::exchange(is_alive_, 0), 0xa11feU) << "destroyed twice";
        --tracks_->alive;
        if (!is_moved_away_) ++(Worker::current().core() == home_ ? tracks_->ended_at_home : tracks_->ended_elsewhere);
    }

    [[nodiscard]] Tracks& tracks() const { return *tracks_; }

  private:
    Tracks* tracks_;
    CoreId home_;
    bool is_moved_away_ = false;
    unsigned is_alive_ = 0xa11fe;
};

} // namespace mxk::test

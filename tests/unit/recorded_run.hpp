// A short run of random operations on a few keys, by some tasks on each core, with its history: to be judged by
// why_not_linearizable(). Something else may go on meanwhile, and the way to the table may be any.
//
//     TwoPhases way(table);
//     RecordedRun run(here, way, {.keys = {1, 2, 3}, .seed = 7}, [&](Worker& worker, TaskGroup& group) {
//         ... now and then, on one core or another, between two operations of the run; what it spawns into the group is
//         ... waited for
//     });
//     auto const why = why_not_linearizable(run.history());
//     EXPECT_FALSE(why) << *why;
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "bench/workload/random.hpp"
#include "tasks/task_group.hpp"
#include "tasks/workers.hpp"
#include "tests/unit/history.hpp"
#include "tests/unit/travelling_operation.hpp"

namespace mxk::test {

struct RunShape {
    std::vector<std::uint64_t> keys; // which are not in the table
    std::uint64_t seed = 1;
    std::size_t users_per_core = 3; // tasks with one operation under way each
    std::size_t operations_per_user = 20;
    std::size_t operations_per_call = 40; // of what goes on meanwhile
};

// Called after every so many operations, on the core that has ended the last of these, and by several cores at a time
// if it takes long.
using Meanwhile = std::function<void(Worker&, TaskGroup&)>;

class RecordedRun {
  public:
    // From beginning to end. `here`: the calling core's worker, which may wait. `way`: two_phases.hpp has the plain
    // one.
    RecordedRun(Worker& here, Way& way, RunShape shape, Meanwhile meanwhile = {});

    [[nodiscard]] std::vector<Event> history() const { return history_.events(); }

  private:
    class User : public TravellingOperation {
      public:
        User(RecordedRun& run, CoreId home_core, std::size_t number);

      private:
        static void arrive(Worker& worker, Task& task);
        static void wait_for_others(Worker& worker, Task& task);
        void begin_operation(Worker& worker);
        static void end_operation(Worker& worker, Task& task);
        static void wait(Worker& worker, Task& task);

        RecordedRun& run_;
        bench::Random random_;
        std::uint64_t next_value_;
        std::size_t ended_ = 0;
        std::uint64_t turns_to_wait_ = 0;
    };

    Way& way_;
    RunShape shape_;
    Meanwhile meanwhile_;
    History history_;
    std::atomic<std::size_t> users_to_come_{0};
    std::atomic<std::size_t> operations_ended_{0};
    std::deque<User> users_;
    TaskGroup group_; // behind what its tasks use
};

} // namespace mxk::test

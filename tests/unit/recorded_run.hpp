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
//
// Way: has a type Traveller, derived from TravellingOperation, and send(worker, operation), which is called on the
// operation's home (two_phases.hpp has the plain one).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <utility>
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

template <typename Way> class RecordedRun {
  public:
    // From beginning to end. `here`: the calling core's worker, which may wait.
    RecordedRun(Worker& here, Way& way, RunShape shape, Meanwhile meanwhile = {})
        : way_(way)
        , shape_(std::move(shape))
        , meanwhile_(std::move(meanwhile))
        , history_(workers::count())
        , group_(here) {
        std::size_t const users = shape_.users_per_core * workers::count();
        users_to_come_.store(users, std::memory_order_relaxed); // published by the tasks
        for (std::size_t i = 0; i < users; ++i) users_.emplace_back(*this, core_id(i % workers::count()), i);
        for (User& user : users_) {
            group_.begin_one();
            here.append(user, user.home);
        }
        group_.wait();
    }

    [[nodiscard]] std::vector<Event> history() const { return history_.events(); }

  private:
    class User : public Way::Traveller {
      public:
        User(RecordedRun& run, CoreId home_core, std::size_t number)
            : Way::Traveller(home_core, &User::end_operation)
            , run_(run)
            , random_(splitmix(run.shape_.seed) + number)
            , next_value_((number + 1) * 1000) {
            this->body = &User::arrive;
        }

      private:
        // They wait for each other first: cores that have to wake up would be too late.
        static void arrive(Worker& worker, Task& task) {
            static_cast<User&>(task).run_.users_to_come_.fetch_sub(1, std::memory_order_relaxed); // only a number
            task.body = &User::wait_for_others;
            worker.append(task);
        }
        static void wait_for_others(Worker& worker, Task& task) {
            auto& self = static_cast<User&>(task);
            if (self.run_.users_to_come_.load(std::memory_order_relaxed) == 0) return self.begin_operation(worker);
            std::this_thread::yield(); // there may be fewer processors than cores
            worker.append(task);
        }

        void begin_operation(Worker& worker) {
            std::vector<std::uint64_t> const& keys = run_.shape_.keys;
            this->event = {};
            this->event.operation = static_cast<Operation>(random_.below(6));
            this->event.key = keys[random_.below(keys.size())];
            Operation const operation = this->event.operation;
            if (operation == Operation::Insert || operation == Operation::Update || operation == Operation::Upsert)
                this->event.value = ++next_value_;
            this->event.core = worker.core();
            this->event.invoked = time_of_invocation();
            run_.way_.send(worker, *this);
        }

        static void end_operation(Worker& worker, Task& task) {
            auto& self = static_cast<User&>(task);
            self.event.responded = time_of_response();
            RecordedRun& run = self.run_;
            run.history_.note(self.event);
            // relaxed: what goes on meanwhile needs no order with operations
            std::size_t const ended = run.operations_ended_.fetch_add(1, std::memory_order_relaxed) + 1;
            if (run.meanwhile_ && ended % run.shape_.operations_per_call == 0) run.meanwhile_(worker, run.group_);
            if (++self.ended_ == run.shape_.operations_per_user) return run.group_.finish_one(worker);
            if (self.random_.below(2) == 0) self.turns_to_wait_ = self.random_.below(6);
            wait(worker, task);
        }

        static void wait(Worker& worker, Task& task) {
            auto& self = static_cast<User&>(task);
            if (self.turns_to_wait_ == 0) return self.begin_operation(worker);
            --self.turns_to_wait_;
            task.body = &User::wait;
            worker.append(task);
        }

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

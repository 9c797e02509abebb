#include "tests/unit/recorded_run.hpp"

#include <thread>
#include <utility>

namespace mxk::test {

RecordedRun::RecordedRun(Worker& here, Way& way, RunShape shape, Meanwhile meanwhile)
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

RecordedRun::User::User(RecordedRun& run, CoreId home_core, std::size_t number)
    : TravellingOperation(home_core, &User::end_operation)
    , run_(run)
    , random_(splitmix(run.shape_.seed) + number)
    , next_value_((number + 1) * 1000) {
    body = &User::arrive;
}

// They wait for each other first: cores that have to wake up would be too late.
void RecordedRun::User::arrive(Worker& worker, Task& task) {
    static_cast<User&>(task).run_.users_to_come_.fetch_sub(1, std::memory_order_relaxed); // only a number
    task.body = &User::wait_for_others;
    worker.append(task);
}
void RecordedRun::User::wait_for_others(Worker& worker, Task& task) {
    auto& self = static_cast<User&>(task);
    if (self.run_.users_to_come_.load(std::memory_order_relaxed) == 0) return self.begin_operation(worker);
    std::this_thread::yield(); // there may be fewer processors than cores
    worker.append(task);
}

void RecordedRun::User::begin_operation(Worker& worker) {
    std::vector<std::uint64_t> const& keys = run_.shape_.keys;
    event = {};
    event.operation = static_cast<Operation>(random_.below(6));
    event.key = keys[random_.below(keys.size())];
    Operation const operation = event.operation;
    if (operation == Operation::Insert || operation == Operation::Update || operation == Operation::Upsert)
        event.value = ++next_value_;
    event.core = worker.core();
    event.invoked = time_of_invocation();
    run_.way_.send(worker, *this);
}

void RecordedRun::User::end_operation(Worker& worker, Task& task) {
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

void RecordedRun::User::wait(Worker& worker, Task& task) {
    auto& self = static_cast<User&>(task);
    if (self.turns_to_wait_ == 0) return self.begin_operation(worker);
    --self.turns_to_wait_;
    task.body = &User::wait;
    worker.append(task);
}

} // namespace mxk::test

// A task that is asked for while it runs, by any core: what was written before is seen by a run that begins later, and
// it never runs on two cores at the same time (reschedulable_task.hpp).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/spin_wait.hpp"
#include "tasks/dataflow/scheduler.hpp"
#include "tests/model/protocol.hpp"
#include "tests/model/running_core.hpp"

namespace mxk::test {
namespace {

using dataflow::Binding;
using dataflow::CoreScheduler;
using dataflow::Outcome;
using dataflow::Request;
using dataflow::ReschedulableTask;
using dataflow::Scheduler;

// Notes which of them are bound.
class OwnQueue final : public RunningCore {
  public:
    using RunningCore::RunningCore;
    void enqueue(ReschedulableTask& task, Binding binding) override {
        RunningCore::enqueue(task, binding);
        note(binding == Binding::Bound ? 1 : 0);
    }
};

// One task that two cores ask for: whose asking finds it at rest runs it. Each ask is seen by a run that begins later.
class RescheduledUse {
  public:
    struct Shape {
        std::vector<std::vector<Binding>> asks; // by core
        bool reruns_bound = false;
        std::size_t again = 0;              // runs that say they have more to do
        std::uint32_t ends_at = 0;          // asks that it ends after, 0: never; then another thread waits for that
        std::vector<Binding> asks_itself{}; // in its first run
    };

    ProtocolUse use(std::string name, Shape shape) {
        ModelProgram program;
        program.begin = [this, shape] {
            current_ = this;
            shape_ = shape;
            scheduler_ = ModelMemory::make<Scheduler>(dataflow::SchedulerOptions{});
            request_ = ModelMemory::make<Request>([](CoreScheduler&, Request&) {},
                                                  [](CoreScheduler&, Request&) { current_->has_ended_->write(1); });
            request_->set_scheduler(*scheduler_);
            task_ = ModelMemory::make<ReschedulableTask>(*request_, &RescheduledUse::body, CoreId{});
            runs_ = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
            has_ended_ = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
            for (std::size_t i = 0; i < shape.asks.size(); ++i) {
                worker_[i] = ModelMemory::make<Worker>(core_id(i));
                core_[i] = ModelMemory::make<OwnQueue>(*scheduler_, *worker_[i], shape.reruns_bound);
                scheduler_->cores[i] = core_[i];
                asked_[i] = ModelMemory::make<ModelAtomic<std::uint32_t>>(0U);
                seen_[i] = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
            }
        };
        for (std::size_t i = 0; i < shape.asks.size(); ++i)
            program.threads.emplace_back([this, i, shape] {
                for (std::uint32_t asks = 0; asks < shape.asks[i].size(); ++asks) {
                    asked_[i]->store(asks + 1, std::memory_order_relaxed);
                    task_->schedule(*core_[i], shape.asks[i][asks]);
                    core_[i]->run_all();
                }
            });
        if (shape.ends_at != 0)
            program.threads.emplace_back([this] {
                for (SpinWait wait; !task_->has_ended();) wait.turn();
                note(runs_->read());
            });
        program.end = [this, shape] {
            WeakMemory& memory = WeakMemory::current();
            for (std::size_t i = 0; i < shape.asks.size(); ++i)
                memory.check(seen_[i]->read() == shape.asks[i].size(), "what was asked for is not done");
            memory.check(shape.ends_at != 0 ? task_->has_ended() : task_->is_idle(), "a task that ran does not rest");
            memory.check(has_ended_->read() == (shape.ends_at != 0 ? 1U : 0U), "a request does not end when it should");
            note(runs_->read());
        };
        return {std::move(name), std::move(program)};
    }

  private:
    static Outcome body(CoreScheduler& here, ReschedulableTask& /*task*/) { return current_->run(here); }
    // On two cores at once it would race.
    Outcome run(CoreScheduler& here) {
        *runs_ += 1;
        if (runs_->read() == 1)
            for (Binding const binding : shape_.asks_itself) task_->schedule(here, binding);
        std::uint32_t all = 0;
        for (std::size_t i = 0; i < shape_.asks.size(); ++i) {
            *seen_[i] = asked_[i]->load(std::memory_order_relaxed);
            all += seen_[i]->read();
        }
        if (shape_.ends_at != 0 && all == shape_.ends_at) return Outcome::Ended;
        return runs_->read() <= shape_.again ? Outcome::Again : Outcome::Waits;
    }

    static inline RescheduledUse* current_ = nullptr;
    Shape shape_;
    Scheduler* scheduler_ = nullptr;
    Request* request_ = nullptr;
    ReschedulableTask* task_ = nullptr;
    ModelPlain<std::uint32_t>* runs_ = nullptr;
    ModelPlain<std::uint32_t>* has_ended_ = nullptr;
    std::array<Worker*, 3> worker_{};
    std::array<OwnQueue*, 3> core_{};
    std::array<ModelAtomic<std::uint32_t>*, 3> asked_{};
    std::array<ModelPlain<std::uint32_t>*, 3> seen_{};
};

TEST(Model, RescheduledTask) {
    using enum Binding;
    RescheduledUse task;
    Protocol("task that is asked for again")
        .use(task.use("two ask", {.asks = {{Unbound}, {Unbound}}}))
        .use(task.use("two ask, bound", {.asks = {{Unbound}, {Bound}}, .reruns_bound = true}))
        .use(task.use("one asks twice", {.asks = {{Unbound}, {Bound, Unbound}}, .reruns_bound = true}))
        .use(task.use("two ask, bound, run as unbound", {.asks = {{Unbound}, {Bound}}}))
        .use(task.use("asks itself", {.asks = {{Unbound}}, .reruns_bound = true, .asks_itself = {Bound, Unbound}}))
        .use(task.use("three ask", {.asks = {{Unbound}, {Unbound}, {Unbound}}}))
        .use(task.use("has more to do", {.asks = {{Unbound}, {Bound}}, .reruns_bound = true, .again = 1}))
        .use(task.use("ends", {.asks = {{Unbound}, {Unbound}}, .ends_at = 2}))
        .check({"core_scheduler,", "reschedulable_task, has_ended"},
               {{"core_scheduler, run_body() condition: always", "a look that saves a locked instruction"},
                {"core_scheduler, schedule() condition 2: always", "a mark that the run takes away"}});
}

} // namespace
} // namespace mxk::test

// A task that waits for others than tasks of its request: what they have written before they wake it is seen by a run
// that begins later, whether it is attached, runs, waits, or ends meanwhile; and nothing touches it once it has ended
// (task_waker.hpp).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/spin_wait.hpp"
#include "tasks/dataflow/scheduler.hpp"
#include "tasks/dataflow/task_waker.hpp"
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
using dataflow::TaskWaker;

// One task. The first core makes it, attaches it, and runs it once; the others wake it.
class WokenUse {
  public:
    struct Shape {
        std::vector<std::uint32_t> wakes{}; // by core behind the first
        bool ends_at_once = false;          // the task: in its first run, else when it has seen all
        bool from_threads = false;          // they are no cores
        bool is_long = false;
        bool is_large = false;
    };

    ProtocolUse use(std::string name, Shape shape) {
        ModelProgram program;
        program.begin = [this, shape] {
            current_ = this;
            shape_ = shape;
            arch::make_model_cores(shape.wakes.size() + 1);
            scheduler_ = ModelMemory::make<Scheduler>(dataflow::SchedulerOptions{});
            request_ = ModelMemory::make<Request>([](CoreScheduler&, Request&) {},
                                                  [](CoreScheduler&, Request&) { *current_->has_ended_ = 1U; });
            request_->set_scheduler(*scheduler_);
            waker_ = ModelMemory::make<TaskWaker>();
            has_ended_ = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
            runs_ = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
            for (std::size_t i = 0; i <= shape.wakes.size(); ++i) {
                worker_[i] = ModelMemory::make<Worker>(core_id(i));
                core_[i] = ModelMemory::make<RunningCore>(*scheduler_, *worker_[i]);
                scheduler_->cores[i] = i == 0 || !shape.from_threads ? core_[i] : nullptr;
                model_workers.at(i) = worker_[i];
                written_[i] = ModelMemory::make<ModelAtomic<std::uint32_t>>(0U);
                seen_[i] = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
            }
        };
        program.threads.emplace_back([this] {
            task_ = ModelMemory::make<ReschedulableTask>(*request_, &WokenUse::body, CoreId{});
            waker_->attach(*task_, CoreId{});
            task_->schedule(*core_[0], Binding::Unbound);
            core_[0]->run_all();
            if (!shape_.from_threads) return;
            for (SpinWait wait; has_ended_->read() == 0; wait.turn()) {
                if (!worker_[0]->has_outside()) continue;
                Task& letter = *worker_[0]->take_from_outside();
                letter.body(*worker_[0], letter);
                core_[0]->run_all();
                wait = SpinWait();
            }
        });
        for (std::size_t i = 1; i <= shape.wakes.size(); ++i)
            program.threads.emplace_back([this, i, shape] {
                for (std::uint32_t wakes = 0; wakes < shape.wakes[i - 1]; ++wakes) {
                    written_[i]->store(wakes + 1, std::memory_order_relaxed);
                    note(waker_->wake() ? 1 : 0);
                    core_[i]->run_all();
                }
            });
        program.end = [this, shape] {
            WeakMemory& memory = WeakMemory::current();
            memory.check(has_ended_->read() == 1, "a task that is to end waits for ever");
            if (!shape.ends_at_once)
                for (std::size_t i = 1; i <= shape.wakes.size(); ++i)
                    memory.check(seen_[i]->read() == shape.wakes[i - 1], "a wake is lost");
        };
        return {std::move(name), std::move(program), 0, shape.is_long, shape.is_large};
    }

  private:
    static Outcome body(CoreScheduler& /*here*/, ReschedulableTask& /*task*/) { return current_->run(); }
    Outcome run() {
        WeakMemory::current().check(has_ended_->read() == 0, "a task runs that has ended");
        *runs_ += 1;
        bool has_all = true;
        for (std::size_t i = 1; i <= shape_.wakes.size(); ++i) {
            *seen_[i] = written_[i]->load(std::memory_order_relaxed);
            has_all = has_all && seen_[i]->read() == shape_.wakes[i - 1];
        }
        if (!shape_.ends_at_once && !has_all) return Outcome::Waits;
        return waker_->detach() ? Outcome::Ended : Outcome::Waits;
    }

    static inline WokenUse* current_ = nullptr;
    Shape shape_;
    Scheduler* scheduler_ = nullptr;
    Request* request_ = nullptr;
    ReschedulableTask* task_ = nullptr;
    TaskWaker* waker_ = nullptr;
    ModelPlain<std::uint32_t>* has_ended_ = nullptr;
    ModelPlain<std::uint32_t>* runs_ = nullptr;
    std::array<Worker*, 3> worker_{};
    std::array<RunningCore*, 3> core_{};
    std::array<ModelAtomic<std::uint32_t>*, 3> written_{};
    std::array<ModelPlain<std::uint32_t>*, 3> seen_{};
};

TEST(Model, TaskWaker) {
    WokenUse task;
    Protocol("task that is woken from outside")
        .use(task.use("one wakes", {.wakes = {1}}))
        .use(task.use("one wakes twice", {.wakes = {2}}))
        .use(task.use("ends at once", {.wakes = {1}, .ends_at_once = true}))
        .use(task.use("ends at once, woken twice", {.wakes = {2}, .ends_at_once = true}))
        .use(task.use("a thread wakes", {.wakes = {1}, .from_threads = true}))
        .use(task.use("two threads wake", {.wakes = {1, 1}, .from_threads = true}))
        .use(task.use("a thread wakes twice", {.wakes = {2}, .from_threads = true}))
        .use(task.use("ends at once, a thread wakes", {.wakes = {2}, .ends_at_once = true, .from_threads = true}))
        .check({"task_waker,"},
               {{"task_waker, delivered() condition: always", "others may put off its end, again and again"}});
}

} // namespace
} // namespace mxk::test

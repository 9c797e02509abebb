// What a core forks: its deque between the owner and thieves, and a core that goes to sleep while another one forks.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "arch/attention.hpp"
#include "tasks/fork/sleep_count.hpp"
#include "tasks/fork/work_deque.hpp"
#include "tests/model/atomic.hpp"
#include "tests/model/model_memory.hpp"
#include "tests/model/protocol.hpp"

namespace mxk {

class ForkJob {
  public:
    test::ModelPlain<std::uint32_t> written{0U};
    test::ModelAtomic<std::uint32_t> times{0U};
};

namespace test {
namespace {

class DequeUse {
  public:
    struct Shape {
        unsigned jobs = 1;
        unsigned thieves = 1;
        unsigned tries = 1;
        bool is_large = false;
        bool takes_between = false; // the owner takes one before it adds the last
    };

    ProtocolUse use(std::string name, Shape shape) {
        ModelProgram program;
        program.begin = [this, shape] {
            deque_ = ModelMemory::make<WorkDeque>();
            for (unsigned i = 0; i < shape.jobs; ++i) jobs_.at(i) = ModelMemory::make<ForkJob>();
        };
        program.threads.emplace_back([this, shape] {
            for (unsigned i = 0; i < shape.jobs; ++i) {
                if (shape.takes_between && i + 1 == shape.jobs) take(deque_->pop());
                jobs_.at(i)->written = i + 1;
                if (deque_->push(*jobs_.at(i))) {
                    if (shape.thieves == 0) WeakMemory::current().check(!deque_->looks_empty(), "it looks empty");
                    continue;
                }
                note(70); // no room: it runs it at once
                take(jobs_.at(i));
            }
            while (ForkJob* const job = deque_->pop()) take(job);
            WeakMemory::current().check(deque_->looks_empty(), "it says that something is left");
        });
        for (unsigned thief = 0; thief < shape.thieves; ++thief)
            program.threads.emplace_back([this, shape] {
                for (unsigned i = 0; i < shape.tries; ++i) {
                    ForkJob* const job = deque_->steal([] { return true; });
                    note(job != nullptr ? 1 : 0);
                    if (job != nullptr) take(job);
                }
            });
        program.end = [this, shape] {
            for (unsigned i = 0; i < shape.jobs; ++i)
                WeakMemory::current().check(jobs_.at(i)->times.load(std::memory_order_relaxed) == 1,
                                            "a job is run once");
        };
        return {std::move(name), std::move(program), 0, false, shape.is_large};
    }

  private:
    static void take(ForkJob* job) {
        if (job == nullptr) return;
        note(job->written);
        job->times.fetch_add(1, std::memory_order_relaxed);
    }

    WorkDeque* deque_ = nullptr;
    std::array<ForkJob*, 4> jobs_{};
};

// A core forks one job and waits until it is done, which only the other core does, asleep or not.
class SleepUse {
  public:
    ProtocolUse use(std::string name, std::size_t sleepers) {
        ModelProgram program;
        program.begin = [this, sleepers] {
            arch::make_model_cores(sleepers + 1);
            deque_ = ModelMemory::make<WorkDeque>();
            count_ = ModelMemory::make<SleepCount>();
            job_ = ModelMemory::make<ForkJob>();
            for (std::size_t i = 0; i < sleepers; ++i) asleep_.at(i) = ModelMemory::make<ModelAtomic<bool>>(false);
        };
        for (std::size_t i = 0; i < sleepers; ++i)
            program.threads.emplace_back([this, i, sleepers] { serve(i, sleepers); });
        program.threads.emplace_back([this, sleepers] {
            job_->written = 1;
            static_cast<void>(deque_->push(*job_));
            if (!count_->any()) return note(80);
            for (std::size_t i = 0; i < sleepers; ++i)
                if (count_->end(*asleep_.at(i))) return arch::wake(core_id(i));
        });
        program.end = [this] { WeakMemory::current().check(!count_->any(), "somebody counts as asleep"); };
        return {std::move(name), std::move(program)};
    }

  private:
    void serve(std::size_t place, std::size_t sleepers) {
        while (deque_->is_empty() && job_->times.load(std::memory_order_acquire) == 0) {
            count_->begin(*asleep_.at(place));
            if (deque_->is_empty() && job_->times.load(std::memory_order_acquire) == 0) {
                note(50);
                arch::halt_until_attention();
                static_cast<void>(arch::take_attention());
            }
            count_->end(*asleep_.at(place));
        }
        ForkJob* const job = deque_->steal([] { return true; });
        if (job == nullptr) return;
        note(job->written);
        job->times.store(1, std::memory_order_release);
        for (std::size_t i = 0; i < sleepers; ++i)
            if (i != place) arch::wake(core_id(i));
    }

    WorkDeque* deque_ = nullptr;
    SleepCount* count_ = nullptr;
    ForkJob* job_ = nullptr;
    std::array<ModelAtomic<bool>*, 2> asleep_{};
};

TEST(Model, Forks) {
    DequeUse deque;
    SleepUse sleep;
    Protocol("forks")
        .use(deque.use("nobody else", {.thieves = 0}))
        .use(deque.use("one job", {}))
        .use(deque.use("two jobs", {.jobs = 2, .tries = 2}))
        .use(deque.use("two thieves", {.jobs = 2, .thieves = 2}))
        .use(deque.use("no room", {.jobs = 3, .tries = 2}))
        .use(deque.use("taken between", {.jobs = 3, .tries = 2, .takes_between = true}))
        .use(sleep.use("one sleeps", 1))
        .check({"work_deque,", "sleep_count,"},
               {{"sleep_count, end() condition 1: never", "a look that saves a locked instruction"},
                {"work_deque, steal() condition 2: never", "always wanted here: it keeps other work out of a wait"},
                {"work_deque, pop() cas: without seq_cst", "kept: it costs nothing, and is rare"},
                {"work_deque, push() condition 1: always", "a look at what thieves have, more often than it takes"},
                {"work_deque, push() load 2: without acquire",
                 "a store that comes before the load on which it depends: the checker's memory has none"}});
}

} // namespace
} // namespace test
} // namespace mxk

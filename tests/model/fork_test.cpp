// What a core forks: its deque between the owner and thieves, and a core that goes to sleep while another one forks.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "arch/attention.hpp"
#include "tasks/fork/join_count.hpp"
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

// A coroutine that forks two others and joins them, together or each: its continuation may be
// stolen each time: one job.
class JoinUse {
  public:
    ProtocolUse use(std::string name, std::size_t thieves, bool joins_each) {
        ModelProgram program;
        program.begin = [this, joins_each] {
            joins_each_ = joins_each;
            joins_ = ModelMemory::make<JoinCount>();
            continuation_ = ModelMemory::make<ForkJob>();
            for (auto& deque : deques_) deque = ModelMemory::make<WorkDeque>();
            for (auto& result : results_) result = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
            next_ = ModelMemory::make<ModelPlain<std::size_t>>(std::size_t{0});
            ends_ = ModelMemory::make<ModelAtomic<std::uint32_t>>(0U);
        };
        program.threads.emplace_back([this] { go_on(0, Place::Begin); });
        for (std::size_t thief = 1; thief <= thieves; ++thief)
            program.threads.emplace_back([this, thief] {
                for (std::size_t victim = 0; victim < thief; ++victim) {
                    if (deques_.at(victim)->steal([] { return true; }) == nullptr) continue;
                    joins_->add_theft();
                    return go_on(thief, Place::BehindFork);
                }
            });
        program.end = [this] {
            WeakMemory::current().check(ends_->load(std::memory_order_relaxed) == 1, "it comes to its end once");
        };
        return {std::move(name), std::move(program)};
    }

  private:
    static constexpr std::size_t forks = 2;

    enum class Place : std::uint8_t { Begin, BehindFork, BehindJoin };

    // On the core, from that place on.
    void go_on(std::size_t core, Place place) {
        while (true) {
            if (place == Place::BehindFork && (joins_each_ || *next_ == forks)) {
                if (joins_->has_thefts() && !joins_->arrive()) return;
                place = Place::BehindJoin;
            }
            if (place == Place::BehindJoin) {
                joins_->reset();
                for (std::size_t i = 0; i < *next_; ++i)
                    WeakMemory::current().check(*results_.at(i) == 1, "what was forked has ended");
                if (*next_ == forks) return static_cast<void>(ends_->fetch_add(1, std::memory_order_relaxed));
            }
            std::size_t const at = *next_;
            *next_ = at + 1;
            static_cast<void>(deques_.at(core)->push(*continuation_));
            *results_.at(at) = 1;
            place = deques_.at(core)->pop() != nullptr ? Place::BehindFork : Place::BehindJoin;
            if (place == Place::BehindJoin && !joins_->end_child()) return;
        }
    }

    JoinCount* joins_ = nullptr;
    ForkJob* continuation_ = nullptr;
    std::array<WorkDeque*, 3> deques_{};
    std::array<ModelPlain<std::uint32_t>*, forks> results_{};
    ModelPlain<std::size_t>* next_ = nullptr;
    ModelAtomic<std::uint32_t>* ends_ = nullptr;
    bool joins_each_ = false;
};

TEST(Model, Forks) {
    DequeUse deque;
    SleepUse sleep;
    JoinUse join;
    Protocol("forks")
        .use(deque.use("nobody else", {.thieves = 0}))
        .use(deque.use("one job", {}))
        .use(deque.use("two jobs", {.jobs = 2, .tries = 2}))
        .use(deque.use("two thieves", {.jobs = 2, .thieves = 2}))
        .use(deque.use("no room", {.jobs = 3, .tries = 2}))
        .use(deque.use("taken between", {.jobs = 3, .tries = 2, .takes_between = true}))
        .use(sleep.use("one sleeps", 1))
        .use(join.use("a continuation is stolen", 1, false))
        .use(join.use("a continuation is stolen twice", 2, false))
        .use(join.use("a continuation is stolen twice, joined between", 2, true))
        .check({"work_deque,", "sleep_count,", "join_count,"},
               {{"join_count, has_thefts() condition: always", "a look that saves a locked instruction"},
                {"sleep_count, end() condition 1: never", "a look that saves a locked instruction"},
                {"work_deque, steal() condition 2: never", "always wanted here: it keeps other work out of a wait"},
                {"work_deque, pop() cas: without seq_cst", "kept: it costs nothing, and is rare"},
                {"work_deque, push() condition 1: always", "a look at what thieves have, more often than it takes"},
                {"work_deque, push() load 2: without acquire",
                 "a store that comes before the load on which it depends: the checker's memory has none"}});
}

} // namespace
} // namespace test
} // namespace mxk

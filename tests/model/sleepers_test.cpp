// Sleep and wake of a node's cores: the counts of tasks, awake and free cores (activity.hpp), and which core sleeps
// (sleepers.hpp), as NodeScheduler::add_tasks() and the disciplines use them. Liveness for any number of steps is
// tests/liveness; here are the orders.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <utility>

#include "arch/attention.hpp"
#include "base/spin_wait.hpp"
#include "tasks/dataflow/activity.hpp"
#include "tasks/dataflow/sleepers.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

using dataflow::Activity;
using dataflow::Sleepers;
using dataflow::SleepRule;

class SleepersUse {
  public:
    struct Shape {
        std::size_t cores = 1;
        std::size_t tasks = 1;
        SleepRule rule = SleepRule::Strict;
        std::size_t turns = 1;
        bool is_large = false;
        bool has_mail = false; // which wakes the first core, once, whatever else happens
    };

    // The first threads are cores that sleep when there is no task, the one behind them adds tasks.
    ProtocolUse use(std::string name, Shape shape) {
        ModelProgram program;
        program.begin = [this, shape] {
            arch::make_model_cores(shape.cores + 1);
            activity_ = ModelMemory::make<Activity>(static_cast<unsigned>(shape.cores));
            sleepers_ = ModelMemory::make<Sleepers>(std::move(Sleepers::create(shape.cores, NodeId{}).value()));
            for (std::size_t i = 0; i < shape.cores; ++i) sleepers_->add(core_id(i));
            queued_ = ModelMemory::make<ModelAtomic<std::uint32_t>>(0U);
            done_ = ModelMemory::make<ModelAtomic<std::uint32_t>>(0U);
            mails_ = ModelMemory::make<ModelAtomic<std::uint32_t>>(0U);
            for (auto& task : tasks_) task = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
        };
        for (std::size_t i = 0; i < shape.cores; ++i)
            program.threads.emplace_back([this, i, shape] { serve(i, shape); });
        program.threads.emplace_back([this, shape] {
            for (std::uint32_t i = 0; i < shape.tasks; ++i) {
                *tasks_[i] = i + 1;
                bool const owes_wake = activity_->add(1);
                queued_->fetch_add(1, std::memory_order_release);
                note(owes_wake ? 1 : 0);
                if (owes_wake) sleepers_->wake_one();
            }
            if (!shape.has_mail) return;
            mails_->store(1, std::memory_order_relaxed);
            arch::wake(core_id(0));
        });
        program.end = [this, shape] {
            dataflow::ActivityCounts const counts = activity_->counts();
            WeakMemory::current().check(counts.tasks == 0, "tasks are counted that are not there");
            WeakMemory::current().check(done_->load() == shape.tasks, "a task is lost");
            note(counts.free + 10U * counts.awake);
        };
        return {std::move(name), std::move(program), shape.turns, false, shape.is_large};
    }

  private:
    bool take() {
        std::uint32_t queued = queued_->load(std::memory_order_acquire);
        while (queued != 0)
            if (queued_->compare_exchange_weak(queued, queued - 1, std::memory_order_acquire)) return true;
        return false;
    }
    // Until all tasks are done. Who finds that wakes the others, which look then.
    void serve(std::size_t place, Shape const& shape) {
        SpinWait wait;
        while (done_->load(std::memory_order_acquire) != shape.tasks) {
            if (take()) {
                if (activity_->begin(1, shape.rule)) sleepers_->wake_one();
                std::uint32_t const number = done_->fetch_add(1, std::memory_order_acq_rel);
                note(*tasks_[number]);
                activity_->finish();
                if (number + 1 == shape.tasks)
                    for (std::size_t i = 0; i < shape.cores; ++i)
                        if (i != place) arch::wake(core_id(i));
                continue;
            }
            if (activity_->try_sleep(shape.rule)) sleep(place);
            wait.turn();
        }
    }
    void sleep(std::size_t place) {
        sleepers_->lie_down(place);
        note(50);
        while (!sleepers_->was_woken(place)) {
            arch::halt_until_attention();
            static_cast<void>(arch::take_attention());
            if (sleepers_->was_woken(place)) return;
            // Mail, or the end: it rises by itself, and gives its count back if a waker was faster.
            if (!activity_->try_rise()) continue;
            if (!sleepers_->rise(place)) activity_->unrise();
            return;
        }
    }

    Activity* activity_ = nullptr;
    Sleepers* sleepers_ = nullptr;
    ModelAtomic<std::uint32_t>* queued_ = nullptr;
    ModelAtomic<std::uint32_t>* done_ = nullptr;
    ModelAtomic<std::uint32_t>* mails_ = nullptr;
    std::array<ModelPlain<std::uint32_t>*, 2> tasks_{};
};

// As the original discipline does: what is there is counted, and a sleeper woken if there is one; a core lies down, and
// looks once more.
class LookAgainUse {
  public:
    ProtocolUse use(std::string name, std::size_t cores, std::size_t wakers) {
        ModelProgram program;
        program.begin = [this, cores] {
            arch::make_model_cores(max_model_threads - 1);
            sleepers_ = ModelMemory::make<Sleepers>(std::move(Sleepers::create(cores, NodeId{}).value()));
            for (std::size_t i = 0; i < cores; ++i) sleepers_->add(core_id(i));
            there_ = ModelMemory::make<ModelAtomic<std::int32_t>>(0);
            for (auto& word : written_) word = ModelMemory::make<ModelPlain<std::uint32_t>>(0U);
        };
        for (std::size_t i = 0; i < cores; ++i)
            program.threads.emplace_back([this, i] { note(static_cast<std::uint64_t>(serve(i))); });
        for (std::size_t i = 0; i < wakers; ++i)
            program.threads.emplace_back([this, i] {
                *written_[i] = 1;
                there_->fetch_add(1, std::memory_order_seq_cst);
                note(sleepers_->wake_if_asleep() ? 1 : 0);
            });
        program.end = [this, cores] {
            for (std::size_t i = 0; i < cores; ++i) note(sleepers_->wakes(i) + (sleepers_->was_woken(i) ? 10 : 0));
        };
        return {std::move(name), std::move(program)};
    }

  private:
    // Until it has found something.
    std::int32_t serve(std::size_t place) {
        sleepers_->lie_down(place);
        std::int32_t there = there_->load(std::memory_order_seq_cst);
        if (there == 0) {
            while (!sleepers_->was_woken(place)) {
                arch::halt_until_attention();
                static_cast<void>(arch::take_attention());
            }
            // The waker has written before.
            there = there_->load(std::memory_order_relaxed);
            WeakMemory::current().check(there != 0, "a core is woken, and does not see for what");
        }
        note(sleepers_->rise(place) ? 1 : 0);
        return there;
    }

    Sleepers* sleepers_ = nullptr;
    ModelAtomic<std::int32_t>* there_ = nullptr;
    std::array<ModelPlain<std::uint32_t>*, 2> written_{};
};

// A locked instruction on x86, whatever it says.
constexpr char const* chain = "kept: what is done awake, asleep and awake again follows each other; it costs nothing";

TEST(Model, SleepersLookAgain) {
    LookAgainUse sleepers;
    Protocol("sleepers that look again")
        .use(sleepers.use("one core", 1, 1))
        .use(sleepers.use("two wakers", 1, 2))
        .check({"sleepers,"}, {{"sleepers, rise() cas: without acquire", chain},
                               {"sleepers, rise() cas: without release", chain},
                               {"sleepers, wake_if_asleep() cas: without acquire", chain},
                               {"sleepers, wake_if_asleep() condition 1: never", "a look that saves work"}});
}

constexpr char const* several = "long: about several cores and tasks, of which sleep_model_test tries every state";

TEST(Model, Sleepers) {
    SleepersUse sleepers;
    Protocol("sleepers")
        .use(sleepers.use("one core", {}))
        .use(sleepers.use("one core, two tasks", {.tasks = 2, .is_large = true}))
        .use(sleepers.use("one core, mail", {.has_mail = true}))
        .use(sleepers.use("two cores", {.cores = 2, .turns = 0}))
        .check({"activity,"}, {{"activity, begin() condition*", several},
                               {"activity, may_sleep() condition*", several},
                               {"activity, try_rise() condition*", several},
                               {"activity, wakes_one() condition*", several},
                               {"activity, step() cas*", chain},
                               {"activity, try_sleep() cas*", chain}});
}

} // namespace
} // namespace mxk::test

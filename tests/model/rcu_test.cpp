// Grace periods: what a reader has found is not given back while it may use it, every callback runs in the end, and no
// core sleeps for ever while it is waited for. The cores do what tasks/worker.cpp does between two tasks and before
// they halt; the sections of threads are in section_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "arch/attention.hpp"
#include "base/fence.hpp"
#include "base/log.hpp"
#include "base/spin_wait.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "tasks/rcu/core_epoch.hpp"
#include "tests/model/protocol.hpp"

namespace mxk {

constinit rcu::GracePeriods* rcu::current = nullptr;

} // namespace mxk

namespace mxk::test {
namespace {

using rcu::GracePeriods;
using rcu::Urgency;

// Of tasks/worker.cpp, what grace periods have to do with, in its order.
class Core {
  public:
    Core(GracePeriods& periods, CoreId core)
        : periods_(periods)
        , grace_(periods.of(core)) {}

    // Between two tasks.
    void turn() {
        if (arch::needs_attention()) attend();
    }
    // At the beginning of a round.
    void find_tasks() {
        if (epoch_.is_due()) end_epochs();
        if (grace_.has_callbacks()) periods_.advance(grace_, arch::timestamp());
    }
    // When there is no task. It does not halt after a callback, which may have brought one.
    void idle() {
        if (arch::needs_attention()) return attend();
        std::uint64_t const run = grace_.statistics().run.value();
        find_tasks();
        if (grace_.statistics().run.value() != run) return;
        periods_.before_halt(grace_, true);
        arch::halt_until_attention();
        periods_.after_halt(grace_);
    }

  private:
    void attend() {
        std::uint32_t const bits = arch::take_attention();
        if ((bits & static_cast<std::uint32_t>(arch::Attention::Grace)) != 0) attend_grace();
        if (epoch_.is_due()) end_epochs();
    }
    void end_epochs() {
        epoch_.try_to_advance([] {}, [] { return true; });
        if (grace_epoch_ == 0 || epoch_.ended() < grace_epoch_) return;
        grace_epoch_ = 0;
        periods_.answer(grace_, grace_number_);
    }
    void attend_grace() {
        std::uint64_t const number = periods_.unanswered(grace_);
        if (number != 0 && number != grace_number_) {
            grace_number_ = number;
            grace_epoch_ = epoch_.request();
        }
        end_epochs();
        periods_.advance(grace_, arch::timestamp());
    }

    GracePeriods& periods_;
    GracePeriods::Core& grace_;
    CoreEpoch epoch_;
    std::uint64_t grace_number_ = 0;
    std::uint64_t grace_epoch_ = 0;
};

// Grace periods of some cores, the first threads of the checker, unless a use has threads do what cores are told of.
class GraceUse {
  public:
    // All that is unlinked is 1 until it is given back.
    struct Shape {
        std::size_t readers = 1;         // cores that read once, and then have nothing to do
        Urgency urgency = Urgency::Next; // of the writer's callbacks
        std::size_t rounds = 1;          // of a core before it stops until somebody writes
        bool reads = true;               // else the readers only halt
        bool is_barrier = false;         // a callback on each core
        std::size_t callbacks = 1;
    };

    // The last core unlinks what the others look at, and gives it back by a callback.
    ProtocolUse unlink(std::string name, Shape shape) {
        ModelProgram program;
        std::size_t const callbacks = shape.is_barrier ? shape.readers + 1 : shape.callbacks;
        program.begin = [this, shape, callbacks] { begin(shape.readers + 1, callbacks, shape.rounds); };
        for (std::size_t i = 0; i < shape.readers; ++i)
            program.threads.emplace_back([this, i, shape] {
                if (shape.reads) {
                    read();
                    cores_[i]->turn();
                }
                serve(i);
            });
        program.threads.emplace_back([this, shape, callbacks] {
            std::size_t const place = shape.readers;
            found_->store(nullptr, std::memory_order_relaxed);
            for (std::size_t i = 0; i < callbacks; ++i)
                periods_->call(core_id(shape.is_barrier ? i : place), *callbacks_[i], shape.urgency);
            serve(place);
        });
        program.end = [this] { note_statistics(); };
        return {std::move(name), std::move(program)};
    }

    // A thread that lives on the only core, or an interrupt on it, gives a callback.
    ProtocolUse call(std::string name, Urgency urgency, std::size_t rounds, std::size_t callers = 1) {
        ModelProgram program;
        program.begin = [this, callers, rounds] { begin(1, callers, rounds); };
        program.threads.emplace_back([this] { serve(0); });
        for (std::size_t i = 0; i < callers; ++i)
            program.threads.emplace_back([this, i, urgency] {
                callbacks_[i]->payload = 1;
                periods_->call(core_id(0), *callbacks_[i], urgency);
            });
        program.end = [this] { note_statistics(); };
        return {std::move(name), std::move(program)};
    }

    // Threads want grace periods, each so many: of a core that halts they are over at once, and no wish is lost. One
    // that does not halt, and never answers, is interrupted if somebody is in a hurry.
    struct Wish {
        std::vector<std::uint64_t> numbers; // 0: the next one
        Urgency urgency = Urgency::Next;
    };
    ProtocolUse ask(std::string name, std::vector<Wish> const& wishes, bool halts = true) {
        ModelProgram program;
        program.begin = [this, halts] {
            begin(1, 0, 0);
            AsModelThread const as(1);
            if (halts) periods_->before_halt(periods_->of(core_id(0)), true);
        };
        for (Wish const& wish : wishes)
            program.threads.emplace_back([this, wish] {
                for (std::uint64_t const wanted : wish.numbers) {
                    std::uint64_t const number = wanted != 0 ? wanted : periods_->next();
                    asked_.at(WeakMemory::current().self()) = number;
                    periods_->ask_for(number, wish.urgency);
                }
            });
        program.end = [this, halts] {
            note_statistics();
            if (!halts) {
                bool const is_hurried = periods_->statistics().interrupts.load(std::memory_order_relaxed) != 0;
                return WeakMemory::current().check(is_hurried, "somebody is in a hurry, and nobody is interrupted");
            }
            WeakMemory::current().check(periods_->done() == periods_->begun(), "a grace period does not end");
            for (std::uint64_t const number : asked_)
                WeakMemory::current().check(periods_->done() >= number, "a grace period was wanted, and none begins");
        };
        return {std::move(name), std::move(program)};
    }

    // A thread that lives on a core which halts reads in a section, or comes and does.
    ProtocolUse live(std::string name, bool comes) {
        ModelProgram program;
        program.begin = [this, comes] {
            begin(1, 0, 0);
            {
                AsModelThread const as(1);
                periods_->before_halt(periods_->of(core_id(0)), true);
            }
            AsModelThread const as(2);
            if (!comes) arch::live_on(core_id(0), "a reader");
        };
        program.threads.emplace_back([this] {
            found_->store(nullptr, std::memory_order_relaxed);
            std::uint64_t const number = periods_->next();
            periods_->ask_for(number, Urgency::Next);
            if (periods_->done() >= number) *data_ = 0;
        });
        program.threads.emplace_back([this, comes] {
            if (comes) arch::live_on(core_id(0), "a reader");
            arch::enter_section();
            read();
            arch::leave_section();
        });
        program.end = [this] { note_statistics(); };
        return {std::move(name), std::move(program)};
    }

    // A core wants a grace period, answers, and reads then, while a thread that unlinks looks for the next one.
    ProtocolUse answer(std::string name) {
        ModelProgram program;
        program.begin = [this] { begin(1, 0, 0); };
        program.threads.emplace_back([this] {
            periods_->ask_for(1, Urgency::Next);
            cores_[0]->turn();
            read();
        });
        program.threads.emplace_back([this] {
            found_->store(nullptr, std::memory_order_relaxed);
            std::uint64_t const number = periods_->next();
            note(number);
            if (periods_->done() >= number) *data_ = 0;
        });
        program.end = [this] { note_statistics(); };
        return {std::move(name), std::move(program)};
    }

    // A core that has answered, and whose callback waits, lists itself, while the last one that is missing ends the
    // grace period. Then the same with another callback.
    ProtocolUse enlist(std::string name, std::size_t callbacks) {
        ModelProgram program;
        program.begin = [this, callbacks] {
            begin(2, callbacks, 1);
            AsModelThread const as(1);
            give(0, 1, Urgency::Batched);
            cores_[0]->find_tasks();
            periods_->ask_for(1, Urgency::Next);
            periods_->answer(periods_->of(core_id(0)), 1);
            static_cast<void>(arch::take_attention());
        };
        program.threads.emplace_back([this, callbacks] {
            serve(0, callbacks - 1);
            if (callbacks == 1) return;
            give(1, 1, Urgency::Next);
            serve(0);
        });
        program.threads.emplace_back([this, callbacks] {
            for (std::uint64_t i = 1; i <= callbacks; ++i) {
                for (SpinWait wait; periods_->begun() < i; wait.turn()) {
                }
                periods_->answer(periods_->of(core_id(1)), i);
            }
        });
        program.end = [this] { note_statistics(); };
        return {std::move(name), std::move(program)};
    }

    // A callback waits on the only core, while a thread begins a grace period, which it may end.
    ProtocolUse list(std::string name, std::size_t rounds) {
        ModelProgram program;
        program.begin = [this, rounds] { begin(1, 1, rounds); };
        program.threads.emplace_back([this] {
            give(0, 1, Urgency::Next);
            serve(0);
        });
        program.threads.emplace_back([this] { periods_->ask_for(1, Urgency::Next); });
        program.end = [this] { note_statistics(); };
        return {std::move(name), std::move(program)};
    }

    // A core that halts comes back, and reads, while a thread waits for it.
    ProtocolUse come_back(std::string name, bool is_told, bool others_ask = false, bool is_early = false) {
        ModelProgram program;
        program.begin = [this, is_early] {
            begin(1, 0, 0);
            AsModelThread const as(1);
            periods_->before_halt(periods_->of(core_id(0)), true);
            if (is_early) arch::leave_word(core_id(0), arch::Attention::Grace); // of what was before
        };
        program.threads.emplace_back([this, is_told] {
            periods_->after_halt(periods_->of(core_id(0)));
            read();
            if (!is_told) return;
            cores_[0]->turn();
            for (SpinWait wait; periods_->done() == 0; wait.turn()) cores_[0]->idle();
        });
        program.threads.emplace_back([this, is_told] {
            found_->store(nullptr, std::memory_order_relaxed);
            std::uint64_t const number = periods_->next();
            periods_->ask_for(number, Urgency::Next);
            bool const is_over = periods_->done() >= number;
            note(is_over ? 1 : 0);
            if (!is_over) return; // the core ends it
            *data_ = 0;
            if (is_told) arch::wake(core_id(0));
        });
        if (others_ask) program.threads.emplace_back([this] { periods_->ask_for(1, Urgency::Next); });
        program.end = [this] { note_statistics(); };
        return {std::move(name), std::move(program)};
    }

    // What one core does, and nobody else at that time. Another one is there, or not, and answers when the first says
    // so.
    ProtocolUse alone(std::string name, std::function<void(GraceUse&)> const& act, std::size_t cores = 1) {
        ModelProgram program;
        program.begin = [this, cores] { begin(cores, 4, 0); };
        program.threads.emplace_back([this, act] { act(*this); });
        program.end = [this] { note_statistics(); };
        return {std::move(name), std::move(program)};
    }
    void give(std::size_t first, std::size_t count, Urgency urgency) {
        for (std::size_t i = first; i < first + count; ++i) periods_->call(core_id(0), *callbacks_[i], urgency);
    }
    // These note what has come of it.
    void find_tasks() {
        cores_[0]->find_tasks();
        note_state();
    }
    void turn() {
        find_tasks();
        cores_[0]->turn();
        note_state();
    }
    void other_answers() { periods_->answer(periods_->of(core_id(1)), periods_->begun()); }
    void serve(std::size_t place, std::size_t left = 0) {
        SpinWait wait;
        for (std::size_t round = 0; left_->load(std::memory_order_relaxed) != left; ++round) {
            if (round >= rounds_) wait.turn();
            cores_[place]->idle();
        }
    }
    [[nodiscard]] GracePeriods& periods() { return *periods_; }

  private:
    struct Given : rcu::Callback {
        explicit Given(GraceUse& its_use)
            : use(its_use) {
            function = [](rcu::Callback& self) {
                note(static_cast<Given&>(self).payload);
                static_cast<Given&>(self).use.give_back();
            };
        }
        GraceUse& use;
        ModelPlain<std::uint32_t> payload{0U};
    };

    void begin(std::size_t cores, std::size_t callbacks, std::size_t rounds) {
        rounds_ = rounds;
        asked_ = {};
        arch::make_model_cores(cores);
        ModelThreadLocal<arch::SectionReader>::make_all();
        std::vector<topology::Core> const places(cores);
        auto made = PerCore<GracePeriods::Core>::create(
            places, [](std::size_t place) { return GracePeriods::Core(core_id(place)); });
        periods_ = ModelMemory::make<GracePeriods>(std::move(made).value());
        rcu::current = periods_;
        for (std::size_t i = 0; i < cores; ++i) cores_[i] = ModelMemory::make<Core>(*periods_, core_id(i));
        data_ = ModelMemory::make<ModelPlain<std::uint32_t>>(1U);
        found_ = ModelMemory::make<ModelAtomic<ModelPlain<std::uint32_t>*>>(data_);
        left_ = ModelMemory::make<ModelAtomic<std::size_t>>(callbacks);
        for (std::size_t i = 0; i < callbacks; ++i) callbacks_[i] = ModelMemory::make<Given>(*this);
    }
    void read() {
        if (ModelPlain<std::uint32_t>* const found = found_->load(std::memory_order_relaxed)) note(*found);
    }
    void give_back() {
        if (left_->fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        *data_ = 0; // races with a reader that still uses it
        for (arch::CoreLocal* const core : arch::model_cores)
            if (core != nullptr && core->id != arch::core_local().id) arch::wake(core->id);
    }
    void note_state() {
        rcu::CoreStatistics const& statistics = periods_->of(core_id(0)).statistics();
        note(periods_->statistics().completed.value());
        note(statistics.called.value());
        note(statistics.batches.value());
        note(statistics.run.value());
        note(periods_->statistics().interrupts.load(std::memory_order_relaxed));
        note(periods_->statistics().stalled.value());
        note(model_warnings);
        note(periods_->of(core_id(0)).statistics().max_batch.value());
        note(raw(periods_->begun_at())); // another time for each grace period
    }
    void note_statistics() {
        note(periods_->begun());
        note(periods_->done());
        note(periods_->statistics().hurried.value());
        note(periods_->statistics().interrupts.load(std::memory_order_relaxed));
        note(periods_->statistics().stalled.value());
        note(model_warnings);
        for (GracePeriods::Core const& core : periods_->cores()) {
            note(core.has_callbacks() ? 1 : 0);
            note(core.statistics().away.value());
            note(core.statistics().max_turn.value());
            note(core.statistics().max_batch.value());
        }
    }

    std::size_t rounds_ = 0;
    std::array<std::uint64_t, max_model_threads> asked_{}; // for by each thread
    GracePeriods* periods_ = nullptr;
    std::array<Core*, max_model_threads> cores_{};
    ModelPlain<std::uint32_t>* data_ = nullptr;
    ModelAtomic<ModelPlain<std::uint32_t>*>* found_ = nullptr;
    ModelAtomic<std::size_t>* left_ = nullptr;
    std::array<Given*, 4> callbacks_{};
};

// An epoch of a core, that a thread waits for.
class EpochUse {
  public:
    // The core is asked for one.
    ProtocolUse ask(std::string name) {
        ModelProgram program = begin();
        program.threads.emplace_back([this] {
            read();
            attend();
            read();
            for (SpinWait wait; epoch_->ended() == 0; wait.turn()) attend();
        });
        program.threads.emplace_back([this] {
            found_->store(nullptr, std::memory_order_relaxed);
            std::uint64_t const number = epoch_->next();
            note(number);
            arch::notify(core_id(0), arch::Attention::Epoch);
            for (SpinWait wait; epoch_->ended() < number; wait.turn()) {
            }
            *data_ = 0;
        });
        return {std::move(name), std::move(program)};
    }
    // Somebody else has asked for some, and the core is not quiescent at first.
    ProtocolUse look(std::string name, std::uint64_t epochs) {
        ModelProgram program = begin();
        program.threads.emplace_back([this, epochs] {
            bool is_quiescent = false;
            std::size_t begun = 0;
            for (std::uint64_t i = 0; i < epochs; ++i) {
                epoch_->request();
                if (i == 0) read();
                epoch_->try_to_advance([&] { ++begun; }, [&] { return std::exchange(is_quiescent, true); });
                note(begun);
                if (i == 0 && in_use_ != nullptr) note(*in_use_);
            }
            read();
        });
        program.threads.emplace_back([this] {
            found_->store(nullptr, std::memory_order_relaxed);
            std::uint64_t const number = epoch_->next();
            bool const is_over = epoch_->ended() >= number;
            note(number + (is_over ? 10 : 0));
            if (is_over) *data_ = 0;
        });
        return {std::move(name), std::move(program)};
    }

  private:
    ModelProgram begin() {
        ModelProgram program;
        program.begin = [this] {
            arch::make_model_cores(1);
            epoch_ = ModelMemory::make<CoreEpoch>();
            data_ = ModelMemory::make<ModelPlain<std::uint32_t>>(1U);
            found_ = ModelMemory::make<ModelAtomic<ModelPlain<std::uint32_t>*>>(data_);
        };
        return program;
    }
    void read() {
        in_use_ = found_->load(std::memory_order_relaxed);
        if (in_use_ != nullptr) note(*in_use_);
    }
    void attend() {
        if (!arch::needs_attention()) return;
        static_cast<void>(arch::take_attention());
        epoch_->request();
        epoch_->try_to_advance([] {}, [] { return true; });
    }

    CoreEpoch* epoch_ = nullptr;
    ModelPlain<std::uint32_t>* data_ = nullptr;
    ModelAtomic<ModelPlain<std::uint32_t>*>* found_ = nullptr;
    ModelPlain<std::uint32_t>* in_use_ = nullptr;
};

// A callback waits for a grace period that has been asked for, and two that are in no hurry come later.
void wait_for_other(GraceUse& use, bool long_enough) {
    use.give(0, 1, Urgency::Next);
    use.turn();
    model_time = static_cast<Cycles>(raw(rcu::lazy_time));
    use.give(1, 1, Urgency::Batched);
    use.find_tasks();
    model_time = static_cast<Cycles>(raw(rcu::lazy_time) * 3 / 2);
    use.give(2, 1, Urgency::Batched);
    use.find_tasks();
    if (long_enough) model_time = static_cast<Cycles>(raw(rcu::lazy_time) * 2);
    if (long_enough) use.find_tasks();
    use.other_answers();
    note(use.periods().begun());
}

constexpr char const* shortcut = "a look that saves work";
constexpr char const* needless = "a wake, or an interrupt, that nobody needs";
constexpr char const* of_fence = "kept: the fence of the core's epoch does the same";
constexpr char const* of_many = "not tried: it takes one more caller, or core";
// The callback is there when its core halts, and is asked for then at the latest.
constexpr char const* as_batched = "kept: a callback might wait as if it were Batched";
constexpr char const* on_metal = "on Linux it is the same";

TEST(Model, RcuEpoch) {
    EpochUse epoch;
    Protocol("epoch of a core")
        .use(epoch.ask("one waits"))
        .use(epoch.look("one looks", 2))
        .check(
            {"core_epoch,"},
            {{"core_epoch, next() load: without acquire", "kept: ended() acquires; it costs nothing"},
             {"core_epoch, try_to_advance() store 1: without release", "kept: the fence behind it; it costs nothing"}});
}

TEST(Model, RcuAsk) {
    GraceUse grace;
    Protocol("grace periods that are wanted")
        .use(grace.ask("two ask", {{{0}}, {{0}}}))
        .use(grace.ask("two ask, one again", {{{0, 0}}, {{0}}}))
        .use(grace.ask("one wants more than the other", {{{1}}, {{2}}}))
        .use(grace.ask("two hurry", {{{0}, Urgency::Expedited}, {{0}, Urgency::Expedited}}, false))
        .use(grace.ask("one of two hurries", {{{0}, Urgency::Expedited}, {{0}}}, false))
        .use(grace.come_back("a core comes back", false))
        .use(grace.come_back("a core comes back, and answers", true))
        .use(grace.come_back("a core comes back, and two ask", false, true))
        .use(grace.come_back("a core comes back, and has a word", true, false, true))
        .use(grace.answer("a core answers"))
        .use(grace.live("a thread lives on a core that halts", false))
        .use(grace.live("a thread comes to a core that halts", true))
        .check({"grace_periods, next()", "grace_periods, ask_for()", "grace_periods, try_to_begin()",
                "grace_periods, begin()", "grace_periods, hurry()", "grace_periods, is_away()",
                "grace_periods, count_for()", "grace_periods, count_down()", "grace_periods, end() store 2",
                "grace_periods, after_halt()", "grace_periods, begun()"},
               {{"grace_periods, ask_for() condition 2: always", of_many},
                {"grace_periods, ask_for() condition 3: always", shortcut},
                {"grace_periods, ask_for() condition 3: never", of_many},
                {"grace_periods, ask_for() condition 5: always", shortcut},
                {"grace_periods, ask_for() condition 7: always", needless},
                {"grace_periods, ask_for() condition 8: always", needless},
                {"grace_periods, hurry() condition: always", needless},
                {"grace_periods, begun() load: without acquire", of_fence},
                {"grace_periods, count_down() add: without release", of_fence},
                {"grace_periods, count_for() condition 1: always", of_many},
                {"grace_periods, count_for() condition 2: always", of_many},
                {"grace_periods, is_away() condition 2: always", on_metal}});
}

TEST(Model, RcuCall) {
    GraceUse grace;
    Protocol("callbacks")
        .use(grace.call("a thread calls, Next", Urgency::Next, 2))
        .use(grace.call("a thread calls, Batched", Urgency::Batched, 2))
        .use(grace.call("a thread calls, Expedited", Urgency::Expedited, 2))
        .use(grace.list("a callback waits", 1))
        .use(grace.enlist("a core is told of the end", 1))
        .use(grace.enlist("a core is told of two", 2))
        .use(grace.alone(
            "another core ends two",
            [](GraceUse& use) {
                for (std::size_t i = 0; i < 2; ++i) {
                    use.give(i, 1, Urgency::Next);
                    use.turn();
                    use.turn();
                    use.other_answers();
                    note(arch::needs_attention() ? 1 : 0);
                    use.turn();
                }
            },
            2))
        .use(grace.alone("a core halts, and is in a section",
                         [](GraceUse& use) {
                             use.periods().before_halt(use.periods().of(core_id(0)), false);
                             use.periods().ask_for(1, Urgency::Next);
                             note(use.periods().done());
                         }))
        .use(grace.unlink("one reads", {.rounds = 2}))
        .check({"call,", "grace_periods, before_halt()", "grace_periods, sort() load", "grace_periods, sort() swap",
                "grace_periods, enlist()", "grace_periods, end() store 1", "grace_periods, end() store 2",
                "grace_periods, end() condition", "grace_periods, unanswered()", "grace_periods, done()"},
               {{"call, call() cas: without release", as_batched},
                {"grace_periods, sort() swap: without acquire", as_batched},
                {"call, call() condition 1: always", needless},
                {"call, call() condition 5: always", needless},
                {"call, tell() condition: always", needless},
                {"call, call() condition 2: always", of_many},
                {"call, call() condition 3: never", of_many},
                {"call, call() condition 4: always", on_metal},
                {"call, call() condition 4: never", on_metal},
                {"grace_periods, before_halt() condition 1: always", shortcut},
                {"grace_periods, before_halt() condition 2: always", on_metal},
                {"grace_periods, before_halt() condition 2: never", on_metal},
                {"grace_periods, before_halt() condition 4: always", needless},
                {"grace_periods, before_halt() condition 5: always", needless},
                {"grace_periods, unanswered() condition: always", "count_for() looks again"}});
}

TEST(Model, RcuAlone) {
    GraceUse grace;
    Protocol("callbacks of one core")
        .use(grace.alone("a callback",
                         [](GraceUse& use) {
                             use.give(0, 4, Urgency::Next);
                             use.serve(0);
                         }))
        .use(grace.alone("few that wait for company",
                         [](GraceUse& use) {
                             use.give(0, 1, Urgency::Batched);
                             use.turn();
                             use.give(1, 3, Urgency::Batched);
                             use.turn();
                         }))
        .use(grace.alone("that have waited long enough",
                         [](GraceUse& use) {
                             use.give(0, 1, Urgency::Batched);
                             use.turn();
                             model_time = static_cast<Cycles>(raw(rcu::lazy_time));
                             use.turn();
                             use.turn();
                         }))
        .use(grace.alone("one after the other, hurried",
                         [](GraceUse& use) {
                             use.give(0, 1, Urgency::Batched);
                             use.turn();
                             use.give(1, 1, Urgency::Expedited);
                             use.turn();
                         }))
        .use(grace.alone("a stall",
                         [](GraceUse& use) {
                             use.give(0, 1, Urgency::Next);
                             use.turn();
                             model_time = static_cast<Cycles>(raw(rcu::stall_time));
                             use.periods().report_stall(model_time);
                             use.periods().report_stall(model_time);
                             use.turn();
                         }))
        .use(grace.alone("the oldest says when",
                         [](GraceUse& use) {
                             model_time = static_cast<Cycles>(raw(rcu::lazy_time));
                             use.give(0, 1, Urgency::Batched);
                             use.find_tasks();
                             model_time = static_cast<Cycles>(raw(rcu::lazy_time) * 3 / 2);
                             use.give(1, 1, Urgency::Batched);
                             use.find_tasks();
                             model_time = static_cast<Cycles>(raw(rcu::lazy_time) * 2);
                             use.find_tasks();
                             use.turn();
                         }))
        .use(grace.alone(
            "another core is waited for", [](GraceUse& use) { wait_for_other(use, false); }, 2))
        .use(grace.alone(
            "another core is waited for, longer", [](GraceUse& use) { wait_for_other(use, true); }, 2))
        .use(grace.alone("few, and the core halts",
                         [](GraceUse& use) {
                             use.give(0, 4, Urgency::Batched);
                             use.serve(0);
                         }))
        .use(grace.alone("one, and the core halts",
                         [](GraceUse& use) {
                             use.give(0, 1, Urgency::Batched);
                             use.serve(0, 3);
                         }))
        .use(grace.alone(
            "somebody comes to be in a hurry",
            [](GraceUse& use) {
                use.give(0, 1, Urgency::Next);
                use.turn();
                use.give(1, 1, Urgency::Next);
                use.turn();
                use.give(2, 1, Urgency::Expedited);
                use.turn();
                use.other_answers();
                note(use.periods().begun());
            },
            2))
        .use(grace.alone(
            "another core stalls",
            [](GraceUse& use) {
                model_time = static_cast<Cycles>(raw(rcu::lazy_time));
                use.give(0, 1, Urgency::Next);
                use.turn();
                use.periods().describe_with([](TextSink&, CoreId core) { note(index(core)); });
                use.periods().report_stall({});
                use.find_tasks();
                model_time = static_cast<Cycles>(raw(rcu::lazy_time) + raw(rcu::stall_time));
                use.find_tasks();
                use.find_tasks();
                use.other_answers();
                use.periods().report_stall(model_time);
                use.find_tasks();
                use.find_tasks();
            },
            2))
        .use(grace.alone(
            "another core stalls, and nobody describes it",
            [](GraceUse& use) {
                use.give(0, 1, Urgency::Next);
                use.turn();
                model_time = static_cast<Cycles>(raw(rcu::stall_time));
                use.find_tasks();
            },
            2))
        .use(grace.alone("many at once",
                         [](GraceUse& use) {
                             use.give(0, 3, Urgency::Next);
                             use.turn();
                             for (std::size_t i = 0; i < 2; ++i) {
                                 static_cast<void>(arch::take_attention());
                                 use.find_tasks();
                                 note(arch::needs_attention() ? 1 : 0);
                             }
                             use.give(3, 1, Urgency::Next);
                             use.turn();
                         }))
        .check({"grace_periods, sort() condition", "grace_periods, take_arrived()", "grace_periods, report_stall()",
                "grace_periods, run_ready()", "grace_periods, pending()", "grace_periods, raise_to()",
                "grace_periods, has_callbacks()", "grace_periods, waits()", "grace_periods, advance()"},
               {{"grace_periods, advance() condition: always", shortcut},
                {"grace_periods, has_callbacks() condition 1: always", shortcut},
                {"grace_periods, has_callbacks() condition 2: always", shortcut},
                {"grace_periods, has_callbacks() condition 2: never", "the next one to wait has one before it"},
                {"grace_periods, has_callbacks() condition 3: always", shortcut},
                {"grace_periods, has_callbacks() condition 4: always", shortcut},
                {"grace_periods, pending() condition: always", "other cores may see one counter before the other"},
                {"grace_periods, report_stall() condition 6: never", of_many},
                {"grace_periods, report_stall() condition 8: never", of_many},
                {"grace_periods, run_ready() condition 5: never", shortcut},
                {"grace_periods, sort() condition 5: never", "both numbers are the same then"},
                {"grace_periods, sort() condition 12: never", shortcut},
                {"grace_periods, take_arrived() condition 2: never", "what was waited for has been asked for"},
                {"grace_periods, waits() condition: always", shortcut}});
}

// From a callback to its end, on two cores and on three: all executions, and no mutants, which the tests above have.
TEST(Model, RcuWhole) {
    GraceUse grace;
    Protocol("grace periods as a whole")
        .use(grace.unlink("one reads, Next", {.rounds = 3}))
        .use(grace.unlink("one reads, Batched", {.urgency = Urgency::Batched, .rounds = 2}))
        .use(grace.unlink("one reads, Expedited", {.urgency = Urgency::Expedited, .rounds = 2}))
        .use(grace.unlink("two callbacks", {.rounds = 2, .callbacks = 2}))
        .use(grace.unlink("one halts", {.rounds = 3, .reads = false}))
        .use(grace.unlink("a barrier", {.rounds = 1, .reads = false, .is_barrier = true}))
        .use(grace.unlink("two read", {.readers = 2, .rounds = 1}))
        .use(grace.unlink("two halt", {.readers = 2, .rounds = 1, .reads = false}))
        .check_uses();
}

// A core sleeps, and nobody ends its halt: what the checker says then.
TEST(Model, RcuLostWakeUpsAreShown) {
    GraceUse grace;
    for (std::string const mutant : {
             "grace_periods, end() store 1: without seq_cst",       // who ends it finds no core on the list
             "grace_periods, sort() load: without seq_cst",         // the core lists itself, and does not look again
             "grace_periods, before_halt() store: without seq_cst", // who tells the core does not see that it halts
             "call, tell() load: without seq_cst",                  // the same, by who tells it
         }) {
        Protocol("callbacks")
            .use(grace.enlist("a core is told of the end", 1))
            .use(grace.call("a thread calls, Next", Urgency::Next, 2))
            .check_lost_wake_up(mutant);
    }
    // The same of a barrier: a callback was sent to a core that halts.
    for (std::string const mutant :
         {"call, tell() load: without seq_cst", "grace_periods, before_halt() store: without seq_cst"})
        Protocol("a barrier")
            .use(grace.unlink("a barrier", {.rounds = 1, .reads = false, .is_barrier = true}))
            .check_lost_wake_up(mutant);
}

} // namespace
} // namespace mxk::test

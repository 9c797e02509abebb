#include "bench/rcu/grace_runs.hpp"

#include <atomic>
#include <span>
#include <utility>

#include "base/fence.hpp"
#include "base/push_stack.hpp"
#include "bench/frame/statistics.hpp"
#include "bench/task/ending.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/rcu/a_rcu.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/worker.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// What the runs ask of grace periods: those that all else uses.
struct OwnGracePeriods {
    using Section = rcu::ReadSection;
    static void call(rcu::Callback& callback, bool is_expedited) {
        rcu::call(callback, is_expedited ? rcu::Urgency::Expedited : rcu::Urgency::Next);
    }
    static void call_batched(rcu::Callback& callback) { rcu::call(callback); }
    // In a callback: the task to the core's queue.
    static void append(Task& task) { Worker::current().append(task); }
    static constexpr bool callbacks_run_in_tasks = true; // of the core, or in threads
    // The first that ends after everything that is protected now; whether it has ended.
    static std::uint64_t next() { return rcu::periods()->next(); }
    static bool has_ended(std::uint64_t number) { return rcu::periods()->done() >= number; }
};

// A-RCU's, whose callbacks run in threads.
class DetectedGracePeriods {
  public:
    using Section = a_rcu::ReadSection;
    explicit DetectedGracePeriods(a_rcu::Engine& engine)
        : engine_(&engine) {}
    void call(rcu::Callback& callback, bool is_expedited) const { engine_->call(callback, is_expedited); }
    void call_batched(rcu::Callback& callback) const { engine_->call(callback); }
    static void append(Task& task) { send_task(task, this_thread::core()); }
    static constexpr bool callbacks_run_in_tasks = false;
    [[nodiscard]] std::uint64_t next() const {
        store_load_fence();
        return engine_->begun() + 1;
    }
    [[nodiscard]] bool has_ended(std::uint64_t number) const { return engine_->done() >= number; }

  private:
    a_rcu::Engine* engine_;
};

// Run by a task, or by a thread through send_task(), which then ends: the console's task waits for the ending.
template <typename GracePeriods> struct SectionRun {
    Ending ending{Worker::current().core()};
    std::uint64_t sections;
    OwnerCounter done{};
    Cycles elapsed{};

    void operator()() {
        constexpr std::uint64_t between_looks = 4096;
        Cycles const start = clock::timestamp();
        for (std::uint64_t left = sections; left > 0 && !ending.wanted();) {
            std::uint64_t const some = left < between_looks ? left : between_looks;
            for (std::uint64_t i = 0; i < some; ++i) typename GracePeriods::Section const section;
            done.add(some);
            left -= some;
        }
        elapsed = clock::timestamp() - start;
        send_task(ending, ending.home);
    }
};

template <typename GracePeriods> struct CallbackRun : Task {
    struct OneOf : rcu::Callback {
        explicit OneOf(CallbackRun& its_run)
            : run(&its_run) {
            function = [](rcu::Callback& self) { static_cast<OneOf&>(self).run->has_run(static_cast<OneOf&>(self)); };
        }
        CallbackRun* run;
        OneOf* next_free = nullptr;
    };

    CallbackRun(GracePeriods its_periods, std::uint64_t its_callbacks)
        : Task(&CallbackRun::begin)
        , periods(its_periods)
        , callbacks(its_callbacks) {}

    static void begin(Worker& worker, Task& task) {
        auto& self = static_cast<CallbackRun&>(task);
        for (OneOf& one : self.pool.span()) self.released.push(one);
        task.body = &CallbackRun::go_on;
        self.start = clock::timestamp();
        worker.append(task);
    }
    // Some in each turn, as many as are free.
    static void go_on(Worker& worker, Task& task) {
        constexpr std::size_t per_turn = 64;
        auto& self = static_cast<CallbackRun&>(task);
        for (std::size_t i = 0; i < per_turn && self.called < self.callbacks; ++i) {
            if (self.free == nullptr) self.free = self.released.take_newest_first();
            if (self.free == nullptr) break;
            OneOf& one = *std::exchange(self.free, self.free->next_free);
            ++self.called;
            self.periods.call_batched(one);
        }
        bool const may_end = self.ending.wanted() || self.called == self.callbacks;
        if (!may_end || self.done.value() < self.called) return worker.append(task);
        self.elapsed = clock::timestamp() - self.start;
        self.ending.send(worker);
    }
    void has_run(OneOf& one) {
        done.add(1);
        if constexpr (GracePeriods::callbacks_run_in_tasks)
            one.next_free = std::exchange(free, &one);
        else
            released.push(one);
    }

    Ending ending{Worker::current().core()};
    GracePeriods periods;
    NodeVector<OneOf> pool;
    PushStack<OneOf, &OneOf::next_free> released{};
    std::uint64_t callbacks;
    std::uint64_t called = 0;
    OneOf* free = nullptr;
    OwnerCounter done{};
    Cycles start{};
    Cycles elapsed{};
};

// Short tasks without a pause, on one core.
struct BusyTask : Task {
    BusyTask(std::atomic<bool> const& its_end, CoreId console, std::size_t& its_ended)
        : Task(&BusyTask::go_on, console)
        , is_over(its_end)
        , ended(its_ended) {}
    static void go_on(Worker& worker, Task& task) {
        auto& self = static_cast<BusyTask&>(task);
        self.turns.add(1);
        if (!self.is_over.load(std::memory_order_relaxed)) return worker.append(task);
        task.body = [](Worker&, Task& at_home) { ++static_cast<BusyTask&>(at_home).ended; };
        worker.append(task, task.home);
    }
    std::atomic<bool> const& is_over;
    std::size_t& ended;
    OwnerCounter turns{};
};

template <typename GracePeriods> struct WaitRun : Task, rcu::Callback {
    WaitRun(GracePeriods its_periods, bool it_is_expedited, std::span<double> its_samples)
        : Task(&WaitRun::wait)
        , periods(its_periods)
        , is_expedited(it_is_expedited)
        , samples(its_samples) {
        function = [](rcu::Callback& self) { GracePeriods::append(static_cast<WaitRun&>(self)); };
    }

    static void wait(Worker&, Task& task) {
        auto& self = static_cast<WaitRun&>(task);
        task.body = &WaitRun::arrive;
        self.newest = self.periods.next();
        self.start = clock::timestamp();
        self.periods.call(self, self.is_expedited);
    }
    static void arrive(Worker& worker, Task& task) {
        Cycles const now = clock::timestamp();
        auto& self = static_cast<WaitRun&>(task);
        if (!self.periods.has_ended(self.newest)) ++self.wrong;
        self.samples[self.done.value()] = static_cast<double>(raw(now - self.start));
        self.done.add(1);
        if (self.done.value() < self.samples.size() && !self.ending.wanted()) return wait(worker, task);
        self.ending.send(worker);
    }

    Ending ending{Worker::current().core()};
    GracePeriods periods;
    bool is_expedited;
    std::span<double> samples;
    OwnerCounter done{};
    std::uint64_t newest = 0;
    std::uint64_t wrong = 0;
    Cycles start{};
};

template <typename GracePeriods>
Result<Sample> run_section(GracePeriods, CorePair cores, std::uint64_t sections, Progress& progress) {
    using Run = SectionRun<GracePeriods>;
    Run run{.sections = sections};
    progress.phase("section", sections, &counted, &run.done);
    auto thread = MXK_TRY(Thread::create({.core = cores.first, .name = "reader"}, run));
    auto const ended = run.ending.await(progress);
    MXK_TRY(thread.join());
    MXK_TRY(ended);
    return Sample{.value = static_cast<double>(raw(run.elapsed)) / static_cast<double>(sections),
                  .operations = sections,
                  .verified = run.done.value() == sections};
}

template <typename GracePeriods>
Result<Sample> run_callback(GracePeriods periods, CorePair cores, std::uint64_t callbacks, Progress& progress) {
    using Run = CallbackRun<GracePeriods>;
    constexpr std::size_t at_once = 4096;
    Run run(periods, callbacks);
    run.pool = MXK_TRY(NodeVector<typename Run::OneOf>::create(at_once, workers::of(cores.first).node()));
    for (std::size_t i = 0; i < at_once; ++i) run.pool.emplace(run);
    progress.phase("callback", callbacks, &counted, &run.done);
    Worker::current().append(run, cores.first);
    MXK_TRY(run.ending.await(progress));
    return Sample{.value = static_cast<double>(raw(run.elapsed)) / static_cast<double>(callbacks),
                  .operations = callbacks,
                  .verified = run.done.value() == callbacks};
}

template <typename GracePeriods>
Result<Sample> run_wait(GracePeriods periods, CorePair cores, std::size_t waits, bool is_expedited,
                        Progress& progress) {
    using Run = WaitRun<GracePeriods>;
    auto const room = MXK_TRY(NodeArray<double>::create(waits, workers::of(cores.first).node()));
    Run run(periods, is_expedited, room.span().first(waits));
    Worker& here = Worker::current();
    std::atomic<bool> is_over{false};
    std::size_t ended = 0;
    BusyTask first(is_over, here.core(), ended);
    BusyTask second(is_over, here.core(), ended);
    here.append(first, cores.first);
    here.append(second, cores.second);
    // Both cores are busy before the first grace period is asked for, and stay so.
    wait_until([&] { return first.turns.value() != 0 && second.turns.value() != 0; });
    rcu::CoreStatistics const& of_second = rcu::periods()->of(cores.second).statistics();
    std::uint64_t const halted = of_second.away.value();
    progress.phase("grace periods", waits, &counted, &run.done);
    here.append(run, cores.first);
    auto const awaited = run.ending.await(progress);
    bool const was_busy = of_second.away.value() == halted;
    is_over.store(true, std::memory_order_relaxed); // nothing else is read because of it
    here.run_until([&] { return ended == 2; });
    MXK_TRY(awaited);
    return Sample{.value = percentile(run.samples, 50),
                  .p99 = percentile(run.samples, 99),
                  .operations = waits,
                  .verified = run.wrong == 0 && run.done.value() == waits && was_busy};
}

template <typename GracePeriods>
Result<Sample> run(GracePeriods periods, RcuMeasure measure, CorePair cores, std::uint64_t count, Progress& progress) {
    switch (measure) {
    case RcuMeasure::Section: return run_section(periods, cores, count, progress);
    case RcuMeasure::Callback: return run_callback(periods, cores, count, progress);
    default: return run_wait(periods, cores, count, measure == RcuMeasure::Expedite, progress);
    }
}

} // namespace

Result<Sample> run_rcu(RcuKind kind, RcuMeasure measure, CorePair cores, std::uint64_t count, Progress& progress) {
    if (kind == RcuKind::Qsbr) return run(OwnGracePeriods(), measure, cores, count, progress);
    a_rcu::Engine engine;
    MXK_TRY(engine.start());
    return run(DetectedGracePeriods(engine), measure, cores, count, progress);
}

} // namespace mxk::bench

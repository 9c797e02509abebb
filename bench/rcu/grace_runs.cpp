#include "bench/rcu/grace_runs.hpp"

#include <atomic>
#include <span>

#include "bench/frame/statistics.hpp"
#include "bench/task/ending.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/rcu_wait.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// Run by a task, or by a thread through send_task(), which then ends: the console's task waits for the ending.
struct SectionRun {
    Ending ending{Worker::current().core()};
    std::uint64_t sections;
    OwnerCounter done{};
    Cycles elapsed{};

    void operator()() {
        constexpr std::uint64_t between_looks = 4096;
        Cycles const start = clock::timestamp();
        for (std::uint64_t left = sections; left > 0 && !ending.wanted();) {
            std::uint64_t const some = left < between_looks ? left : between_looks;
            for (std::uint64_t i = 0; i < some; ++i) rcu::ReadSection const section;
            done.add(some);
            left -= some;
        }
        elapsed = clock::timestamp() - start;
        send_task(ending, ending.home);
    }
};

template <typename Run> std::size_t done_of(void const* run) {
    return static_cast<Run const*>(run)->done.value();
}

struct CallbackRun : Task {
    struct OneOf : rcu::Callback {
        explicit OneOf(CallbackRun& its_run)
            : run(&its_run) {
            function = [](rcu::Callback& self) { static_cast<OneOf&>(self).run->has_run(static_cast<OneOf&>(self)); };
        }
        CallbackRun* run;
        OneOf* next_free = nullptr;
    };

    explicit CallbackRun(std::uint64_t its_callbacks)
        : Task(&CallbackRun::begin)
        , callbacks(its_callbacks) {}

    static void begin(Worker& worker, Task& task) {
        auto& self = static_cast<CallbackRun&>(task);
        for (OneOf& one : self.pool.span()) self.release(one);
        task.body = &CallbackRun::go_on;
        self.start = clock::timestamp();
        worker.append(task);
    }
    // Some in each turn, as many as are free.
    static void go_on(Worker& worker, Task& task) {
        constexpr std::size_t per_turn = 64;
        auto& self = static_cast<CallbackRun&>(task);
        for (std::size_t i = 0; i < per_turn && self.free != nullptr && self.called < self.callbacks; ++i) {
            OneOf& one = *self.free;
            self.free = one.next_free;
            ++self.called;
            rcu::call(one);
        }
        bool const may_end = self.ending.wanted() || self.called == self.callbacks;
        if (!may_end || self.done.value() < self.called) return worker.append(task);
        self.elapsed = clock::timestamp() - self.start;
        self.ending.send(worker);
    }
    void has_run(OneOf& one) {
        done.add(1);
        release(one);
    }
    void release(OneOf& one) {
        one.next_free = free;
        free = &one;
    }

    Ending ending{Worker::current().core()};
    NodeVector<OneOf> pool;
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
        if (!self.is_over.load(std::memory_order_relaxed)) return worker.append(task);
        task.body = [](Worker&, Task& at_home) { ++static_cast<BusyTask&>(at_home).ended; };
        worker.append(task, task.home);
    }
    std::atomic<bool> const& is_over;
    std::size_t& ended;
};

struct WaitRun : Task {
    WaitRun(rcu::Haste its_haste, std::span<double> its_samples)
        : Task(&WaitRun::wait)
        , haste(its_haste)
        , samples(its_samples) {}

    static void wait(Worker&, Task& task) {
        auto& self = static_cast<WaitRun&>(task);
        task.body = &WaitRun::arrive;
        self.newest = rcu::periods()->next();
        self.start = clock::timestamp();
        self.later.append(task, self.haste);
    }
    static void arrive(Worker& worker, Task& task) {
        Cycles const now = clock::timestamp();
        auto& self = static_cast<WaitRun&>(task);
        if (rcu::periods()->done() < self.newest) ++self.wrong;
        self.samples[self.done.value()] = static_cast<double>(raw(now - self.start));
        self.done.add(1);
        if (self.done.value() < self.samples.size() && !self.ending.wanted()) return wait(worker, task);
        self.ending.send(worker);
    }

    Ending ending{Worker::current().core()};
    rcu::LaterTask later;
    rcu::Haste haste;
    std::span<double> samples;
    OwnerCounter done{};
    std::uint64_t newest = 0;
    std::uint64_t wrong = 0;
    Cycles start{};
};

} // namespace

Result<Sample> run_section(CorePair cores, std::uint64_t sections, Progress& progress) {
    SectionRun run{.sections = sections};
    progress.phase("section", sections, &done_of<SectionRun>, &run);
    auto thread = MXK_TRY(Thread::create({.core = cores.first, .name = "reader"}, run));
    auto const ended = run.ending.await(progress);
    MXK_TRY(thread.join());
    MXK_TRY(ended);
    return Sample{.value = static_cast<double>(raw(run.elapsed)) / static_cast<double>(sections),
                  .operations = sections,
                  .verified = run.done.value() == sections};
}

Result<Sample> run_callback(CorePair cores, std::uint64_t callbacks, Progress& progress) {
    constexpr std::size_t at_once = 4096;
    CallbackRun run(callbacks);
    run.pool = MXK_TRY(NodeVector<CallbackRun::OneOf>::create(at_once, workers::of(cores.first).node()));
    for (std::size_t i = 0; i < at_once; ++i) run.pool.emplace(run);
    progress.phase("callback", callbacks, &done_of<CallbackRun>, &run);
    Worker::current().append(run, cores.first);
    MXK_TRY(run.ending.await(progress));
    return Sample{.value = static_cast<double>(raw(run.elapsed)) / static_cast<double>(callbacks),
                  .operations = callbacks,
                  .verified = run.done.value() == callbacks};
}

Result<Sample> run_wait(CorePair cores, std::size_t waits, rcu::Haste haste, Progress& progress) {
    auto const room = MXK_TRY(NodeArray<double>::create(waits, workers::of(cores.first).node()));
    WaitRun run(haste, room.span().first(waits));
    Worker& here = Worker::current();
    std::atomic<bool> is_over{false};
    std::size_t ended = 0;
    BusyTask first(is_over, here.core(), ended);
    BusyTask second(is_over, here.core(), ended);
    here.append(first, cores.first);
    here.append(second, cores.second);
    progress.phase("grace periods", waits, &done_of<WaitRun>, &run);
    here.append(run, cores.first);
    auto const awaited = run.ending.await(progress);
    is_over.store(true, std::memory_order_relaxed); // nothing else is read because of it
    here.run_until([&] { return ended == 2; });
    MXK_TRY(awaited);
    return Sample{.value = percentile(run.samples, 50),
                  .p99 = percentile(run.samples, 99),
                  .operations = waits,
                  .verified = run.wrong == 0 && run.done.value() == waits};
}

} // namespace mxk::bench

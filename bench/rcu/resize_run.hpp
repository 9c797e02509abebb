// Look-ups of single keys while a table doubles, and while nothing else goes on: how long each takes. On each core of a
// set one task looks a key up, appends itself to its core's queue, looks the next one up, and so on (a closed loop). A
// look-up's latency is from the moment its task was appended until it has its result: what other tasks take in between,
// those of the resize among them, is in it.
//
// A run: the table is filled by all cores; the look-ups begin; the table doubles (growing); nothing else goes on for as
// long as that took, or for a minimum (quiet); all of the content is looked up once. So the quiet phase is that of the
// table that has doubled.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "base/histogram.hpp"
#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "bench/frame/ready_memory.hpp"
#include "bench/frame/statistics.hpp"
#include "bench/frame/steps.hpp"
#include "bench/workload/instructions.hpp"
#include "bench/workload/operation_start.hpp"
#include "bench/workload/random.hpp"
#include "hashtable/partition/owner.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/wait_until.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

struct ResizeRun {
    std::span<CoreId const> cores;
    std::size_t keys;
    double load;
    Nanoseconds min_time; // of the quiet phase
    std::uint64_t seed;
    Progress& progress;
};

struct LookUpPhase {
    Durations latency{}; // nanoseconds
    Cycles time{};
    std::uint64_t wrong = 0; // look-ups with another result than the key's value
};

struct ResizeOutcome {
    LookUpPhase quiet;
    LookUpPhase growing;
    std::size_t buckets_before = 0;
    std::size_t buckets_after = 0;
    bool has_doubled = false;
    bool has_content = false; // afterwards: each key with its value, and no others
};

// Look-ups whose tasks are appended from then on, and before then, are measured.
struct alignas(cache_line_bytes) LookUpWindow {
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    // Time stamps. relaxed, both: each says all there is to know.
    std::atomic<std::uint64_t> from{never};
    std::atomic<std::uint64_t> until{never};
};

// One core's look-ups of keys 1 to `keys`. Table: find(key), which any core calls in a task.
template <typename Table> class LookUpTask : public Task {
  public:
    // `left`: counts at home those that have not ended.
    LookUpTask(Table const& table, LookUpWindow const& window, std::size_t keys, std::uint64_t seed, std::size_t& left,
               CoreId home_core)
        : Task(&LookUpTask::look_up, home_core)
        , table_(table)
        , window_(window)
        , keys_(keys)
        , random_(seed)
        , left_(left) {}

    // On its core.
    void begin(Worker& worker) { go_on(worker); }

    // Any core: all so far.
    [[nodiscard]] std::size_t done() const { return done_.value(); }
    // When it has ended.
    [[nodiscard]] Histogram const& latency() const { return latency_; }
    [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

  private:
    void go_on(Worker& worker) {
        key_ = 1 + random_.below(keys_);
        appended_ = raw(clock::timestamp());
        worker.append(*this);
    }
    static void look_up(Worker& worker, Task& task) {
        auto& self = static_cast<LookUpTask&>(task);
        std::optional<std::uint64_t> const value = self.table_.find(self.key_);
        if (value != value_of(self.key_)) [[unlikely]]
            ++self.wrong_;
        std::uint64_t const now = raw(stamp_after_loads());
        std::uint64_t const until = self.window_.until.load(std::memory_order_relaxed);
        if (self.appended_ >= self.window_.from.load(std::memory_order_relaxed) && self.appended_ < until)
            self.latency_.add(now - self.appended_);
        self.done_.add(1);
        if (now < until) return self.go_on(worker);
        task.body = [](Worker&, Task& at_home) { --static_cast<LookUpTask&>(at_home).left_; };
        worker.append(task, task.home);
    }

    Table const& table_;
    LookUpWindow const& window_;
    std::uint64_t keys_;
    Random random_;
    std::size_t& left_;
    std::uint64_t key_ = 0;
    std::uint64_t appended_ = 0;
    std::uint64_t wrong_ = 0;
    OwnerCounter done_;
    Histogram latency_;
};

// One phase: look-ups on all cores while action() goes on, which the console's task is in and may wait; it gives a
// Result. `min_time`: the phase goes on until that is over. Errors: action()'s; no memory; Ctrl-C.
template <typename Table, typename Action>
Result<LookUpPhase> look_up_while(Table const& table, ResizeRun const& run, std::span<Owner const> owners,
                                  Cycles min_time, Action action) {
    constexpr std::size_t before = 100; // look-ups of each core before those that count
    using LookUps = LookUpTask<Table>;
    Worker& here = Worker::current();
    LookUpWindow window;
    std::size_t left = 0;
    auto tasks = MXK_TRY(PerCore<LookUps>::create(owners, [&](std::size_t place) {
        return LookUps(table, window, run.keys, run.seed + place, left, here.core());
    }));
    if (!run_on(run.cores, [&](Worker& worker, std::size_t place) {
            tasks[place].begin(worker);
            return Step::Done;
        }))
        return no_memory_for_steps();
    left = owners.size();
    wait_until([&] {
        return run.progress.interrupted() ||
               std::all_of(tasks.begin(), tasks.end(), [](LookUps const& of_core) { return of_core.done() >= before; });
    });

    Cycles const start = clock::timestamp();
    window.from.store(raw(start), std::memory_order_relaxed);
    Result<void> const done = action();
    Cycles end = clock::timestamp();
    if (done && end < start + min_time) end = start + min_time;
    window.until.store(raw(end), std::memory_order_relaxed);
    wait_until([&] {
        if (run.progress.interrupted()) window.until.store(0, std::memory_order_relaxed);
        return left == 0;
    });
    MXK_TRY(done);
    MXK_TRY(run.progress.check());

    LookUpPhase phase{.time = end - start};
    Histogram all;
    for (LookUps const& of_core : tasks) {
        all.add(of_core.latency());
        phase.wrong += of_core.wrong();
    }
    phase.latency = Durations::of(all);
    return phase;
}

// Keys 1 to `keys`, each core of the set its share. False: a key was there already, or there is no memory for it.
template <typename Table> Result<bool> fill_table(Table& table, ResizeRun const& run) {
    std::size_t const cores = run.cores.size();
    auto next = MXK_TRY(NodeVector<std::size_t>::create(cores, Worker::current().node()));
    for (std::size_t place = 0; place < cores; ++place) next.emplace(run.keys * place / cores);
    std::atomic<std::size_t> wrong{0}; // relaxed: a number; the steps' end orders it
    ProgressCounter counter;
    run.progress.phase("filling the table", run.keys, counter);
    MXK_TRY(run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
        std::size_t& at = next[place];
        std::size_t const end = run.keys * (place + 1) / cores;
        std::size_t const some = std::min(piece, end - at);
        for (std::size_t const to = at + some; at < to; ++at)
            if (!table.insert(at + 1, value_of(at + 1))) wrong.fetch_add(1, std::memory_order_relaxed);
        counter.add(some);
        return at == end || run.progress.interrupted() ? Step::Done : Step::Again;
    }));
    return wrong.load(std::memory_order_relaxed) == 0;
}

// Whether each of the keys has its value, and there are no others.
template <typename Table> Result<bool> has_all_keys(Table const& table, ResizeRun const& run) {
    std::atomic<std::size_t> next{0}; // relaxed, both: numbers
    std::atomic<std::size_t> wrong{0};
    ProgressCounter counter;
    run.progress.phase("verifying", run.keys, counter);
    MXK_TRY(run_steps(run.cores, run.progress, [&](Worker&, std::size_t) {
        std::size_t const from = next.fetch_add(piece, std::memory_order_relaxed);
        if (from >= run.keys || run.progress.interrupted()) return Step::Done;
        std::size_t const to = std::min(from + piece, run.keys);
        for (std::size_t at = from; at < to; ++at) {
            std::optional<std::uint64_t> const value = table.find(at + 1);
            if (value != value_of(at + 1)) wrong.fetch_add(1, std::memory_order_relaxed);
        }
        counter.add(to - from);
        return Step::Again;
    }));
    return wrong.load(std::memory_order_relaxed) == 0 && table.size() == run.keys;
}

// One run. Table: doubling_tables.hpp. Errors: no memory, Ctrl-C. The console's task, which waits meanwhile.
template <typename Table> Result<ResizeOutcome> run_resize(ResizeRun const& run) {
    auto owners = MXK_TRY(NodeVector<Owner>::create(run.cores.size(), Worker::current().node()));
    for (CoreId const core : run.cores) owners.emplace(core, workers::of(core).node());
    Table table(MXK_TRY(Table::make(owners.span(), run.keys, run.load)));
    MXK_TRY(table.begin(owners.span()));
    if (!MXK_TRY(fill_table(table, run))) return Error("a key could not be inserted: no memory, or it was there");
    MXK_TRY(table.settle());
    make_memory_ready(table.bytes_to_double() / owners.size() + 1, owners.span());

    ResizeOutcome outcome;
    outcome.buckets_before = table.buckets();
    std::optional<std::uint64_t> const resizes_before = table.resizes();
    ProgressCounter nothing;
    run.progress.phase("growing", 1, nothing);
    outcome.growing =
        MXK_TRY(look_up_while(table, run, owners.span(), Cycles{}, [&] { return table.double_now(run.progress); }));
    outcome.buckets_after = table.buckets();
    outcome.has_doubled = outcome.buckets_after == 2 * outcome.buckets_before &&
                          (!resizes_before || *table.resizes() == *resizes_before + 1);
    run.progress.phase("quiet", 1, nothing);
    Cycles const quiet_time = std::max(clock::to_cycles(run.min_time), outcome.growing.time);
    outcome.quiet = MXK_TRY(look_up_while(table, run, owners.span(), quiet_time, [] { return Result<void>(); }));
    outcome.has_content = MXK_TRY(has_all_keys(table, run));
    return outcome;
}

} // namespace mxk::bench

#include "bench/rcu/resize_run.hpp"

#include <algorithm>
#include <atomic>

#include "bench/frame/ready_memory.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/wait_until.hpp"

namespace mxk::bench {
namespace {

// One phase: look-ups on all cores while action() goes on, which the console's task is in and may wait; it gives a
// Result. `min_time`: the phase goes on until that is over. Errors: action()'s; no memory; Ctrl-C.
template <typename Action>
Result<LookUpPhase> look_up_while(DoublingTable const& table, ResizeRun const& run, std::span<Owner const> owners,
                                  Cycles min_time, Action action) {
    constexpr std::size_t before = 100; // look-ups of each core before those that count
    Worker& here = Worker::current();
    LookUpWindow window;
    std::size_t left = 0;
    auto tasks = MXK_TRY(PerCore<LookUpTask>::create(owners, [&](std::size_t place) {
        return LookUpTask(table, window, run.keys, run.seed + place, left, here.core());
    }));
    if (!run_on(run.cores, [&](Worker& worker, std::size_t place) {
            tasks[place].begin(worker);
            return Step::Done;
        }))
        return no_memory_for_steps();
    left = owners.size();
    wait_until([&] {
        return run.progress.interrupted() || std::all_of(tasks.begin(), tasks.end(), [](LookUpTask const& of_core) {
                   return of_core.done() >= before;
               });
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
    for (LookUpTask const& of_core : tasks) {
        all.add(of_core.latency());
        phase.wrong += of_core.wrong();
    }
    phase.latency = Durations::of(all);
    return phase;
}

// Keys 1 to `keys`, each core of the set its share. False: a key was there already, or there is no memory for it.
Result<bool> fill_table(DoublingTable& table, ResizeRun const& run) {
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
Result<bool> has_all_keys(DoublingTable const& table, ResizeRun const& run) {
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

} // namespace

Result<ResizeOutcome> run_resize(DoublingTable& table, std::span<Owner const> owners, ResizeRun const& run) {
    if (!MXK_TRY(fill_table(table, run))) return Error("a key could not be inserted: no memory, or it was there");
    MXK_TRY(table.settle());
    make_memory_ready(table.bytes_to_double() / owners.size() + 1, owners);

    ResizeOutcome outcome;
    outcome.buckets_before = table.buckets();
    std::optional<std::uint64_t> const resizes_before = table.resizes();
    ProgressCounter nothing;
    run.progress.phase("growing", 1, nothing);
    outcome.growing =
        MXK_TRY(look_up_while(table, run, owners, Cycles{}, [&] { return table.double_now(run.progress); }));
    outcome.buckets_after = table.buckets();
    outcome.has_doubled = outcome.buckets_after == 2 * outcome.buckets_before &&
                          (!resizes_before || *table.resizes() == *resizes_before + 1);
    run.progress.phase("quiet", 1, nothing);
    Cycles const quiet_time = std::max(clock::to_cycles(run.min_time), outcome.growing.time);
    outcome.quiet = MXK_TRY(look_up_while(table, run, owners, quiet_time, [] { return Result<void>(); }));
    outcome.has_content = MXK_TRY(has_all_keys(table, run));
    return outcome;
}

} // namespace mxk::bench

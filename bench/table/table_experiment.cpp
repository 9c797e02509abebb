#include "bench/table/table_experiment.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "bench/frame/start_barrier.hpp"
#include "bench/frame/steps.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// Longer than that no task should be.
Cycles longest_task() {
    return clock::to_cycles(Nanoseconds{50'000});
}

double seconds_of(Cycles cycles) {
    return static_cast<double>(raw(clock::to_nanoseconds(cycles))) * 1e-9;
}

std::size_t instructions_done(void const* context) {
    auto const& cores = *static_cast<std::span<CoreRun* const> const*>(context);
    std::size_t sum = 0;
    for (CoreRun const* const core : cores) sum += core->done();
    return sum;
}

// What a core sends to the console's when its share of a run has ended.
struct EndedTask : Task {
    EndedTask(std::size_t& left, CoreId console_core)
        : Task([](Worker&, Task& task) { --static_cast<EndedTask&>(task).left_; }, console_core)
        , left_(left) {}

  private:
    std::size_t& left_;
};

// Keys [from, to) of the slice that are missing, or there and should not be.
std::uint64_t count_strayed(Engine const& engine, Slice const& slice, std::size_t from, std::size_t to) {
    constexpr std::size_t at_once = 64;
    std::array<std::uint64_t, at_once> keys;
    std::array<bool, at_once> found;
    std::uint64_t strayed = 0;
    for (; from < to; from += at_once) {
        std::size_t const count = std::min(at_once, to - from);
        for (std::size_t i = 0; i < count; ++i) keys[i] = slice.key(from + i);
        engine.find_all(std::span(keys).first(count), std::span(found).first(count));
        for (std::size_t i = 0; i < count; ++i) strayed += found[i] != slice.is_live(from + i) ? 1U : 0U;
    }
    return strayed;
}

// No more owners than cores.
Result<void> check_owners(TableOptions const& options, std::uint32_t cores) {
    for (std::uint32_t const owners : options.owners.values())
        if (owners > cores)
            return Error::of("--owners: expected up to {} cores in a run on {}, got {}", cores, cores, owners);
    return {};
}

} // namespace

Result<TableExperiment> TableExperiment::create(TableOptions const& options, EngineKind const& kind,
                                                std::uint32_t cores) {
    MXK_TRY(check_owners(options, cores));
    auto queue = MXK_TRY(InstructionQueue::create(options, cores));
    auto owners = MXK_TRY(NodeVector<Owner>::create(cores, workers::of(core_id(0)).node()));
    for (CoreId const core : queue.cores()) owners.emplace(core, workers::of(core).node());
    auto engine = MXK_TRY(kind.create({options, owners.span(), queue}));
    return TableExperiment(options, std::move(queue), std::move(owners), std::move(engine));
}

template <typename Ended>
Result<void> TableExperiment::change_owners(std::span<CoreRun* const> cores, Ended have_ended, OwnerChanges& changes) {
    auto const counts = options_->owners.values();
    Cycles last = clock::timestamp();
    std::size_t done_then = 0;
    for (std::size_t i = 1; i < counts.size(); ++i) {
        std::size_t const enough = options_->operations * i / counts.size();
        Worker::current().run_until([&] { return have_ended() || instructions_done(&cores) >= enough; });
        if (have_ended()) break;
        Cycles const start = clock::timestamp();
        std::size_t const done = instructions_done(&cores);
        MXK_TRY(engine_->change_owners(counts[i]));
        Cycles const end = clock::timestamp();
        double const seconds = seconds_of(end - start);
        std::size_t const done_now = instructions_done(&cores);
        changes.add({.from = counts[i - 1],
                     .to = counts[i],
                     .seconds = seconds,
                     .before = static_cast<double>(done - done_then) / seconds_of(start - last),
                     .during = static_cast<double>(done_now - done) / seconds});
        last = end;
        done_then = done_now;
    }
    return {};
}

void TableExperiment::measure(Outcome& outcome) const {
    outcome.table_bytes = engine_->bytes();
    if (latencies_.size() != 0) {
        Histogram all;
        for (auto const& of_core : latencies_) all.add(of_core[0]);
        outcome.latency = Durations::of(all);
    }
    if (task_times_.size() == 0) return;
    Histogram all;
    for (auto const& of_core : task_times_) all.add(of_core[0].own());
    outcome.tasks = Durations::of(all);
    outcome.long_tasks = all.count_above(raw(longest_task()));
    Histogram interrupted;
    for (auto const& of_core : task_times_) interrupted.add(of_core[0].interrupted());
    outcome.interrupted_tasks = Durations::of(interrupted);
}

Result<TableExperiment::Outcome> TableExperiment::work_off(std::string_view what, Progress& progress) {
    CoreId const here = Worker::current().core();
    NodeId const node = Worker::current().node();
    std::size_t const count = owners_.size();
    auto ended = MXK_TRY(NodeVector<EndedTask>::create(count, node));
    auto rooms = MXK_TRY(NodeVector<NodeVector<CoreRun>>::create(count, node));
    auto runs = MXK_TRY(NodeVector<CoreRun*>::create(count, node));
    PhaseRun phase;
    std::size_t cores_left = count;
    for (std::size_t i = 0; i < count; ++i) {
        rooms.emplace(MXK_TRY(NodeVector<CoreRun>::create(1, owners_[i].node)));
        bool const shared = queue_.kind() == QueueKind::Shared;
        runs.emplace(&rooms[i].emplace(phase, queue_.source(i), shared, ended.emplace(cores_left, here)));
    }
    std::span<CoreRun* const> const cores = runs.span();
    progress.phase(what, options_->operations, &instructions_done, &cores);
    engine_->prepare(cores);

    StartBarrier barrier(count);
    latencies_ = {};
    task_times_ = {};
    if (options_->latency) latencies_ = MXK_TRY(NodeVector<NodeVector<Histogram>>::create(count, node));
    if (options_->task_times) task_times_ = MXK_TRY(NodeVector<NodeVector<TaskTimes>>::create(count, node));
    for (std::size_t i = 0; i < count; ++i) {
        if (options_->latency) {
            latencies_.emplace(MXK_TRY(NodeVector<Histogram>::create(1, owners_[i].node))).emplace();
            cores[i]->measure_latency(&latencies_[i][0]);
        }
        if (options_->task_times)
            task_times_.emplace(MXK_TRY(NodeVector<TaskTimes>::create(1, owners_[i].node))).emplace(longest_task());
    }
    bool const started = run_on(queue_.cores(), [&](Worker& worker, std::size_t i) {
        engine_->prepare_core(worker, i);
        if (options_->task_times) worker.measure_tasks(&task_times_[i][0]);
        barrier.arrive_and_wait();
        cores[i]->begin();
        engine_->start_core(worker, i);
        return Step::Done;
    });
    if (!started) return no_memory_for_steps();
    auto const have_ended = [&] {
        if (progress.interrupted()) phase.stopped.store(true, std::memory_order_relaxed);
        return cores_left == 0;
    };
    Outcome outcome;
    // Whatever comes of it: what has begun must end before this returns.
    Result<void> const changed = change_owners(cores, have_ended, outcome.changes);
    Worker::current().run_until(have_ended);
    MXK_TRY(engine_->settle());
    if (options_->task_times && !run_on(queue_.cores(), [](Worker& worker, std::size_t) {
            worker.measure_tasks(nullptr);
            return Step::Done;
        }))
        return no_memory_for_steps();
    MXK_TRY(progress.check());
    if (!changed) return changed.error();

    measure(outcome);
    for (CoreRun const* const core : cores) {
        outcome.time.cover(core->start_time(), core->end_time());
        outcome.wrong += core->wrong();
    }
    return outcome;
}

// All cores of the machine look, each at the next piece that nobody has looked at yet.
Result<void> TableExperiment::verify(Outcome& outcome, Progress& progress) const {
    ProgressCounter counter;
    progress.phase("verifying", options_->operations, counter);
    std::size_t const pieces = queue_.slice(0).size() / piece + 1; // the first slice is the longest
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> strayed{0};
    auto all = MXK_TRY(NodeVector<CoreId>::create(workers::count(), owners_[0].node));
    for (std::size_t i = 0; i < workers::count(); ++i) all.emplace(core_id(i));

    MXK_TRY(run_steps(all.span(), progress, [&](Worker&, std::size_t) {
        // relaxed, all of them: counters; the steps' end orders them before the caller
        std::size_t const mine = next.fetch_add(1, std::memory_order_relaxed);
        if (mine >= pieces * owners_.size() || progress.interrupted()) return Step::Done;
        Slice const& slice = queue_.slice(mine / pieces);
        std::size_t const from = std::min(mine % pieces * piece, slice.size());
        std::size_t const to = std::min(from + piece, slice.size());
        strayed.fetch_add(count_strayed(*engine_, slice, from, to), std::memory_order_relaxed);
        counter.add(to - from);
        return Step::Again;
    }));
    Engine::Content const content = engine_->content();
    outcome.strayed = strayed.load(std::memory_order_relaxed);
    if (content.said != content.counted) ++outcome.strayed; // the table's own count is wrong
    outcome.in_table = content.counted;
    outcome.expected_in_table = queue_.live_count();
    return {};
}

Result<void> TableExperiment::prepare(Progress& progress) {
    Mix const& first = options_->mix.list().front();
    MXK_TRY(engine_->renew());
    MXK_TRY(queue_.begin_with(first, progress));
    wrong_while_filling_ = first.needs_keys() ? MXK_TRY(work_off("filling the table", progress)).wrong : 0;
    return {};
}

Result<TableExperiment::Outcome> TableExperiment::run(Mix const& phase, Progress& progress) {
    if (phase.needs_keys()) MXK_TRY(queue_.go_on_with(phase, progress));
    Outcome outcome = MXK_TRY(work_off("measuring", progress));
    outcome.wrong += wrong_while_filling_;
    MXK_TRY(verify(outcome, progress));
    return outcome;
}

} // namespace mxk::bench

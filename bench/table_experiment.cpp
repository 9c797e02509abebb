#include "bench/table_experiment.hpp"

#include <algorithm>

#include "arch/cpu.hpp"
#include "tasks/parallel.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// Instructions that a task makes or checks: some milliseconds at most, so that Ctrl-C and progress get their turn.
constexpr std::size_t piece = 16384;

Error no_memory_for_tasks() {
    return Error("out of memory: no room for the tasks that prepare the run");
}
Error interrupted() {
    return Error("interrupted by Ctrl-C");
}

// How far several cores are together, for Progress.
struct Counter {
    std::atomic<std::size_t> done{0}; // relaxed: only shown
    static std::size_t read(void const* counter) {
        return static_cast<Counter const*>(counter)->done.load(std::memory_order_relaxed);
    }
};

std::size_t instructions_done(void const* context) {
    auto const& cores = *static_cast<std::span<CoreRun* const> const*>(context);
    std::size_t sum = 0;
    for (CoreRun const* const core : cores) sum += core->done.load(std::memory_order_relaxed);
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

static_assert(sizeof(TwoPhaseTask<TableExperiment::Table>) == cache_line_bytes, "a hop moves one line");

// Part i of `whole` cut into `parts` whose sizes differ by at most one.
constexpr std::size_t part_start(std::size_t whole, std::size_t parts, std::size_t i) {
    return whole / parts * i + std::min(i, whole % parts);
}

} // namespace

Result<TableExperiment> TableExperiment::create(TableOptions const& options, std::uint32_t cores) {
    auto const buckets =
        std::max<std::size_t>(1, static_cast<std::size_t>(options.buckets * static_cast<double>(options.operations)));
    if (buckets < cores)
        return Error::of("--buckets: expected at least one bucket for each of {} cores, got {} for {} operations",
                         cores, buckets, options.operations);
    TableExperiment result(options, buckets);
    NodeId const here = workers::of(core_id(0)).node();
    result.cores_ = MXK_TRY(NodeVector<CoreId>::create(cores, here));
    result.owners_ = MXK_TRY(NodeVector<Owner>::create(cores, here));
    result.parts_ = MXK_TRY(NodeVector<Part>::create(cores, here));
    for (std::uint32_t i = 0; i < cores; ++i) {
        NodeId const node = workers::of(core_id(i)).node();
        std::size_t const start = part_start(options.operations, cores, i);
        std::size_t const size = part_start(options.operations, cores, i + 1) - start;
        result.cores_.emplace(core_id(i));
        result.owners_.emplace(core_id(i), node);
        result.parts_.emplace(MXK_TRY(Slice::create(size, start, node)), MXK_TRY(NodeArray<CoreRun>::create(1, node)),
                              MXK_TRY(NodeArray<TwoPhaseTask<Table>>::create(options.tasks_per_core, node)),
                              Random(options.seed + i));
    }
    return result;
}

template <typename Function>
Result<void> TableExperiment::over_slices(std::string_view what, Progress& progress, Function step) {
    Counter counter;
    progress.phase(what, options_->operations, &Counter::read, &counter);
    auto places = MXK_TRY(NodeArray<std::size_t>::create_zeroed(parts_.size(), owners_[0].node));
    bool const ran = run_on(cores_.span(), [&](Worker&, std::size_t i) {
        std::size_t const from = places[i];
        std::size_t const to = std::min(from + piece, parts_[i].slice.size());
        step(parts_[i], from, to);
        places[i] = to;
        counter.done.fetch_add(to - from, std::memory_order_relaxed);
        return to == parts_[i].slice.size() || progress.interrupted() ? Step::Done : Step::Again;
    });
    if (!ran) return no_memory_for_tasks();
    if (progress.interrupted()) return interrupted();
    return {};
}

Result<void> TableExperiment::fill_slices(Progress& progress) {
    KeySequence const keys(options_->seed);
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].random = Random(options_->seed + i);
    return over_slices("making instructions", progress, [&](Part& part, std::size_t from, std::size_t to) {
        if (options_->mix.kind == Mix::Kind::Mixed)
            part.slice.fill_mixed(from, to, keys, options_->mix, part.random);
        else
            part.slice.fill_inserts(from, to, keys);
    });
}

Result<void> TableExperiment::turn_slices(Operation operation, Progress& progress) {
    return over_slices("shuffling keys", progress, [&](Part& part, std::size_t from, std::size_t to) {
        part.slice.turn_into(operation, from, to, part.random);
    });
}

Result<TableExperiment::Outcome> TableExperiment::work_off(Partitioned<Table>& table, std::string_view what,
                                                           Progress& progress) {
    CoreId const here = Worker::current().core();
    auto runs = MXK_TRY(NodeVector<CoreRun*>::create(parts_.size(), owners_[0].node));
    auto ended = MXK_TRY(NodeVector<EndedTask>::create(parts_.size(), owners_[0].node));
    std::size_t cores_left = parts_.size();
    for (Part const& part : parts_)
        runs.emplace(new (part.run.data()) CoreRun{&part.slice, &ended.emplace(cores_left, here)});
    Run<Table> run{table, runs.span()};
    std::span<CoreRun* const> const cores = run.cores;
    progress.phase(what, options_->operations, &instructions_done, &cores);

    std::atomic<std::size_t> arrived{0};
    bool const started = run_on(cores_.span(), [&](Worker& worker, std::size_t i) {
        CoreRun& core = *runs[i];
        core.tasks_out = options_->tasks_per_core;
        for (std::uint32_t n = 0; n < options_->tasks_per_core; ++n)
            new (&parts_[i].tasks[n]) TwoPhaseTask<Table>(run, static_cast<std::uint32_t>(i), worker.core());
        // The start barrier: acq_rel, all that the cores have prepared is visible to all.
        arrived.fetch_add(1, std::memory_order_acq_rel);
        while (arrived.load(std::memory_order_acquire) < parts_.size()) arch::pause();
        core.start = clock::timestamp();
        for (std::uint32_t n = 0; n < options_->tasks_per_core; ++n) worker.append(parts_[i].tasks[n]);
        return Step::Done;
    });
    if (!started) return no_memory_for_tasks();
    Worker::current().run_until([&] {
        if (progress.interrupted()) run.stopped.store(true, std::memory_order_relaxed);
        return cores_left == 0;
    });
    if (progress.interrupted()) return interrupted();

    Outcome outcome;
    Cycles first = runs[0]->start;
    Cycles last = runs[0]->end;
    for (CoreRun const* const core : runs) {
        first = std::min(first, core->start);
        last = std::max(last, core->end);
        outcome.wrong += core->wrong;
    }
    outcome.span = last - first;
    return outcome;
}

// All cores of the machine look, each at the next piece that nobody has looked at yet.
Result<void> TableExperiment::verify(Partitioned<Table> const& table, Outcome& outcome, Progress& progress) const {
    Counter counter;
    progress.phase("verifying", options_->operations, &Counter::read, &counter);
    std::size_t const pieces = parts_[0].slice.size() / piece + 1; // the first slice is the longest
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> strayed{0};
    std::atomic<std::uint64_t> expected{0};
    auto all = MXK_TRY(NodeVector<CoreId>::create(workers::count(), owners_[0].node));
    for (std::size_t i = 0; i < workers::count(); ++i) all.emplace(core_id(i));

    bool const ran = run_on(all.span(), [&](Worker&, std::size_t) {
        // relaxed, all of them: counters; the steps' end orders them before the caller
        std::size_t const mine = next.fetch_add(1, std::memory_order_relaxed);
        if (mine >= pieces * parts_.size() || progress.interrupted()) return Step::Done;
        auto const instructions = parts_[mine / pieces].slice.instructions();
        std::size_t const from = std::min(mine % pieces * piece, instructions.size());
        std::size_t const to = std::min(from + piece, instructions.size());
        std::uint64_t present = 0;
        std::uint64_t wrong = 0;
        for (Instruction const& instruction : instructions.subspan(from, to - from)) {
            if (instruction.at_end == AtEnd::SaidElsewhere) continue;
            bool const expect_it = instruction.at_end == AtEnd::Present;
            present += expect_it ? 1 : 0;
            if (table.region(table.owner(instruction.key)).find(instruction.key) != expect_it) ++wrong;
        }
        expected.fetch_add(present, std::memory_order_relaxed);
        strayed.fetch_add(wrong, std::memory_order_relaxed);
        counter.done.fetch_add(to - from, std::memory_order_relaxed);
        return Step::Again;
    });
    if (!ran) return no_memory_for_tasks();
    if (progress.interrupted()) return interrupted();
    outcome.strayed = strayed.load(std::memory_order_relaxed);
    outcome.expected_in_table = expected.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < table.region_count(); ++i)
        table.region(i).for_each([&](std::size_t, ChainNode const&) { ++outcome.in_table; });
    if (outcome.in_table != table.size()) ++outcome.strayed; // the table's own count is wrong
    return {};
}

Result<TableExperiment::Outcome> TableExperiment::run(Progress& progress) {
    auto table = MXK_TRY(Partitioned<Table>::create(buckets_, owners_.span()));
    MXK_TRY(fill_slices(progress));
    Mix::Kind const kind = options_->mix.kind;
    std::uint64_t wrong_before = 0;
    if (kind == Mix::Kind::Find || kind == Mix::Kind::Erase) {
        wrong_before = MXK_TRY(work_off(table, "filling the table", progress)).wrong;
        MXK_TRY(turn_slices(kind == Mix::Kind::Find ? Operation::Find : Operation::Erase, progress));
    }
    Outcome outcome = MXK_TRY(work_off(table, "measuring", progress));
    outcome.wrong += wrong_before;
    MXK_TRY(verify(table, outcome, progress));
    return outcome;
}

} // namespace mxk::bench

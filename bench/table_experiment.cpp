#include "bench/table_experiment.hpp"

#include <algorithm>
#include <utility>

#include "bench/start_barrier.hpp"
#include "bench/steps.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

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

} // namespace

Result<TableExperiment> TableExperiment::create(TableOptions const& options, std::uint32_t cores) {
    auto const buckets =
        std::max<std::size_t>(1, static_cast<std::size_t>(options.buckets * static_cast<double>(options.operations)));
    if (buckets < cores)
        return Error::of("--buckets: expected at least one bucket for each of {} cores, got {} for {} operations",
                         cores, buckets, options.operations);
    TableExperiment result(options, buckets,
                           MXK_TRY(InstructionQueue::create(options.operations, options.seed, cores)));
    NodeId const here = workers::of(core_id(0)).node();
    result.owners_ = MXK_TRY(NodeVector<Owner>::create(cores, here));
    result.parts_ = MXK_TRY(NodeVector<Part>::create(cores, here));
    for (CoreId const core : result.queue_.cores()) {
        NodeId const node = workers::of(core).node();
        result.owners_.emplace(core, node);
        result.parts_.emplace(MXK_TRY(NodeArray<CoreRun>::create(1, node)),
                              MXK_TRY(NodeArray<TwoPhaseTask<Table>>::create(options.tasks_per_core, node)));
    }
    return result;
}

Result<TableExperiment::Outcome> TableExperiment::work_off(std::string_view what, Progress& progress) {
    CoreId const here = Worker::current().core();
    auto runs = MXK_TRY(NodeVector<CoreRun*>::create(parts_.size(), owners_[0].node));
    auto ended = MXK_TRY(NodeVector<EndedTask>::create(parts_.size(), owners_[0].node));
    std::size_t cores_left = parts_.size();
    for (std::size_t i = 0; i < parts_.size(); ++i)
        runs.emplace(new (parts_[i].run.data()) CoreRun{&queue_.slice(i), &ended.emplace(cores_left, here)});
    Run<Table> run{*table_, runs.span()};
    std::span<CoreRun* const> const cores = run.cores;
    progress.phase(what, options_->operations, &instructions_done, &cores);

    StartBarrier barrier(parts_.size());
    bool const started = run_on(queue_.cores(), [&](Worker& worker, std::size_t i) {
        CoreRun& core = *runs[i];
        core.tasks_out = options_->tasks_per_core;
        for (std::uint32_t n = 0; n < options_->tasks_per_core; ++n)
            new (&parts_[i].tasks[n]) TwoPhaseTask<Table>(run, static_cast<std::uint32_t>(i), worker.core());
        barrier.arrive_and_wait();
        core.start = clock::timestamp();
        for (std::uint32_t n = 0; n < options_->tasks_per_core; ++n) worker.append(parts_[i].tasks[n]);
        return Step::Done;
    });
    if (!started) return no_memory_for_steps();
    Worker::current().run_until([&] {
        if (progress.interrupted()) run.stopped.store(true, std::memory_order_relaxed);
        return cores_left == 0;
    });
    MXK_TRY(progress.check());

    Outcome outcome;
    for (CoreRun const* const core : runs) {
        outcome.time.cover(core->start, core->end);
        outcome.wrong += core->wrong;
    }
    return outcome;
}

// All cores of the machine look, each at the next piece that nobody has looked at yet.
Result<void> TableExperiment::verify(Outcome& outcome, Progress& progress) const {
    Partitioned<Table> const& table = *table_;
    ProgressCounter counter;
    progress.phase("verifying", options_->operations, counter);
    std::size_t const pieces = queue_.slice(0).size() / piece + 1; // the first slice is the longest
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> strayed{0};
    std::atomic<std::uint64_t> expected{0};
    auto all = MXK_TRY(NodeVector<CoreId>::create(workers::count(), owners_[0].node));
    for (std::size_t i = 0; i < workers::count(); ++i) all.emplace(core_id(i));

    MXK_TRY(run_steps(all.span(), progress, [&](Worker&, std::size_t) {
        // relaxed, all of them: counters; the steps' end orders them before the caller
        std::size_t const mine = next.fetch_add(1, std::memory_order_relaxed);
        if (mine >= pieces * parts_.size() || progress.interrupted()) return Step::Done;
        auto const instructions = queue_.slice(mine / pieces).instructions();
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
        counter.add(to - from);
        return Step::Again;
    }));
    outcome.strayed = strayed.load(std::memory_order_relaxed);
    outcome.expected_in_table = expected.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < table.region_count(); ++i)
        table.region(i).for_each([&](std::size_t, ChainNode const&) { ++outcome.in_table; });
    if (outcome.in_table != table.size()) ++outcome.strayed; // the table's own count is wrong
    return {};
}

Result<void> TableExperiment::prepare(Progress& progress) {
    Mix const& first = options_->mix.list().front();
    table_.reset(); // the last run's gives its memory back before a new one takes some
    table_.emplace(MXK_TRY(Partitioned<Table>::create(buckets_, owners_.span())));
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

#include "bench/table/table_experiment.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>

#include "arch/cpu.hpp"
#include "arch/run_evidence.hpp"
#include "bench/frame/steps.hpp"
#include "kernel/memory/memory.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// No task should be longer.
Cycles max_task_time() {
    return clock::to_cycles(Nanoseconds{50'000});
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

// Keys [from, to) of a slice that are lost or left over.
std::uint64_t count_lost(Engine const& engine, InstructionQueue const& queue, std::size_t place, std::size_t from,
                         std::size_t to) {
    constexpr std::size_t chunk = 64;
    std::array<std::uint64_t, chunk> keys;
    std::array<std::optional<std::uint64_t>, chunk> values;
    std::uint64_t lost = 0;
    for (; from < to; from += chunk) {
        std::size_t const count = std::min(chunk, to - from);
        for (std::size_t i = 0; i < count; ++i) keys[i] = queue.slice(place).key(from + i);
        engine.find_all(std::span(keys).first(count), std::span(values).first(count));
        for (std::size_t i = 0; i < count; ++i) lost += queue.is_right(place, from + i, values[i]) ? 0U : 1U;
    }
    return lost;
}

} // namespace

Result<TableExperiment> TableExperiment::create(TableRun const& run, std::span<CoreId const> cores) {
    std::optional<ModuloKeys> others; // for a hash that is not the table's
    if (run.hashing != run.kind->hash) others.emplace(run.first_slots());
    NodeId const here = workers::of(core_id(0)).node();
    std::optional<ModuloCut> cut;
    if (run.source == QueueKind::Owner) cut.emplace(MXK_TRY(run.cut(cores.size())));
    auto queue = MXK_TRY(InstructionQueue::create(run, run.source, cores, others, cut));
    auto owners = MXK_TRY(NodeVector<Owner>::create(cores.size(), here));
    auto table_owners = MXK_TRY(NodeVector<Owner>::create(cores.size(), here));
    for (std::size_t i = 0; i < cores.size(); ++i) {
        NodeId const node = workers::of(cores[i]).node();
        owners.emplace(cores[i], node);
        table_owners.emplace(cores[i], run.memory.node_of(i, node, memory::node_count()));
    }
    BytesByNode const used = used_bytes();
    std::uint64_t const spilled = spilled_bytes();
    auto engine = MXK_TRY(run.kind->create({run, owners.span(), table_owners.span(), queue}));
    TableExperiment made(run, std::move(queue), std::move(owners), std::move(table_owners), std::move(engine));
    made.used_before_ = used;
    made.spilled_when_made_ = spilled_bytes() - spilled;
    return made;
}

BytesByNode TableExperiment::used_bytes() {
    BytesByNode bytes{};
    for (std::size_t node = 0; node < std::min(bytes.size(), memory::node_count()); ++node)
        bytes[node] = memory::use(node_id(node)).used;
    return bytes;
}
std::uint64_t TableExperiment::peak_bytes() const {
    std::uint64_t sum = 0;
    for (std::size_t node = 0; node < std::min(used_before_.size(), memory::node_count()); ++node) {
        std::size_t const peak = memory::use(node_id(node)).peak;
        sum += peak - std::min(peak, used_before_[node]);
    }
    return sum;
}
std::uint64_t TableExperiment::spilled_bytes() {
    std::uint64_t sum = 0;
    for (std::size_t node = 0; node < memory::node_count(); ++node) sum += memory::use(node_id(node)).spilled;
    return sum;
}

template <typename Ended>
Result<void> TableExperiment::change_owners(std::span<CoreRun* const> cores, Ended have_ended, OwnerChanges& changes) {
    auto const counts = run_->owners.values();
    Cycles last = clock::timestamp();
    std::size_t done_then = 0;
    for (std::size_t i = 1; i < counts.size(); ++i) {
        std::size_t const enough = run_->operations * i / counts.size();
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
    outcome.peak_bytes = peak_bytes();
    outcome.touched_bytes = engine_->touched_bytes();
    outcome.placed = used_bytes();
    for (std::size_t node = 0; node < outcome.placed.size(); ++node)
        outcome.placed[node] -= std::min(outcome.placed[node], used_before_[node]);
    outcome.elsewhere = std::max(spilled_when_made_, spilled_bytes() - spilled_before_);
    outcome.lock_changes = engine_->lock_changes();
    if (!latencies_.empty()) {
        Histogram all;
        for (Histogram const& of_core : latencies_) all.add(of_core);
        outcome.latency = Durations::of(all);
        if (!pauses_.empty()) {
            HostDelay const delay = HostDelay::of(pauses_, all);
            outcome.host = {.pauses = delay.pauses, .seconds = seconds_of(delay.time)};
            if (delay.rest) outcome.host.rest = Durations::of(*delay.rest);
        }
    }
    if (task_times_.empty()) return;
    Histogram all;
    for (TaskTimes const& of_core : task_times_) all.add(of_core.own());
    outcome.tasks = Durations::of(all);
    outcome.long_tasks = all.count_above(raw(max_task_time()));
    Histogram interrupted;
    for (TaskTimes const& of_core : task_times_) interrupted.add(of_core.interrupted());
    outcome.interrupted_tasks = Durations::of(interrupted);
}

// Of the instructions that one core takes from: all there are, or its share.
Arrivals TableExperiment::arrivals(double rate) const {
    if (rate == 0) return {};
    auto const queues = queue_.kind() == QueueKind::Shared ? 1.0 : static_cast<double>(owners_.size());
    auto const share = static_cast<std::size_t>(static_cast<double>(run_->operations) / queues);
    return {queues * static_cast<double>(clock::frequency()) / rate, share / 10};
}

Result<HostPauses*> TableExperiment::add_pauses(NodeId node) {
    constexpr std::size_t max_slow = 2 << 20; // of a core
    auto const read = [] {
        arch::HostAccount const account = arch::host_account();
        return HostPauses::Reading{account, clock::timestamp()};
    };
    auto pauses =
        MXK_TRY(HostPauses::create(node, max_task_time(), std::min<std::size_t>(run_->operations, max_slow), read));
    return pauses_.add(node, std::move(pauses));
}

namespace {

std::optional<double> idle_share(std::span<CoreRun* const> cores, TimeSpan const& time) {
    std::uint64_t idle = 0;
    for (CoreRun const* const core : cores) {
        if (!core->idle()) return std::nullopt;
        idle += *core->idle() + raw(time.end() - core->end_time());
    }
    return static_cast<double>(idle) / (static_cast<double>(raw(time.length())) * static_cast<double>(cores.size()));
}

} // namespace

Consumers TableExperiment::takers() const {
    if (queue_.kind() == QueueKind::Shared) return Consumers::AllCores;
    return run_->threads_each > 1 ? Consumers::CoreThreads : Consumers::OneCore;
}

Result<TableExperiment::Outcome> TableExperiment::run_phase(std::string_view what, double rate, std::uint32_t passes,
                                                            Progress& progress) {
    CoreId const here = Worker::current().core();
    NodeId const node = Worker::current().node();
    std::size_t const count = owners_.size();
    auto ended = MXK_TRY(NodeVector<EndedTask>::create(count, node));
    auto shares = MXK_TRY(PerCore<CoreRun>::with_room(count, node));
    auto runs = MXK_TRY(NodeVector<CoreRun*>::create(count, node));
    auto packed = MXK_TRY(NodeVector<TakenWord>::create(count, node)); // where the slices are
    PhaseRun phase;
    std::size_t cores_left = count;
    for (std::size_t i = 0; i < count; ++i) {
        Task& at_end = ended.emplace(cores_left, here);
        runs.emplace(MXK_TRY(shares.add(owners_[i].node, phase, queue_.source(i), takers(), at_end,
                                        queue_.is_packed() ? &packed.emplace() : nullptr)));
        runs[i]->set_arrivals(arrivals(rate));
        runs[i]->repeat(passes);
    }
    std::span<CoreRun* const> const cores = runs.span();
    progress.phase(what, run_->operations * passes, &instructions_done, &cores);
    engine_->prepare({cores, queue_.cores()});

    CoreBarrier barrier(count);
    latencies_ = {};
    task_times_ = {};
    pauses_ = {};
    if (run_->latency) latencies_ = MXK_TRY(PerCore<Histogram>::with_room(count, node));
    if (rate != 0 && arch::has_run_evidence()) pauses_ = MXK_TRY(PerCore<HostPauses>::with_room(count, node));
    if (run_->task_times) task_times_ = MXK_TRY(PerCore<TaskTimes>::with_room(count, node));
    for (std::size_t i = 0; i < count; ++i) {
        if (run_->latency) cores[i]->measure_latency(MXK_TRY(latencies_.add(owners_[i].node)));
        if (rate != 0 && arch::has_run_evidence()) cores[i]->note_pauses(MXK_TRY(add_pauses(owners_[i].node)));
        if (!run_->task_times) continue;
        auto const added = task_times_.add(owners_[i].node, max_task_time());
        if (!added) return added.error();
    }
    bool const started = run_on(queue_.cores(), [&](Worker& worker, std::size_t i) {
        worker.set_place(i);
        engine_->prepare_core(worker, i);
        if (run_->task_times) worker.measure_tasks(&task_times_[i]);
        barrier.arrive_and_wait();
        cores[i]->begin();
        engine_->start_core(worker, i);
        return Step::Done;
    });
    if (!started) return no_memory_for_steps();
    Progress::StopFlag const early(progress, phase.stopped);
    auto const have_ended = [&] { return cores_left == 0; };
    Outcome outcome;
    // With an error, too: what has begun must end before this returns.
    Result<void> const changed = change_owners(cores, have_ended, outcome.changes);
    Worker::current().run_until(have_ended);
    auto const settled = engine_->settle();
    if (run_->task_times) { // with an error, too: no core may go on writing there
        for (CoreId const core : queue_.cores()) {
            run_on_one(core, [](Worker& worker) {
                worker.measure_tasks(nullptr);
                return Step::Done;
            });
        }
    }
    if (!settled) return settled.error();
    MXK_TRY(progress.check());
    if (!changed) return changed.error();

    measure(outcome);
    outcome.operations = queue_.phase_operations();
    for (CoreRun const* const core : cores) {
        outcome.time.cover(core->start_time(), core->end_time());
        outcome.wrong += core->wrong();
        outcome.travelled += core->travelled();
        outcome.read_in_place += core->read_in_place();
    }
    outcome.idle_share = idle_share(cores, outcome.time);
    return outcome;
}

// All cores of the machine look, each at the next piece that no core has looked at yet.
Result<void> TableExperiment::verify(Outcome& outcome, Progress& progress) const {
    ProgressCounter counter;
    progress.phase("verifying", run_->operations, counter);
    std::size_t const pieces = queue_.max_key_count() / piece + 1;
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> lost{0};
    auto all = MXK_TRY(NodeVector<CoreId>::create(workers::count(), owners_[0].node));
    for (std::size_t i = 0; i < workers::count(); ++i) all.emplace(core_id(i));

    MXK_TRY(run_steps(all.span(), progress, [&](Worker&, std::size_t) {
        // relaxed, all of them: counters; the steps' end orders them before the caller
        std::size_t const mine = next.fetch_add(1, std::memory_order_relaxed);
        if (mine >= pieces * owners_.size() || progress.interrupted()) return Step::Done;
        Slice const& slice = queue_.slice(mine / pieces);
        std::size_t const from = std::min(mine % pieces * piece, slice.key_count());
        std::size_t const to = std::min(from + piece, slice.key_count());
        lost.fetch_add(count_lost(*engine_, queue_, mine / pieces, from, to), std::memory_order_relaxed);
        counter.add(to - from);
        return Step::Again;
    }));
    Engine::Content const content = engine_->content();
    outcome.lost = lost.load(std::memory_order_relaxed);
    if (content.said != content.counted) ++outcome.lost; // the table's own count is wrong
    outcome.in_table = content.counted;
    outcome.expected_in_table = queue_.live_count();
    return {};
}

Result<void> TableExperiment::prepare(Progress& progress) {
    Mix const& first = run_->mix.list().front();
    spilled_before_ = spilled_bytes();
    MXK_TRY(engine_->reset());
    for (std::size_t node = 0; node < memory::node_count(); ++node) memory::begin_peak(node_id(node));
    MXK_TRY(queue_.begin_with(first, progress));
    wrong_while_filling_ = first.needs_keys() ? MXK_TRY(run_phase("filling the table", 0, 1, progress)).wrong : 0;
    return {};
}

Result<TableExperiment::Outcome> TableExperiment::run(Mix const& phase, Progress& progress, double rate,
                                                      std::uint32_t passes) {
    if (phase.needs_keys()) MXK_TRY(queue_.continue_with(phase, progress));
    Outcome outcome = MXK_TRY(run_phase("measuring", rate, passes, progress));
    outcome.wrong += wrong_while_filling_;
    MXK_TRY(verify(outcome, progress));
    return outcome;
}

} // namespace mxk::bench

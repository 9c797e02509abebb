// `bench dataflow task`: what a task that does nothing costs. Each core has a pair of tasks of a request of its own,
// which ask for each other in turn: bound, so that the task goes over the core's stack; unbound, so that it goes
// through the request's queue. A third way is a task that asks for itself while it runs, as a source does.
#include <array>
#include <atomic>
#include <span>

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/waited.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

enum class EmptyTaskWay : std::uint8_t { Bound, Unbound, Again };
constexpr auto value_names(EmptyTaskWay) {
    using Named = console::NamedValue<EmptyTaskWay>;
    return std::array{Named{EmptyTaskWay::Bound, "bound"}, Named{EmptyTaskWay::Unbound, "unbound"},
                      Named{EmptyTaskWay::Again, "again"}};
}

namespace {

using dataflow::Binding;
using dataflow::CoreScheduler;
using dataflow::Outcome;
using dataflow::ReschedulableTask;

struct EmptyTaskOptions : DataflowOptions {
    NameSet<EmptyTaskWay> ways{};
    std::uint64_t operations = 1'000'000;
};

constexpr auto empty_task_schema = console::schema<EmptyTaskOptions>(
    dataflow_option::disciplines, core_set_option::cores,
    console::option<&EmptyTaskOptions::ways>("way", "bound, unbound, again (none given: all)"),
    console::option<&EmptyTaskOptions::operations>("ops", "tasks run by each core", console::between(1, 4'000'000'000)),
    dataflow_option::sleep_rule, dataflow_option::reruns_bound, dataflow_option::steals_first,
    dataflow_option::patience, dataflow_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

constexpr std::array empty_task_claims{
    DataflowClaim{"one lock of a request for each unbound task", DataflowClaim::Kind::FindingIs, "locks_per_unbound",
                  1},
};

// A request with two tasks, one of which runs at a time. It counts from its first run on.
class TaskPair : public WaitedRequest {
    struct Half : ReschedulableTask {
        Half(TaskPair& pair, CoreId home_core)
            : ReschedulableTask(pair, &TaskPair::run_half, home_core) {}
        Half* other = nullptr;
    };

  public:
    struct Common {
        EmptyTaskWay way;
        std::uint64_t operations;
    };
    TaskPair(Common& common, Ends& its_ends)
        : WaitedRequest(&TaskPair::begin, its_ends)
        , common_(common) {}
    ~TaskPair() {
        for (Half* const half : halves_)
            if (half != nullptr) Worker::current().destroy(*half);
    }
    TaskPair(TaskPair const&) = delete;
    TaskPair& operator=(TaskPair const&) = delete;

    [[nodiscard]] bool has_no_memory() const { return has_no_memory_; }
    [[nodiscard]] double cycles() const { return static_cast<double>(raw(end_ - start_)); }
    [[nodiscard]] bool is_right() const { return runs_ == common_.operations && overlaps_ == 0; }

  private:
    static void begin(CoreScheduler& here, dataflow::Request& request) {
        auto& self = static_cast<TaskPair&>(request);
        for (Half*& half : self.halves_) half = here.worker().create<Half>(self, here.core());
        if (self.halves_[0] == nullptr || self.halves_[1] == nullptr) {
            self.has_no_memory_ = true;
            return;
        }
        bool const is_alone = self.common_.way == EmptyTaskWay::Again;
        for (std::size_t half = 0; half < 2; ++half)
            self.halves_[half]->other = self.halves_[is_alone ? half : 1 - half];
        self.add_task();
        if (!is_alone) self.add_task();
        self.ask_for(here, *self.halves_[0]);
    }

    static Outcome run_half(CoreScheduler& here, ReschedulableTask& task) {
        auto& half = static_cast<Half&>(task);
        auto& self = static_cast<TaskPair&>(half.request());
        if (self.is_running_) ++self.overlaps_; // plain: one runs after the other
        self.is_running_ = true;
        return self.count(here, half);
    }
    Outcome count(CoreScheduler& here, Half& half) {
        // Not once all have begun: a request that is kept alive until others begin may keep them from it.
        if (start_ == Cycles{}) start_ = clock::timestamp();
        if (runs_ == common_.operations || (runs_ % 4096 == 0 && is_cancelled())) {
            if (end_ == Cycles{}) end_ = clock::timestamp();
            is_running_ = false;
            if (half.other != &half && !is_last_) {
                is_last_ = true;
                ask_for(here, *half.other); // which ends, too
            }
            return Outcome::Ended;
        }
        ++runs_;
        return go_on(here, half);
    }
    Outcome go_on(CoreScheduler& here, Half& half) {
        is_running_ = false;
        if (common_.way == EmptyTaskWay::Again) return Outcome::Again;
        ask_for(here, *half.other);
        return Outcome::Waits;
    }
    void ask_for(CoreScheduler& here, Half& half) const {
        half.schedule(here, common_.way == EmptyTaskWay::Bound ? Binding::Bound : Binding::Unbound);
    }

    Common& common_;
    std::array<Half*, 2> halves_{};
    std::uint64_t runs_ = 0;
    std::uint64_t overlaps_ = 0;
    bool is_running_ = false;
    bool is_last_ = false;
    bool has_no_memory_ = false;
    Cycles start_{};
    Cycles end_{};
};

struct EmptyTaskBench {
    using Options = EmptyTaskOptions;
    static constexpr std::string_view name = "dataflow task";
    static constexpr Unit unit = Unit::NanosecondsPerOperation;
    static constexpr DisciplineSet default_disciplines{Discipline::Requests};
    static constexpr bool has_peers = false;

    explicit EmptyTaskBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        if (options.ways.empty()) options.ways = {EmptyTaskWay::Bound, EmptyTaskWay::Unbound, EmptyTaskWay::Again};
        for (auto const& [way, its_name] : value_names(EmptyTaskWay{}))
            if (options.ways.has(way)) ways[way_count++] = way;
        return {};
    }
    [[nodiscard]] std::size_t points() const { return way_count; }
    static constexpr std::span<DataflowClaim const> claims() { return empty_task_claims; }
    [[nodiscard]] bool is_judged(DataflowClaim const& /*claim*/, std::size_t point) const {
        return ways[point] != EmptyTaskWay::Bound;
    }

    Result<void> run(DataflowRun const& run) const {
        auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
        TaskPair::Common common{.way = ways[run.point], .operations = options.operations};
        Ends ends(run.cores.size());
        auto pairs = MXK_TRY(make_requests<TaskPair>(run.cores.size(), ends, common));
        MXK_TRY(run_all(*scheduler, pairs, ends, run.progress));
        double cycles = 0;
        bool is_right = true;
        for (TaskPair const& pair : pairs) {
            if (pair.has_no_memory()) return Error("out of memory: no room for a task");
            cycles += pair.cycles();
            is_right = is_right && pair.is_right();
        }
        std::uint64_t const all = options.operations * run.cores.size();
        Sample& sample = run.sample;
        sample.value = cycles / static_cast<double>(all) * 1e9 / static_cast<double>(clock::frequency());
        sample.operations = all;
        SchedulerCounts const counts(*scheduler);
        bool const is_counted = run.scheduler.discipline != Discipline::Original &&
                                run.scheduler.discipline != Discipline::CoreFifo; // these have no such locks
        if (is_counted && common.way != EmptyTaskWay::Bound)
            sample.findings.add("locks_per_unbound", counts.locks_per_unbound());
        sample.findings.add("stolen_pct", counts.stolen_percent());
        sample.findings.add("reruns", static_cast<double>(counts.reruns));
        sample.verified = is_right;
        return {};
    }

    void print_head(TextSink& out) const { format(out, "{} empty tasks on each core", options.operations); }
    static void print_heading(TextSink& out) { format(out, " {:<8}", "way"); }
    void print_point(TextSink& out, std::size_t point) const { format(out, " {:<8}", name_of(ways[point])); }
    void write_point(JsonWriter& json, std::size_t point) const { json.field("way", name_of(ways[point])); }

    Options options;
    std::array<EmptyTaskWay, value_names(EmptyTaskWay{}).size()> ways{};
    std::size_t way_count = 0;
};
constexpr auto empty_task_benchmark = benchmark<DataflowExperiment<EmptyTaskBench>, empty_task_schema>(
    {.summary = "what an empty task costs: bound, unbound, one that asks for itself",
     .notes = "Example: bench dataflow task --cores 1,2 --discipline requests,two-fifos,original\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, empty_task_benchmark);

} // namespace
} // namespace mxk::bench

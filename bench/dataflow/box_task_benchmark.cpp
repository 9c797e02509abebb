// `bench dataflow task`: what a task that does nothing costs. Each core has a pair of tasks of a request of its own,
// which ask for each other in turn: bound, so that the task goes over the core's stack; unbound, so that it goes
// through the request's queue. A third way is a task that asks for itself while it runs, as a source does.
#include <array>
#include <atomic>
#include <span>

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/requests.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {
namespace {

using dataflow::Binding;
using dataflow::CoreScheduler;
using dataflow::Outcome;
using dataflow::ReschedulableTask;

constexpr std::array empty_task_claims{
    Claim{.statement = "one lock of a request for each unbound task",
          .bound = Bound::exactly(1),
          .left = {.of = "requests", .finding = "locks_per_unbound"}},
};

// A request with two tasks, one of which runs at a time. It counts from its first run on.
class TaskPair : public dataflow::Request {
    struct PingPongTask : ReschedulableTask {
        PingPongTask(TaskPair& pair, CoreId home_core)
            : ReschedulableTask(pair, &TaskPair::run_half, home_core) {}
        PingPongTask* other = nullptr;
    };

  public:
    struct Common {
        EmptyTaskWay way;
        std::uint64_t operations;
    };
    explicit TaskPair(Common& common)
        : Request(&TaskPair::begin)
        , common_(common) {}
    ~TaskPair() {
        for (PingPongTask* const half : halves_)
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
        for (PingPongTask*& half : self.halves_) half = here.worker().create<PingPongTask>(self, here.core());
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
        auto& half = static_cast<PingPongTask&>(task);
        auto& self = static_cast<TaskPair&>(half.request());
        if (self.is_running_) ++self.overlaps_; // plain: one runs after the other
        self.is_running_ = true;
        return self.count(here, half);
    }
    Outcome count(CoreScheduler& here, PingPongTask& half) {
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
    Outcome go_on(CoreScheduler& here, PingPongTask& half) {
        is_running_ = false;
        if (common_.way == EmptyTaskWay::Again) return Outcome::Again;
        ask_for(here, *half.other);
        return Outcome::Waits;
    }
    void ask_for(CoreScheduler& here, PingPongTask& half) const {
        half.schedule(here, common_.way == EmptyTaskWay::Bound ? Binding::Bound : Binding::Unbound);
    }

    Common& common_;
    std::array<PingPongTask*, 2> halves_{};
    std::uint64_t runs_ = 0;
    std::uint64_t overlaps_ = 0;
    bool is_running_ = false;
    bool is_last_ = false;
    bool has_no_memory_ = false;
    Cycles start_{};
    Cycles end_{};
};

Result<void> run_pairs(DataflowRun const& run) {
    auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
    TaskPair::Common common{.way = way_at<&DataflowChoices::task_ways>(run.options, run.point),
                            .operations = run.options.operations};
    auto pairs = MXK_TRY(make_requests<TaskPair>(run.cores.size(), common));
    MXK_TRY(run_all(*scheduler, pairs, run.progress));
    double cycles = 0;
    bool is_right = true;
    for (TaskPair const& pair : pairs) {
        if (pair.has_no_memory()) return Error("out of memory: no room for a task");
        cycles += pair.cycles();
        is_right = is_right && pair.is_right();
    }
    std::uint64_t const all = run.options.operations * run.cores.size();
    Sample& sample = run.sample;
    sample.value = cycles / static_cast<double>(all) * 1e9 / static_cast<double>(clock::frequency());
    sample.operations = all;
    SchedulerCounts const counts(*scheduler);
    if (is_of_thesis(run.scheduler.discipline) && common.way != EmptyTaskWay::Bound)
        sample.findings.add("locks_per_unbound", counts.locks_per_unbound());
    sample.findings.add("stolen_pct", counts.stolen_percent());
    sample.findings.add("reruns", static_cast<double>(counts.reruns));
    sample.verified = is_right;
    return {};
}

constexpr DataflowScenario empty_task_scenario{
    .name = "dataflow task",
    .summary = "what an empty task costs: bound, unbound, one that asks for itself",
    .notes = "Example: bench dataflow task --cores 1,2 --discipline requests,two-fifos,original\n",
    .claims = empty_task_claims,
    .choices = {.operations = 1'000'000},
    .ways = &all_ways<&DataflowChoices::task_ways, 8>,
    .is_judged =
        [](DataflowExperiment const& bench, Point const& point) {
            return way_at<&DataflowChoices::task_ways>(bench.options(), point) != EmptyTaskWay::Bound;
        },
    .run = &run_pairs,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(out, "{} empty tasks on each core", options.operations);
        }};
constexpr auto empty_task_schema = dataflow_schema<empty_task_scenario>(
    console::option<&DataflowChoices::task_ways>("way", "bound, unbound, again (none given: all)"),
    console::option<&DataflowChoices::operations>("ops", "tasks run by each core", console::between(1, 4'000'000'000)));
constexpr auto empty_task_benchmark = dataflow_benchmark<empty_task_scenario, empty_task_schema>();
MXK_REGISTER(mxk_commands, console::Command, empty_task_benchmark);

} // namespace
} // namespace mxk::bench

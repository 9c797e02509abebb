// `bench dataflow steal`: every task is stolen (B12). Half of the cores, or one less, are kept busy by a task that
// leaves bound tasks on its core's stack and waits until others have taken them. Who took them from whom says whether
// thieves look at the nearest stacks first, and take from all of those alike.
#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "base/spin_wait.hpp"
#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/requests.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/dataflow/core_orders.hpp"

namespace mxk::bench {
namespace {

using dataflow::Binding;
using dataflow::CoreScheduler;
using dataflow::Outcome;
using dataflow::ReschedulableTask;

// Stolen tasks, by who took them from whom. Each thief writes its own row.
class StealTable {
  public:
    static Result<StealTable> create(std::size_t cores) {
        StealTable table;
        table.stride_ = align_up(cores, cache_line_bytes / sizeof(std::uint64_t));
        table.counts_ =
            MXK_TRY(NodeArray<std::uint64_t>::create_zeroed(cores * table.stride_, Worker::current().node()));
        return table;
    }
    [[nodiscard]] std::uint64_t& operator()(std::size_t thief, std::size_t victim) const {
        return counts_[thief * stride_ + victim];
    }

  private:
    std::size_t stride_ = 0;
    NodeArray<std::uint64_t> counts_;
};

// A task that keeps its core, and its children, which others run. It is a request of its own.
class Victim : public dataflow::Request {
    static constexpr std::size_t batch = 32;

    struct Child : ReschedulableTask {
        Child(Victim& victim, CoreId home_core)
            : ReschedulableTask(victim, &Child::work, home_core) {}
        static Outcome work(CoreScheduler& here, ReschedulableTask& task) {
            auto& victim = static_cast<Victim&>(task.request());
            ++victim.table_(here.place(), victim.number_);
            victim.left_.fetch_sub(1, std::memory_order_release); // pairs with the acquire in keep_core()
            return victim.is_over_.load(std::memory_order_relaxed) ? Outcome::Ended : Outcome::Waits;
        }
    };
    struct BusyCoreTask : ReschedulableTask {
        BusyCoreTask(Victim& victim, CoreId home_core)
            : ReschedulableTask(victim, &BusyCoreTask::work, home_core) {}
        static Outcome work(CoreScheduler& here, ReschedulableTask& task) {
            static_cast<Victim&>(task.request()).keep_core(here);
            return Outcome::Ended;
        }
    };

  public:
    Victim(StealTable const& table, std::size_t number, std::uint64_t operations)
        : Request(&Victim::begin)
        , table_(table)
        , number_(number)
        , rounds_(operations / batch + 2) {}
    ~Victim() {
        for (Child* const child : children_)
            if (child != nullptr) Worker::current().destroy(*child);
        if (busy_task_ != nullptr) Worker::current().destroy(*busy_task_);
    }
    Victim(Victim const&) = delete;
    Victim& operator=(Victim const&) = delete;

    [[nodiscard]] bool has_no_memory() const { return has_no_memory_; }
    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] std::size_t place() const { return place_; }
    [[nodiscard]] std::uint64_t tasks() const { return rounds_ * batch; }
    [[nodiscard]] Cycles time() const { return time_; }

  private:
    static void begin(CoreScheduler& here, dataflow::Request& request) {
        auto& self = static_cast<Victim&>(request);
        self.busy_task_ = here.worker().create<BusyCoreTask>(self, here.core());
        self.has_no_memory_ = self.busy_task_ == nullptr;
        for (Child*& child : self.children_) {
            child = here.worker().create<Child>(self, here.core());
            self.has_no_memory_ = self.has_no_memory_ || child == nullptr;
        }
        if (self.has_no_memory_) return;
        for (std::size_t i = 0; i <= batch; ++i) self.add_task();
        self.busy_task_->schedule(here, Binding::Unbound);
    }
    void keep_core(CoreScheduler& here) {
        place_ = here.place();
        Cycles const start = clock::timestamp();
        for (std::uint64_t round = 1; round <= rounds_; ++round) {
            if (round == rounds_ || is_cancelled()) is_over_.store(true, std::memory_order_relaxed);
            left_.store(batch, std::memory_order_relaxed);
            for (Child* const child : children_) child->schedule(here, Binding::Bound);
            for (SpinWait wait; left_.load(std::memory_order_acquire) != 0;) wait.turn();
            if (is_over_.load(std::memory_order_relaxed)) break;
            // Who has run a child may still be in the middle of giving it back.
            for (Child* const child : children_)
                for (SpinWait wait; !child->is_idle();) wait.turn();
        }
        time_ = clock::timestamp() - start;
    }

    StealTable const& table_;
    std::size_t number_; // among the victims
    std::uint64_t rounds_;
    std::size_t place_ = 0;
    BusyCoreTask* busy_task_ = nullptr;
    std::array<Child*, batch> children_{};
    std::atomic<std::size_t> left_{0};
    std::atomic<bool> is_over_{false};
    bool has_no_memory_ = false;
    Cycles time_{};
};

void add_findings(DataflowRun const& run, StealTable const& table, NodeVector<Victim> const& victims,
                  dataflow::Scheduler const& scheduler, std::uint64_t all) {
    constexpr std::size_t levels = CoreLevels::cache_levels + 2; // by shared_level(), from 1 on
    std::array<std::uint64_t, levels> by_level{};
    std::uint64_t taken = 0;
    std::uint64_t own = 0; // that a victim ran itself
    std::uint64_t max = 0;
    std::uint64_t min = UINT64_MAX;
    auto const topology = system_topology().cores;
    for (Victim const& victim : victims) {
        std::uint64_t from_here = 0;
        for (std::size_t thief = 0; thief < run.cores.size(); ++thief) {
            std::uint64_t const tasks = table(thief, victim.number());
            from_here += tasks;
            if (thief == victim.place()) {
                own += tasks;
                continue;
            }
            by_level[dataflow::shared_level(topology[index(run.cores[thief])],
                                            topology[index(run.cores[victim.place()])])] += tasks;
        }
        taken += from_here;
        max = std::max(max, from_here);
        min = std::min(min, from_here);
    }
    constexpr std::array<std::string_view, levels> names{
        "", "from_l1_pct", "from_l2_pct", "from_l3_pct", "from_l4_pct", "from_afar_pct"};
    for (std::size_t level = 1; level < levels; ++level)
        run.sample.findings.add(names[level], 100 * static_cast<double>(by_level[level]) / static_cast<double>(taken));
    run.sample.findings.add("min_by_max", static_cast<double>(min) / static_cast<double>(max));
    run.sample.findings.add("stolen", static_cast<double>(SchedulerCounts(scheduler).stolen));
    run.sample.verified = taken == all && own == 0;
}

Result<void> run_thieves(DataflowRun const& run) {
    std::size_t const cores = run.cores.size();
    std::size_t const count = cores / 2;
    auto const table = MXK_TRY(StealTable::create(cores));
    dataflow::SchedulerOptions scheduler_options = run.scheduler;
    scheduler_options.victims = way_at<&DataflowChoices::victims>(run.options, run.point);
    auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, scheduler_options));
    auto victims = MXK_TRY(NodeVector<Victim>::create(count, Worker::current().node()));
    for (std::size_t i = 0; i < count; ++i) victims.emplace(table, i, run.options.operations);
    MXK_TRY(run_all(*scheduler, victims, run.progress));
    double cycles = 0;
    std::uint64_t all = 0;
    for (Victim const& victim : victims) {
        if (victim.has_no_memory()) return Error("out of memory: no room for a task");
        cycles = std::max(cycles, static_cast<double>(raw(victim.time())));
        all += victim.tasks();
    }
    Sample& sample = run.sample;
    sample.value = cycles * static_cast<double>(cores - count) / static_cast<double>(all) * 1e9 /
                   static_cast<double>(clock::frequency());
    sample.operations = all;
    add_findings(run, table, victims, *scheduler, all);
    return {};
}

constexpr DataflowScenario steal_scenario{
    .name = "dataflow steal",
    .summary = "what it costs when every task is stolen, and who steals from whom",
    .notes = "from_l2_pct: stolen from a core with which the thief shares its second-level cache, and none before.\n"
             "Example: bench dataflow steal --cores 2,4,8\n",
    .choices = {.operations = 200'000},
    .ways =
        [](DataflowOptions& options) { return Axis::chosen("victims", 8, options.victims = or_all(options.victims)); },
    .cannot_run = [](DataflowExperiment const& bench, Discipline discipline,
                     Point const& point) -> std::optional<Error> {
        if (!is_of_thesis(discipline)) return Error("bound tasks are not stolen");
        if (bench.cores(point).size() < 2) return Error("it needs two cores");
        if (count_nodes(bench.cores(point)) > 1) return Error("it needs cores of one node");
        return std::nullopt;
    },
    .run = &run_thieves,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(out, "{} tasks from each of half of the cores", options.operations);
        },
    .fields = {"tasks"}};
constexpr auto steal_schema = dataflow_schema_with<steal_scenario>(
    console::option<&DataflowChoices::operations>("ops", "tasks that are stolen from each busy core",
                                                  console::between(1, 4'000'000'000)),
    console::option<&DataflowChoices::victims>(
        "victims", "whom a thief prefers: nearest, who shares a cache with it, farthest, who "
                   "does not (none given: both)"),
    dataflow_option::sleep_rule);
constexpr auto steal_benchmark = dataflow_benchmark<steal_scenario, steal_schema>();
MXK_REGISTER(mxk_commands, console::Command, steal_benchmark);

} // namespace
} // namespace mxk::bench

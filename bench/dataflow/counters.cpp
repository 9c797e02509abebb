// `bench dataflow counters`: what it costs to count a task of a node, to take it, and to look for the next one, on all
// cores at once: by one word, as the scheduler does (tasks/dataflow/activity.hpp), or under a spin lock, with which the
// thesis compares that (Falt 2010, section 6.2). There is no scheduler, and all cores remain awake.
#include <atomic>

#include "base/spin_lock.hpp"
#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/frame/steps.hpp"
#include "tasks/dataflow/activity.hpp"

namespace mxk::bench {
namespace {

using dataflow::Activity;
using dataflow::ActivityCounts;
using dataflow::SleepRule;

// The same steps.
class alignas(cache_line_bytes) LockedActivity {
  public:
    explicit LockedActivity(unsigned cores)
        : cores_(cores)
        , counts_{static_cast<std::uint16_t>(cores), static_cast<std::uint16_t>(cores), 0} {}

    [[nodiscard]] ActivityCounts counts() const { return counts_; }
    bool add(std::int32_t tasks) {
        LockGuard const guard(lock_);
        return dataflow::activity::add(counts_, tasks, cores_);
    }
    bool begin(std::int32_t taken, SleepRule rule) {
        LockGuard const guard(lock_);
        return dataflow::activity::begin(counts_, taken, cores_, rule);
    }
    void finish() {
        LockGuard const guard(lock_);
        ++counts_.free;
    }

  private:
    SpinLock lock_{lock_bands::application.rank(1)};
    unsigned cores_;
    ActivityCounts counts_;
};

template <typename Counters> Result<void> count_tasks(DataflowRun const& run) {
    auto const cores = static_cast<std::uint16_t>(run.cores.size());
    Counters counters(cores);
    std::atomic<std::uint64_t> wakes{0};
    auto const time = MXK_TRY(time_on(run.cores, run.progress, [&](std::size_t) {
        std::uint64_t own = 0;
        for (std::uint64_t i = 0; i < run.options.operations; ++i) {
            own += counters.add(1) ? 1U : 0U;
            own += counters.begin(1, run.options.sleep_rule) ? 1U : 0U;
            counters.finish();
        }
        wakes.fetch_add(own, std::memory_order_relaxed);
    }));
    run.sample.operations = run.options.operations * cores;
    run.sample.value = time.seconds() * 1e9 / static_cast<double>(run.sample.operations);
    run.sample.verified = counters.counts() == ActivityCounts{cores, cores, 0} && wakes.load() == 0;
    return {};
}

constexpr DataflowScenario counters_scenario{
    .name = "dataflow counters",
    .summary = "what counting a task of a node costs, in one word or under a lock",
    .notes = "Example: bench dataflow counters --cores 1,2\n",
    .choices = {.operations = 1'000'000},
    .ways = &all_ways<&DataflowChoices::counter_ways, 8>,
    .run = [](DataflowRun const& run) -> Result<void> {
        bool const is_word = way_at<&DataflowChoices::counter_ways>(run.options, run.point) == CounterWay::Word;
        return is_word ? count_tasks<Activity>(run) : count_tasks<LockedActivity>(run);
    },
    .print_what = [](TextSink& out,
                     DataflowOptions const& options) { format(out, "{} tasks of each core", options.operations); },
    .fields = {"tasks"}};
constexpr auto counters_schema = dataflow_schema_with<counters_scenario>(
    console::option<&DataflowChoices::counter_ways>("way", "word, lock (none given: both)"),
    console::option<&DataflowChoices::operations>("ops", "tasks of each core", console::between(1, 4'000'000'000)),
    dataflow_option::sleep_rule);
constexpr auto counters_benchmark = dataflow_benchmark<counters_scenario, counters_schema>();
MXK_REGISTER(mxk_commands, console::Command, counters_benchmark);

} // namespace
} // namespace mxk::bench

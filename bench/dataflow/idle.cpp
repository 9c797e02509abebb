// `bench dataflow idle`: whether cores sleep where there is nothing to do, and how long it takes until one of them runs
// a request that comes then (B7). The scheduler has the cores of the set except the console's, which submits.
#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "base/spin_wait.hpp"
#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/requests.hpp"
#include "bench/frame/statistics.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

constexpr std::array idle_claims{
    Claim{.statement = "one core wakes for one request",
          .bound = Bound::up_to(1.1),
          .left = {.of = "requests", .finding = "wakes_per_ping"}},
};

// Notes when and where it began.
struct PingRequest : dataflow::Request {
    PingRequest()
        : Request(&PingRequest::begin_ping) {}
    static void begin_ping(dataflow::CoreScheduler& here, dataflow::Request& request) {
        auto& self = static_cast<PingRequest&>(request);
        self.began = clock::timestamp();
        self.place = here.place();
    }
    Cycles began{};
    std::size_t place = 0;
};

std::uint64_t sleeps(std::span<CoreId const> cores) {
    std::uint64_t sum = 0;
    for (CoreId const core : cores) sum += workers::of(core).statistics().sleeps.value();
    return sum;
}
void spin_for(Nanoseconds time) {
    Cycles const end = clock::timestamp() + clock::to_cycles(time);
    for (SpinWait wait; clock::timestamp() < end;) wait.turn();
}
// Long enough for a core to poll, and to fall asleep.
void wait_for_sleep(std::span<CoreId const> cores) {
    Nanoseconds max_polling{};
    for (CoreId const core : cores) max_polling = std::max(max_polling, workers::of(core).polling_time());
    spin_for(Nanoseconds{2 * raw(max_polling) + 200'000});
}
// Until one has begun to sleep since `before`, or for as long as would be enough; and somewhat longer, so that it
// is asleep indeed.
void wait_for_sleep(std::span<CoreId const> cores, std::uint64_t before) {
    Cycles const limit = clock::timestamp() + clock::to_cycles(Nanoseconds{20'000'000});
    for (SpinWait wait; sleeps(cores) == before && clock::timestamp() < limit;) wait.turn();
    spin_for(Nanoseconds{100'000});
}
// The share of the time in which cores were halted: all of it but for polling before each halt that began
// meanwhile.
double halted_percent(std::span<CoreId const> cores, std::uint32_t milliseconds) {
    std::uint64_t const before = sleeps(cores);
    Nanoseconds const window{std::uint64_t{milliseconds} * 1'000'000};
    work_until(clock::timestamp() + clock::to_cycles(window));
    double polled = 0;
    for (CoreId const core : cores)
        polled = std::max(polled, static_cast<double>(raw(workers::of(core).polling_time())));
    polled *= static_cast<double>(sleeps(cores) - before);
    double const all = static_cast<double>(raw(window)) * static_cast<double>(cores.size());
    return std::max(0.0, 100 * (1 - polled / all));
}

Result<void> run_pings(DataflowRun const& run) {
    CoreId const here = Worker::current().core();
    auto cores = MXK_TRY(NodeVector<CoreId>::create(run.cores.size(), Worker::current().node()));
    for (CoreId const core : run.cores)
        if (core != here) cores.emplace(core);
    auto const scheduler = MXK_TRY(dataflow::Scheduler::create(cores.span(), run.scheduler));
    wait_for_sleep(cores.span());
    double const halted = halted_percent(cores.span(), run.options.milliseconds);
    MXK_TRY(run.progress.check());

    auto latencies = MXK_TRY(NodeVector<double>::create(run.options.requests, Worker::current().node()));
    std::uint64_t first = 0; // pings that the first core of the set served
    std::uint64_t slept = sleeps(cores.span());
    std::uint64_t const slept_before = slept;
    std::uint64_t asleep = 0; // pings that found all cores so
    for (std::uint32_t i = 0; i < run.options.requests; ++i) {
        PingRequest ping;
        Cycles const start = clock::timestamp();
        scheduler->submit(ping);
        Worker::current().flush();
        for (SpinWait wait; !ping.is_over();) wait.turn();
        latencies.emplace(static_cast<double>(raw(ping.began - start)));
        first += ping.place == 0 ? 1U : 0U;
        wait_for_sleep(cores.span(), slept);
        asleep += sleeps(cores.span()) != slept ? 1U : 0U;
        slept = sleeps(cores.span());
        if (i % 16 == 0) MXK_TRY(run.progress.check());
    }
    double const nanoseconds = 1e9 / static_cast<double>(clock::frequency());
    double const pings = run.options.requests;
    Sample& sample = run.sample;
    sample.value = percentile(latencies.span(), 50) * nanoseconds;
    sample.operations = run.options.requests;
    sample.findings.add("p99_us", percentile(latencies.span(), 99) * nanoseconds / 1e3);
    sample.findings.add("halted_pct", halted);
    sample.findings.add("wakes_per_ping", static_cast<double>(slept - slept_before) / pings);
    sample.findings.add("first_core_pct", 100 * static_cast<double>(first) / pings);
    sample.findings.add("asleep_pct", 100 * static_cast<double>(asleep) / pings);
    sample.verified = latencies.size() == run.options.requests;
    return {};
}

constexpr DataflowScenario idle_scenario{
    .name = "dataflow idle",
    .summary = "whether idle cores are halted, and how fast one wakes for a request",
    .notes = "The console's core submits; the scheduler has the others of the set.\n"
             "Example: bench dataflow idle --cores 2 --ms 1000\n",
    .disciplines = {Discipline::Requests, Discipline::Original, Discipline::CoreFifo},
    .claims = idle_claims,
    .choices = {.requests = 200, .milliseconds = 100},
    .cannot_run = [](DataflowExperiment const& bench, Discipline, Point const& point) -> std::optional<Error> {
        CoreId const here = Worker::current().core();
        if (std::ranges::any_of(bench.cores(point), [here](CoreId core) { return core != here; })) return std::nullopt;
        return Error("it needs a core besides the console's");
    },
    .run = &run_pings,
    .print_what =
        [](TextSink& out, DataflowOptions const& options) {
            format(out, "{} ms without load, then {} requests, one at a time", options.milliseconds, options.requests);
        },
    .fields = {"idle_ms", "pings"}};
constexpr auto idle_schema = dataflow_schema_with<idle_scenario>(
    console::option<&DataflowChoices::milliseconds>("ms", "without load", console::between(1, 60'000)),
    console::option<&DataflowChoices::requests>("pings", "requests, each of which finds all cores asleep",
                                                console::between(1, 1'000'000)),
    dataflow_option::sleep_rule);
constexpr auto idle_benchmark = dataflow_benchmark<idle_scenario, idle_schema>();
MXK_REGISTER(mxk_commands, console::Command, idle_benchmark);

} // namespace
} // namespace mxk::bench

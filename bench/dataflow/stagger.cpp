// `bench dataflow stagger`: requests that come one after the other, faster than they can be served (B4). How long each
// takes, from the moment when it comes, says whether newcomers take the cores from those that have begun: then the
// first ones take longer than one that is alone.
#include <algorithm>
#include <array>
#include <span>

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/graph_boxes.hpp"
#include "bench/frame/statistics.hpp"

namespace mxk::bench {
namespace {

struct StaggerOptions : DataflowOptions {
    std::uint32_t requests = 50;
    std::uint32_t interval = 50;
    std::uint32_t envelopes = 32;
    std::uint32_t rows = 4096;
    std::uint32_t work = 10;
};

constexpr auto stagger_schema = console::schema<StaggerOptions>(
    dataflow_option::disciplines, core_set_option::cores,
    console::option<&StaggerOptions::requests>("requests", "that come one after the other",
                                               console::between(10, 100'000)),
    console::option<&StaggerOptions::interval>(
        "interval", "between two of them, in per cent of what the cores take for one", console::between(1, 1000)),
    console::option<&StaggerOptions::envelopes>("envelopes", "of a request", console::between(1, 1'000'000)),
    console::option<&StaggerOptions::rows>("rows", "of an envelope, 8 bytes each", console::between(1, 10'000'000)),
    console::option<&StaggerOptions::work>("work", "multiplications for each row in each stage",
                                           console::between(0, 10'000)),
    dataflow_option::sleep_rule, dataflow_option::reruns_bound, dataflow_option::steals_first,
    dataflow_option::patience, dataflow_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

// Of five requests that come every half of the time that one takes, the third waits for as long as one takes alone.
constexpr std::array stagger_claims{
    DataflowClaim{"the first requests take no longer than 2.5 times what one takes alone",
                  DataflowClaim::Kind::FindingIsUpTo, "first_by_alone", 2.5},
};

struct StaggerBench {
    using Options = StaggerOptions;
    static constexpr std::string_view name = "dataflow stagger";
    static constexpr Unit unit = Unit::NanosecondsPerOperation;
    static constexpr DisciplineSet default_disciplines{Discipline::Requests, Discipline::OneFifo, Discipline::OneLifo,
                                                       Discipline::Original};
    static constexpr bool has_peers = false;

    explicit StaggerBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        shape = {.envelopes = options.envelopes, .rows = options.rows, .stages = 2, .work = options.work};
        return {};
    }
    static constexpr std::size_t points() { return 1; }
    static constexpr std::span<DataflowClaim const> claims() { return stagger_claims; }
    static bool is_judged(DataflowClaim const& /*claim*/, std::size_t /*point*/) { return true; }

    Result<void> run(DataflowRun const& run) const {
        dataflow::Model model;
        MXK_TRY(make_graph(model, shape));
        auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
        double const alone = MXK_TRY(time_alone(run, *scheduler, model));
        std::size_t const count = options.requests;
        NodeId const here = Worker::current().node();
        Ends ends(count);
        auto queries = MXK_TRY(make_requests<GraphQuery>(count, ends, model, shape));
        auto came = MXK_TRY(NodeVector<Cycles>::create(count, here));
        auto took = MXK_TRY(NodeVector<double>::create(count, here));
        auto const interval = static_cast<Cycles>(static_cast<std::uint64_t>(alone * options.interval / 100));
        Cycles due = clock::timestamp();
        for (GraphQuery& query : queries) {
            work_until(due, [] { return false; });
            came.emplace(due); // what it waits because its core is late is part of it
            scheduler->submit(query);
            due = due + interval;
        }
        MXK_TRY(ends.wait(run.progress, [&] {
            for (GraphQuery& query : queries) query.cancel();
        }));
        bool const is_right =
            MXK_TRY(are_all_right(queries, [&](GraphQuery const& query) { return query.done.is_right(shape); }));
        for (std::size_t i = 0; i < count; ++i) took.emplace(static_cast<double>(raw(queries[i].done.end - came[i])));
        double const nanoseconds = 1e9 / static_cast<double>(clock::frequency());
        std::size_t const tenth = count / 10;
        double const first = percentile(took.span().first(tenth), 50);
        double const last = percentile(took.span().last(tenth), 50);
        Sample& sample = run.sample;
        sample.value = percentile(took.span(), 50) * nanoseconds;
        sample.operations = count;
        sample.findings.add("alone_us", alone * nanoseconds / 1e3);
        sample.findings.add("first_us", first * nanoseconds / 1e3);
        sample.findings.add("last_us", last * nanoseconds / 1e3);
        sample.findings.add("max_us", percentile(took.span(), 100) * nanoseconds / 1e3);
        sample.findings.add("first_by_alone", first / alone);
        sample.findings.add("max_active", scheduler->max_active());
        sample.verified = is_right;
        return {};
    }

    void print_head(TextSink& out) const {
        format(out, "{} requests, one every {} % of what one takes alone", options.requests, options.interval);
    }
    static void print_heading(TextSink& /*out*/) {}
    static void print_point(TextSink& /*out*/, std::size_t) {}
    void write_point(JsonWriter& json, std::size_t /*point*/) const {
        json.field("requests", options.requests);
        json.field("interval_pct", options.interval);
        json.field("envelopes", shape.envelopes);
        json.field("rows", shape.rows);
        json.field("work", shape.work);
    }

    Options options;
    GraphShape shape{};

  private:
    // Cycles, the median of some.
    Result<double> time_alone(DataflowRun const& run, dataflow::Scheduler& scheduler,
                              dataflow::Model const& model) const {
        std::array<double, 7> times{};
        for (double& time : times) {
            Ends ends(1);
            std::array<GraphQuery, 1> queries{GraphQuery(model, shape, ends)};
            Cycles const start = clock::timestamp();
            MXK_TRY(run_all(scheduler, queries, ends, run.progress));
            MXK_TRY(queries[0].result());
            time = static_cast<double>(raw(queries[0].done.end - start));
        }
        return percentile(times, 50);
    }
};
constexpr auto stagger_benchmark = benchmark<DataflowExperiment<StaggerBench>, stagger_schema>(
    {.summary = "how long requests take that come faster than they are served",
     .notes = "first_us, last_us: of the first and the last tenth, from the moment when they come.\n"
              "Example: bench dataflow stagger --cores 1,2 --discipline requests,one-lifo\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, stagger_benchmark);

} // namespace
} // namespace mxk::bench

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

constexpr auto stagger_schema = dataflow_schema<StaggerOptions>(
    console::option<&StaggerOptions::requests>("requests", "that come one after the other",
                                               console::between(10, 100'000)),
    console::option<&StaggerOptions::interval>(
        "interval", "between two of them, in per cent of what the cores take for one", console::between(1, 1000)),
    console::option<&StaggerOptions::envelopes>("envelopes", "of a request", console::between(1, 1'000'000)),
    console::option<&StaggerOptions::rows>("rows", "of an envelope, 8 bytes each", console::between(1, 10'000'000)),
    console::option<&StaggerOptions::work>("work", "multiplications for each row in each stage",
                                           console::between(0, 10'000)));

// Of five requests that come every half of the time that one takes, the third waits for as long as one takes alone.
constexpr std::array stagger_claims{
    Claim{.statement = "the first requests take no longer than 2.5 times what one takes alone",
          .bound = Bound::up_to(2.5),
          .left = {.of = "requests", .finding = "first_by_alone"}},
};

constexpr DataflowPlan stagger_plan{
    .name = "dataflow stagger",
    .disciplines = {Discipline::Requests, Discipline::OneFifo, Discipline::OneLifo, Discipline::Original},
    .claims = stagger_claims};

class StaggerBench final : public DataflowBench<StaggerOptions, stagger_plan> {
  public:
    using DataflowBench::DataflowBench;

  private:
    Result<void> run_flow(DataflowRun const& run) override {
        dataflow::Model model;
        MXK_TRY(make_graph(model, shape_));
        auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
        double const alone = MXK_TRY(time_alone(run, *scheduler, model));
        std::size_t const count = options_.requests;
        NodeId const here = Worker::current().node();
        Ends ends(count);
        auto queries = MXK_TRY(make_requests<GraphQuery>(count, ends, model, shape_));
        auto came = MXK_TRY(NodeVector<Cycles>::create(count, here));
        auto took = MXK_TRY(NodeVector<double>::create(count, here));
        auto const interval = static_cast<Cycles>(static_cast<std::uint64_t>(alone * options_.interval / 100));
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
        Sample& sample = run.sample;
        sample.verified =
            MXK_TRY(are_all_right(queries, [&](GraphQuery const& query) { return query.done.is_right(shape_); }));
        for (std::size_t i = 0; i < count; ++i) took.emplace(static_cast<double>(raw(queries[i].done.end - came[i])));
        double const nanoseconds = 1e9 / static_cast<double>(clock::frequency());
        double const first = percentile(took.span().first(count / 10), 50);
        double const last = percentile(took.span().last(count / 10), 50);
        sample.value = percentile(took.span(), 50) * nanoseconds;
        sample.operations = count;
        sample.findings.add("alone_us", alone * nanoseconds / 1e3);
        sample.findings.add("first_us", first * nanoseconds / 1e3);
        sample.findings.add("last_us", last * nanoseconds / 1e3);
        sample.findings.add("max_us", percentile(took.span(), 100) * nanoseconds / 1e3);
        sample.findings.add("first_by_alone", first / alone);
        sample.findings.add("max_active", scheduler->max_active());
        return {};
    }
    void print_what(TextSink& out) const override {
        format(out, "{} requests, one every {} % of what one takes alone", options_.requests, options_.interval);
    }
    void write_options(JsonWriter& json, Point const& /*point*/) const override {
        write_fields(json, {{"requests", options_.requests},
                            {"interval_pct", options_.interval},
                            {"envelopes", shape_.envelopes},
                            {"rows", shape_.rows},
                            {"work", shape_.work}});
    }

    // Cycles, the median of some.
    Result<double> time_alone(DataflowRun const& run, dataflow::Scheduler& scheduler,
                              dataflow::Model const& model) const {
        std::array<double, 7> times{};
        for (double& time : times) {
            Cycles const start = clock::timestamp();
            MXK_TRY(run_graph(scheduler, model, shape_, run.progress, [&](GraphQuery const& query) {
                time = static_cast<double>(raw(query.done.end - start));
            }));
        }
        return percentile(times, 50);
    }

    GraphShape shape_{.envelopes = options_.envelopes, .rows = options_.rows, .stages = 2, .work = options_.work};
};
constexpr auto stagger_benchmark = benchmark<StaggerBench, stagger_schema>(
    {.summary = "how long requests take that come faster than they are served",
     .notes = "first_us, last_us: of the first and the last tenth, from the moment when they come.\n"
              "Example: bench dataflow stagger --cores 1,2 --discipline requests,one-lifo\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, stagger_benchmark);

} // namespace
} // namespace mxk::bench

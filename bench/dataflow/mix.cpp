// `bench dataflow mix`: rows of requests per second, from end to end (B5, and the thesis' figures 10.1 to 10.4). A
// request is a graph with all that matters to a scheduler: a source, a fork into branches and their join, a pipe, a
// sort, and a sink. PxQ are P times Q requests, of which up to Q are under way. All memory comes from MXK's heap; with
// --others-heap, that of the disciplines that `requests` is compared with from a general-purpose allocator, as in the
// thesis, which compares schedulers with their allocators.
#include <array>
#include <span>

#include "bench/dataflow/graph_stream.hpp"
#include "bench/dataflow/sorted_sink.hpp"
#include "bench/heap/heap_names.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"
#include "tasks/dataflow/graph/graph_memory.hpp"
#include "tasks/dataflow/graph/sort_box.hpp"

namespace mxk::bench {
namespace {

struct MixOptions : DataflowOptions {
    RequestPlans plans{{16, 1}, {8, 2}, {4, 4}};
    std::uint32_t rows = 4096;
    std::uint32_t envelopes = 16;
    std::uint32_t branches = 4;
    std::uint32_t stages = 2;
    std::uint32_t work = 4;
    std::uint32_t capacity = dataflow::Model::default_capacity;
    HeapNames others_heap{}; // empty: ours
};

constexpr auto mix_schema = console::schema<MixOptions>(
    dataflow_option::disciplines, core_set_option::cores,
    console::option<&MixOptions::plans>("requests", "PxQ: P times Q requests, up to Q at a time"),
    console::option<&MixOptions::rows>("rows", "of an envelope, 8 bytes each; 0: the recommended number",
                                       console::between(0, 10'000'000)),
    console::option<&MixOptions::envelopes>("envelopes", "of a request", console::between(1, 1'000'000)),
    console::option<&MixOptions::branches>("branches", "of the fork", console::between(2, 60)),
    console::option<&MixOptions::stages>("stages", "of a branch, and of the pipe", console::between(1, 16)),
    console::option<&MixOptions::work>("work", "multiplications for each row in each stage",
                                       console::between(1, 10'000)),
    console::option<&MixOptions::capacity>("capacity", "envelopes that wait at an input",
                                           console::between(1, dataflow::Edge::max_capacity)),
    console::option<&MixOptions::others_heap>(
        "others-heap", "an allocator of `bench heap`, for all disciplines but requests (none given: ours)"),
    dataflow_option::sleep_rule, dataflow_option::reruns_bound, dataflow_option::steals_first,
    dataflow_option::patience, dataflow_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

constexpr std::array mix_claims{
    DataflowClaim{"1.06 times as much as the original scheduler, or more", DataflowClaim::Kind::DoesNoLess, "original",
                  1.06, true},
};

// While it lives, graphs' memory comes from that allocator.
class OtherGraphMemory {
  public:
    // Null: from ours.
    explicit OtherGraphMemory(HeapKind const* kind) {
        if (kind == nullptr) return;
        allocator_ = {.allocate = kind->workloads.allocate, .deallocate = kind->workloads.deallocate};
        dataflow::graph_memory::use(&allocator_);
    }
    ~OtherGraphMemory() { dataflow::graph_memory::use(nullptr); }
    OtherGraphMemory(OtherGraphMemory const&) = delete;
    OtherGraphMemory& operator=(OtherGraphMemory const&) = delete;

  private:
    dataflow::GeneralAllocator allocator_;
};

struct MixBench {
    using Options = MixOptions;
    static constexpr std::string_view name = "dataflow mix";
    static constexpr Unit unit = Unit::OperationsPerSecond;
    static constexpr DisciplineSet default_disciplines{Discipline::Requests, Discipline::Original,
                                                       Discipline::CoreFifo};
    static constexpr bool has_peers = false;

    explicit MixBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        auto const heaps = options.others_heap.kinds();
        if (heaps.size() > 1) return Error("expected one allocator for the others' heap");
        others_heap = heaps.empty() ? nullptr : heaps[0];
        if (others_heap != nullptr && others_heap->open != nullptr) MXK_TRY(others_heap->open());
        shape = {.envelopes = options.envelopes,
                 .rows = dataflow::rows_or_recommended(options.rows, sizeof(std::uint64_t)),
                 .branches = options.branches,
                 .stages = options.stages,
                 .work = options.work,
                 .capacity = options.capacity};
        return {};
    }
    [[nodiscard]] std::size_t points() const { return options.plans.size(); }
    static constexpr std::span<DataflowClaim const> claims() { return mix_claims; }
    [[nodiscard]] bool is_judged(DataflowClaim const& /*claim*/, std::size_t point) const {
        return options.plans[point].at_once == max_at_once();
    }

    Result<void> run(DataflowRun const& run) const {
        RequestPlan const& plan = options.plans[run.point];
        // Before all that has memory of it.
        OtherGraphMemory const memory(run.system.discipline == Discipline::Requests ? nullptr : others_heap);
        dataflow::Model model;
        MXK_TRY(make_model(model));
        return measure_stream(
            run, model, shape, plan,
            [&, expected = check_sum()](GraphQuery const& query) {
                return query.done.check_sum == expected && query.done.rows == shape.all_rows() &&
                       query.done.is_in_order;
            },
            [&](dataflow::Scheduler const& scheduler, double seconds) {
                Findings& findings = run.sample.findings;
                findings.add("ms_per_request", seconds * 1e3 / static_cast<double>(plan.requests()));
                findings.add("max_active", scheduler.max_active());
                findings.add("stolen_pct", SchedulerCounts(scheduler).stolen_percent());
            });
    }

    void print_head(TextSink& out) const {
        format(out, "requests of {} envelopes of {} rows: {} branches of {} stages, a pipe of {}, a sort",
               shape.envelopes, shape.rows, shape.branches, shape.stages, shape.stages);
        if (others_heap != nullptr) format(out, "; memory of all but requests: {}", others_heap->name);
    }
    static void print_heading(TextSink& out) { format(out, " {:<8}", "requests"); }
    void print_point(TextSink& out, std::size_t point) const {
        FixedText<24> plan;
        format(plan, "{}x{}", options.plans[point].rounds, options.plans[point].at_once);
        format(out, " {:<8}", plan.view());
    }
    void write_point(JsonWriter& json, std::size_t point) const {
        json.field("rounds", options.plans[point].rounds);
        json.field("at_once", options.plans[point].at_once);
        json.field("rows", shape.rows);
        json.field("envelopes", shape.envelopes);
        json.field("branches", shape.branches);
        json.field("stages", shape.stages);
        json.field("work", shape.work);
        json.field("capacity", shape.capacity);
        json.field("others_heap", others_heap != nullptr ? others_heap->name : "mxk");
    }

    Options options;
    GraphShape shape{};
    HeapKind const* others_heap = nullptr;

  private:
    [[nodiscard]] std::uint32_t max_at_once() const {
        std::uint32_t max = 0;
        for (std::size_t i = 0; i < options.plans.size(); ++i) max = std::max(max, options.plans[i].at_once);
        return max;
    }
    // Of what the pipe makes of the join's rows.
    [[nodiscard]] std::uint64_t check_sum() const {
        RowSteps const pipe = RowSteps::of(std::uint64_t{shape.stages} * shape.work);
        return pipe.factor * shape.check_sum() + pipe.summand * shape.all_rows();
    }
    Result<void> make_model(dataflow::Model& model) const {
        auto last = begin_graph(model, shape);
        for (std::uint32_t stage = 0; stage < shape.stages; ++stage) {
            auto const next = model.add<StageBox>("pipe", shape.branches, stage);
            model.connect(last, next);
            last = next;
        }
        auto const sort = model.add<dataflow::SortBox>("sort", shape.rows);
        model.connect(last, sort);
        model.connect(sort, model.add<SortedSinkBox>("sink"));
        return model.check();
    }
};
constexpr auto mix_benchmark = benchmark<DataflowExperiment<MixBench>, mix_schema>(
    {.summary = "rows per second of requests: graphs with a fork, a pipe and a sort, several at a time",
     .notes = "Example: bench dataflow mix --requests 16x4 --cores 2 --discipline requests,original\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, mix_benchmark);

} // namespace
} // namespace mxk::bench

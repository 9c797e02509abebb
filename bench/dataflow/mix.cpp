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

constexpr auto mix_schema = dataflow_schema<MixOptions>(
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
        "others-heap", "an allocator of `bench heap`, for all disciplines but requests (none given: ours)"));

constexpr std::array mix_claims{
    Claim{.statement = "1.06 times as much as the original scheduler, or more",
          .bound = Bound::from(1.06),
          .left = {.of = "requests"},
          .right = {.of = "original"},
          .on = Claim::On::LastSet,
          .takes_others = true},
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

constexpr DataflowPlan mix_plan{.name = "dataflow mix",
                                .unit = Unit::OperationsPerSecond,
                                .disciplines = {Discipline::Requests, Discipline::Original, Discipline::CoreFifo},
                                .claims = mix_claims};

class MixBench final : public DataflowBench<MixOptions, mix_plan> {
  public:
    using DataflowBench::DataflowBench;

  private:
    Result<void> complete() override {
        auto const heaps = options_.others_heap.kinds();
        if (heaps.size() > 1) return Error("expected one allocator for the others' heap");
        others_heap_ = heaps.empty() ? nullptr : heaps[0];
        if (others_heap_ != nullptr && others_heap_->open != nullptr) MXK_TRY(others_heap_->open());
        shape_ = {.envelopes = options_.envelopes,
                  .rows = dataflow::rows_or_recommended(options_.rows, sizeof(std::uint64_t)),
                  .branches = options_.branches,
                  .stages = options_.stages,
                  .work = options_.work,
                  .capacity = options_.capacity};
        return {};
    }
    void add_axes() override { add(options_.plans.axis()); }
    void print_value(TextSink& out, std::size_t axis, std::size_t at) const override {
        if (axis != first_axis) return GridExperiment::print_value(out, axis, at);
        options_.plans[at].print(out);
    }
    void write_value(JsonWriter& json, std::size_t axis, std::size_t at) const override {
        if (axis != first_axis) return DataflowExperiment::write_value(json, axis, at);
        options_.plans[at].write(json);
    }
    [[nodiscard]] bool is_judged(Claim const& /*claim*/, Point const& point) const override {
        return options_.plans[point[first_axis]].at_once == options_.plans.max_at_once();
    }

    Result<void> run_flow(DataflowRun const& run) override {
        RequestPlan const& plan = options_.plans[run.point[first_axis]];
        // Before all that has memory of it.
        OtherGraphMemory const memory(run.system.discipline == Discipline::Requests ? nullptr : others_heap_);
        dataflow::Model model;
        MXK_TRY(make_model(model));
        return measure_stream(
            run, model, shape_, plan,
            [&, expected = check_sum()](GraphQuery const& query) {
                return query.done.check_sum == expected && query.done.rows == shape_.all_rows() &&
                       query.done.is_in_order;
            },
            [&](dataflow::Scheduler const& scheduler, double seconds) {
                Findings& findings = run.sample.findings;
                findings.add("ms_per_request", seconds * 1e3 / static_cast<double>(plan.requests()));
                findings.add("max_active", scheduler.max_active());
                findings.add("stolen_pct", SchedulerCounts(scheduler).stolen_percent());
            });
    }
    void print_what(TextSink& out) const override {
        format(out, "requests of {} envelopes of {} rows: {} branches of {} stages, a pipe of {}, a sort",
               shape_.envelopes, shape_.rows, shape_.branches, shape_.stages, shape_.stages);
        if (others_heap_ != nullptr) format(out, "; memory of all but requests: {}", others_heap_->name);
    }
    void write_options(JsonWriter& json, Point const& /*point*/) const override {
        write_fields(json, {{"rows", shape_.rows},
                            {"envelopes", shape_.envelopes},
                            {"branches", shape_.branches},
                            {"stages", shape_.stages},
                            {"work", shape_.work},
                            {"capacity", shape_.capacity},
                            {"others_heap", others_heap_ != nullptr ? others_heap_->name : "mxk"}});
    }

    // Of what the pipe makes of the join's rows.
    [[nodiscard]] std::uint64_t check_sum() const {
        RowSteps const pipe = RowSteps::of(std::uint64_t{shape_.stages} * shape_.work);
        return pipe.factor * shape_.check_sum() + pipe.summand * shape_.all_rows();
    }
    Result<void> make_model(dataflow::Model& model) const {
        auto last = begin_graph(model, shape_);
        for (std::uint32_t stage = 0; stage < shape_.stages; ++stage)
            last = append(model, last, model.add<StageBox>("pipe", shape_.branches, stage));
        last = append(model, last, model.add<dataflow::SortBox>("sort", shape_.rows));
        append(model, last, model.add<SortedSinkBox>("sink"));
        return model.check();
    }

    GraphShape shape_{};
    HeapKind const* others_heap_ = nullptr;
};
constexpr auto mix_benchmark = benchmark<MixBench, mix_schema>(
    {.summary = "rows per second of requests: graphs with a fork, a pipe and a sort, several at a time",
     .notes = "Example: bench dataflow mix --requests 16x4 --cores 2 --discipline requests,original\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, mix_benchmark);

} // namespace
} // namespace mxk::bench

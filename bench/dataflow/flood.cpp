// `bench dataflow flood`: many equal requests at once (B3). A scheduler that begins them all needs memory for all; one
// that begins a request when nothing else is to be done needs as much as its cores do. What is left afterwards has to
// be nothing.
#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/graph_boxes.hpp"
#include "kernel/memory/heap/heap_statistics.hpp"
#include "tasks/dataflow/graph/sort_box.hpp"

namespace mxk::bench {
namespace {

struct FloodOptions : DataflowOptions {
    console::CountList requests{10, 100, 1000};
    std::uint32_t envelopes = 8;
    std::uint32_t rows = 1024;
    std::uint32_t work = 4;
};

constexpr auto flood_schema = dataflow_schema<FloodOptions>(
    console::option<&FloodOptions::requests>("requests", "at once", console::between(1, 1'000'000)),
    console::option<&FloodOptions::envelopes>("envelopes", "of a request", console::between(1, 1'000'000)),
    console::option<&FloodOptions::rows>("rows", "of an envelope, 8 bytes each", console::between(1, 10'000'000)),
    console::option<&FloodOptions::work>("work", "multiplications for each row in each stage",
                                         console::between(0, 10'000)));

constexpr std::array flood_claims{
    Claim{.statement = "as many requests are active as there are cores, or fewer",
          .bound = Bound::up_to(1),
          .left = {.of = "requests", .finding = "active_by_cores"}},
    Claim{.statement = "nothing is left in memory",
          .bound = Bound::exactly(0),
          .left = {.of = "requests", .finding = "leaked_bytes"}},
};

// A request that notes which one it is to end.
struct FloodQuery : GraphQuery {
    FloodQuery(dataflow::Model const& model, GraphShape const& its_shape, std::atomic<std::uint32_t>& order,
               Ends& its_ends)
        : GraphQuery(model, its_shape, its_ends) {
        before_end = [](dataflow::CoreScheduler&, WaitedQuery& query, void* ended) {
            static_cast<FloodQuery&>(query).place =
                static_cast<std::atomic<std::uint32_t>*>(ended)->fetch_add(1, std::memory_order_relaxed);
        };
        context = &order;
    }
    std::uint32_t place = 0;
};

// Bytes in use, once all cores have given back what was freed.
std::uint64_t settled_bytes() {
    heap::trim_all();
    return heap::counts().live_bytes;
}

// What came of a number of requests.
struct Flood {
    double seconds = 0;
    double max_active = 0;
    double out_of_order = 0; // requests that ended before an older one
    std::uint64_t peak = 0;  // bytes in use, as far as it was seen
    bool is_right = true;
};

constexpr DataflowPlan flood_plan{.name = "dataflow flood", .disciplines = all_disciplines, .claims = flood_claims};

class FloodBench final : public DataflowBench<FloodOptions, flood_plan> {
  public:
    using DataflowBench::DataflowBench;

  private:
    void add_axes() override { add(Axis::of("requests", 8, options_.requests.values())); }

    Result<void> run_flow(DataflowRun const& run) override {
        std::size_t const count = options_.requests.values()[run.point[first_axis]];
        dataflow::Model model;
        MXK_TRY(make_model(model));
        auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
        MXK_TRY(flood(run, *scheduler, model, std::min<std::size_t>(count, 10))); // pools grow once
        std::uint64_t const before = settled_bytes();
        Flood const done = MXK_TRY(flood(run, *scheduler, model, count));
        std::uint64_t const after = settled_bytes();
        Sample& sample = run.sample;
        sample.value = done.seconds * 1e9 / static_cast<double>(count);
        sample.operations = count;
        sample.findings.add("max_active", done.max_active);
        sample.findings.add("active_by_cores", done.max_active / static_cast<double>(run.cores.size()));
        sample.findings.add("peak_kib", static_cast<double>(std::max(done.peak, before) - before) / KiB);
        sample.findings.add("leaked_bytes", static_cast<double>(after) - static_cast<double>(before));
        sample.findings.add("out_of_order", done.out_of_order);
        bool const is_ordered =
            run.cores.size() != 1 || run.scheduler.discipline != Discipline::Requests || done.out_of_order == 0;
        sample.verified = done.is_right && after <= before && is_ordered;
        return {};
    }
    void print_what(TextSink& out) const override {
        format(out, "requests of {} envelopes of {} rows, which are sorted", shape_.envelopes, shape_.rows);
    }
    void write_options(JsonWriter& json, Point const& /*point*/) const override {
        write_fields(json, {{"envelopes", shape_.envelopes}, {"rows", shape_.rows}, {"work", shape_.work}});
    }

    // A graph that holds memory until its end: all rows are collected and sorted.
    Result<void> make_model(dataflow::Model& model) const {
        auto const last = begin_graph(model, shape_);
        auto const sort = append(model, last, model.add<dataflow::CollectingSortBox>("sort", shape_.rows));
        append(model, sort, model.add<SinkBox>("sink"));
        return model.check();
    }
    Result<Flood> flood(DataflowRun const& run, dataflow::Scheduler& scheduler, dataflow::Model const& model,
                        std::size_t count) const {
        constexpr Nanoseconds look_every{500'000};
        Ends ends(count);
        std::atomic<std::uint32_t> order{0};
        auto queries = MXK_TRY(make_requests<FloodQuery>(count, ends, model, shape_, order));
        Flood done;
        Cycles const start = clock::timestamp();
        for (FloodQuery& query : queries) scheduler.submit(query);
        // The memory in use is looked at now and then: each look is a call to every core, between its tasks.
        MXK_TRY(wait_and_look(ends, queries, run.progress, look_every,
                              [&] { done.peak = std::max(done.peak, heap::counts().live_bytes); }));
        done.seconds = seconds_of(clock::timestamp() - start);
        done.max_active = scheduler.max_active();
        std::uint32_t latest = 0; // of the places up to there
        done.is_right =
            MXK_TRY(are_all_right(queries, [&](FloodQuery const& query) { return query.done.is_right(shape_); }));
        for (FloodQuery const& query : queries) {
            if (query.place < latest) ++done.out_of_order;
            latest = std::max(latest, query.place);
        }
        return done;
    }

    GraphShape shape_{.envelopes = options_.envelopes, .rows = options_.rows, .stages = 2, .work = options_.work};
};
constexpr auto flood_benchmark = benchmark<FloodBench, flood_schema>(
    {.summary = "many requests at once: time, how many are active, memory, what is left",
     .notes = "peak_kib is looked at every half a millisecond: short runs may have more.\n"
              "Example: bench dataflow flood --requests 10,100,1000 --cores 1,2 --discipline requests,one-fifo\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, flood_benchmark);

} // namespace
} // namespace mxk::bench

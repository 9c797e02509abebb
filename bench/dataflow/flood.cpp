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

constexpr auto flood_schema = console::schema<FloodOptions>(
    dataflow_option::disciplines, core_set_option::cores,
    console::option<&FloodOptions::requests>("requests", "at once", console::between(1, 1'000'000)),
    console::option<&FloodOptions::envelopes>("envelopes", "of a request", console::between(1, 1'000'000)),
    console::option<&FloodOptions::rows>("rows", "of an envelope, 8 bytes each", console::between(1, 10'000'000)),
    console::option<&FloodOptions::work>("work", "multiplications for each row in each stage",
                                         console::between(0, 10'000)),
    dataflow_option::sleep_rule, dataflow_option::reruns_bound, dataflow_option::steals_first,
    dataflow_option::patience, dataflow_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

constexpr std::array flood_claims{
    DataflowClaim{"as many requests are active as there are cores, or fewer", DataflowClaim::Kind::FindingIsUpTo,
                  "active_by_cores", 1},
    DataflowClaim{"nothing is left in memory", DataflowClaim::Kind::FindingIs, "leaked_bytes", 0},
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

struct FloodBench {
    using Options = FloodOptions;
    static constexpr std::string_view name = "dataflow flood";
    static constexpr Unit unit = Unit::NanosecondsPerOperation;
    static constexpr DisciplineSet default_disciplines = all_disciplines;
    static constexpr bool has_peers = false;

    explicit FloodBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        shape = {.envelopes = options.envelopes, .rows = options.rows, .stages = 2, .work = options.work};
        return {};
    }
    [[nodiscard]] std::size_t points() const { return options.requests.values().size(); }
    static constexpr std::span<DataflowClaim const> claims() { return flood_claims; }
    static bool is_judged(DataflowClaim const& /*claim*/, std::size_t /*point*/) { return true; }

    Result<void> run(DataflowRun const& run) const {
        std::size_t const count = options.requests.values()[run.point];
        dataflow::Model model;
        MXK_TRY(make_model(model));
        auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
        MXK_TRY(flood(run, *scheduler, model, std::min<std::size_t>(count, 10), nullptr)); // pools grow once
        std::uint64_t const before = settled_bytes();
        Did did;
        MXK_TRY(flood(run, *scheduler, model, count, &did));
        std::uint64_t const after = settled_bytes();
        Sample& sample = run.sample;
        sample.value = did.seconds * 1e9 / static_cast<double>(count);
        sample.operations = count;
        sample.findings.add("max_active", did.max_active);
        sample.findings.add("active_by_cores", did.max_active / static_cast<double>(run.cores.size()));
        sample.findings.add("peak_kib", static_cast<double>(std::max(did.peak, before) - before) / KiB);
        sample.findings.add("leaked_bytes", static_cast<double>(after) - static_cast<double>(before));
        sample.findings.add("out_of_order", did.out_of_order);
        bool const is_ordered =
            run.cores.size() != 1 || run.scheduler.discipline != Discipline::Requests || did.out_of_order == 0;
        sample.verified = did.is_right && after <= before && is_ordered;
        return {};
    }

    void print_head(TextSink& out) const {
        format(out, "requests of {} envelopes of {} rows, which are sorted", shape.envelopes, shape.rows);
    }
    static void print_heading(TextSink& out) { format(out, " {:>8}", "requests"); }
    void print_point(TextSink& out, std::size_t point) const { format(out, " {:8}", options.requests.values()[point]); }
    void write_point(JsonWriter& json, std::size_t point) const {
        json.field("requests", options.requests.values()[point]);
        json.field("envelopes", shape.envelopes);
        json.field("rows", shape.rows);
        json.field("work", shape.work);
    }

    Options options;
    GraphShape shape{};

  private:
    struct Did {
        double seconds = 0;
        double max_active = 0;
        double out_of_order = 0; // requests that ended before an older one
        std::uint64_t peak = 0;  // bytes in use, as far as it was seen
        bool is_right = true;
    };

    // A graph that holds memory until its end: all rows are collected and sorted.
    Result<void> make_model(dataflow::Model& model) const {
        auto const last = begin_graph(model, shape);
        auto const sort = model.add<dataflow::CollectingSortBox>("sort", shape.rows);
        model.connect(last, sort);
        model.connect(sort, model.add<SinkBox>("sink"));
        return model.check();
    }

    Result<void> flood(DataflowRun const& run, dataflow::Scheduler& scheduler, dataflow::Model const& model,
                       std::size_t count, Did* did) const {
        constexpr Nanoseconds look_every{500'000};
        Ends ends(count);
        std::atomic<std::uint32_t> order{0};
        auto queries = MXK_TRY(make_requests<FloodQuery>(count, ends, model, shape, order));
        Cycles const start = clock::timestamp();
        for (FloodQuery& query : queries) scheduler.submit(query);
        // The memory in use is looked at now and then: each look is a call to every core, between its tasks.
        std::uint64_t peak = 0;
        bool is_cancelled = false;
        while (!ends.are_there()) {
            work_until(clock::timestamp() + clock::to_cycles(look_every), [&] { return ends.are_there(); });
            if (did != nullptr) peak = std::max(peak, heap::counts().live_bytes);
            if (is_cancelled || !run.progress.interrupted()) continue;
            is_cancelled = true;
            for (FloodQuery& query : queries) query.cancel();
        }
        Cycles const end = clock::timestamp();
        MXK_TRY(run.progress.check());
        if (did == nullptr) return {};
        did->seconds = static_cast<double>(raw(end - start)) / static_cast<double>(clock::frequency());
        did->max_active = scheduler.max_active();
        did->peak = peak;
        std::uint32_t latest = 0; // of the places up to there
        did->is_right =
            MXK_TRY(are_all_right(queries, [&](FloodQuery const& query) { return query.done.is_right(shape); }));
        for (FloodQuery const& query : queries) {
            if (query.place < latest) ++did->out_of_order;
            latest = std::max(latest, query.place);
        }
        return {};
    }
};
constexpr auto flood_benchmark = benchmark<DataflowExperiment<FloodBench>, flood_schema>(
    {.summary = "many requests at once: time, how many are active, memory, what is left",
     .notes = "peak_kib is looked at every half a millisecond: short runs may have more.\n"
              "Example: bench dataflow flood --requests 10,100,1000 --cores 1,2 --discipline requests,one-fifo\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, flood_benchmark);

} // namespace
} // namespace mxk::bench

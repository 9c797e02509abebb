#include "bench/dataflow/graph_runs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "bench/dataflow/graph_boxes.hpp"
#include "bench/frame/statistics.hpp"
#include "kernel/memory/heap/heap_statistics.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"
#include "tasks/dataflow/graph/graph_memory.hpp"

namespace mxk::bench {
namespace {

double nanoseconds_of(double cycles) {
    return cycles * 1e9 / static_cast<double>(clock::frequency());
}

// Requests of the shape, one after the other, ours or a peer's; then, where it is wanted, one whose boxes are
// timed. note(scheduler, query) is called of each of ours.
template <typename Note>
Result<void> run_requests(DataflowRun const& run, std::span<GraphResult> results, GraphResult* timed, Note note) {
    GraphShape timed_shape = run.shape;
    timed_shape.is_timed = true;
    if (run.system.peer != nullptr) {
        MXK_TRY(run.system.peer->run(run.shape, run.cores, results));
        if (timed != nullptr) MXK_TRY(run.system.peer->run(timed_shape, run.cores, {timed, 1}));
        return {};
    }
    dataflow::Model model;
    MXK_TRY(run.bench.make_model(model, run.point));
    auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
    auto const run_one = [&](GraphShape const& its_shape, GraphResult& result) {
        return run_graph(*scheduler, model, its_shape, run.progress, [&](GraphQuery const& query) {
            result = query.done;
            note(*scheduler, query);
        });
    };
    for (GraphResult& result : results) MXK_TRY(run_one(run.shape, result));
    if (timed != nullptr) MXK_TRY(run_one(timed_shape, *timed));
    return {};
}

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

// note(scheduler, plan, seconds): at the end.
template <typename Note> Result<void> run_stream_of(DataflowRun const& run, Note note) {
    RequestPlan const plan = run.bench.plan_at(run.point);
    // Before all that has memory of it.
    OtherGraphMemory const memory(run.system.discipline == Discipline::Requests ? nullptr : run.bench.others_heap());
    dataflow::Model model;
    MXK_TRY(run.bench.make_model(model, run.point));
    auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
    auto queries = MXK_TRY(make_requests<StreamedQuery>(plan.requests(), model, run.shape));
    Cycles const start = clock::timestamp();
    MXK_TRY(run_stream(*scheduler, queries.span(), plan.at_once, run.progress));
    double const seconds = seconds_of(clock::timestamp() - start);
    run.sample.verified = MXK_TRY(
        are_all_right(queries, [&](GraphQuery const& query) { return run.bench.is_right(run.shape, query.done); }));
    run.sample.operations = plan.requests() * run.shape.all_rows();
    run.sample.value = static_cast<double>(run.sample.operations) / seconds;
    note(*scheduler, plan, seconds);
    return {};
}

// A request of a flood: notes which one it is to end.
struct FloodQuery : GraphQuery {
    FloodQuery(dataflow::Model const& model, GraphShape const& its_shape, std::atomic<std::uint32_t>& its_order)
        : GraphQuery(model, its_shape,
                     [](dataflow::CoreScheduler&, Query& query) {
                         auto& self = static_cast<FloodQuery&>(query);
                         self.place = self.order.fetch_add(1, std::memory_order_relaxed);
                     })
        , order(its_order) {}
    std::atomic<std::uint32_t>& order;
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
    double max_late = 0;     // places that a request ended behind its own
    std::uint64_t peak = 0;  // bytes in use, as far as it was seen
    bool is_right = true;
};

Result<Flood> flood(DataflowRun const& run, dataflow::Scheduler& scheduler, dataflow::Model const& model,
                    std::size_t count) {
    constexpr Nanoseconds look_every{500'000};
    std::atomic<std::uint32_t> order{0};
    auto queries = MXK_TRY(make_requests<FloodQuery>(count, model, run.shape, order));
    Flood done;
    Cycles const start = clock::timestamp();
    for (FloodQuery& query : queries) scheduler.submit(query);
    // The memory in use is looked at now and then: each look is a call to every core, between its tasks.
    MXK_TRY(wait_and_look(queries, run.progress, look_every,
                          [&] { done.peak = std::max(done.peak, heap::counts().live_bytes); }));
    done.seconds = seconds_of(clock::timestamp() - start);
    done.max_active = scheduler.max_active();
    std::uint32_t latest = 0; // of the places up to there
    done.is_right =
        MXK_TRY(are_all_right(queries, [&](FloodQuery const& query) { return query.done.is_right(run.shape); }));
    std::uint32_t own_place = 0;
    for (FloodQuery const& query : queries) {
        if (query.place < latest) ++done.out_of_order;
        latest = std::max(latest, query.place);
        done.max_late = std::max(done.max_late, static_cast<double>(query.place) - own_place++);
    }
    return done;
}

} // namespace

Result<void> run_alone(DataflowRun const& run) {
    std::array<GraphResult, 1> results;
    std::array<double, 3> counted{}; // of ours
    MXK_TRY(run_requests(run, results, nullptr, [&](dataflow::Scheduler const& scheduler, GraphQuery const& query) {
        auto const edges = query.edge_counts();
        counted = {100 * static_cast<double>(edges.rejected) / static_cast<double>(edges.envelopes),
                   static_cast<double>(edges.max_fill), SchedulerCounts(scheduler).stolen_percent()};
    }));
    Sample& sample = run.sample;
    double const seconds = seconds_of(results[0].end - results[0].start);
    sample.value = static_cast<double>(run.shape.all_rows()) / seconds;
    sample.operations = run.shape.all_rows();
    sample.verified = results[0].is_right(run.shape);
    sample.findings.add("ns_per_box_run",
                        seconds * 1e9 / (run.shape.boxes() * static_cast<double>(run.shape.envelopes)));
    if (run.system.peer != nullptr) return {};
    sample.findings.add("rejected_pct", counted[0]);
    sample.findings.add("max_fill", counted[1]);
    sample.findings.add("stolen_pct", counted[2]);
    return {};
}

Result<void> run_in_turn(DataflowRun const& run) {
    std::uint32_t const requests = run.options.requests;
    auto results = MXK_TRY(NodeVector<GraphResult>::create(requests, Worker::current().node()));
    for (std::uint32_t i = 0; i < requests; ++i) results.emplace();
    GraphResult timed;
    double branch_changes = 0; // of the one that is timed
    MXK_TRY(run_requests(run, results.span(), &timed,
                         [&](dataflow::Scheduler const& /*scheduler*/, GraphQuery const& query) {
                             branch_changes = query.branch_changes.load(std::memory_order_relaxed);
                         }));
    double cycles = 0;
    bool is_right = timed.is_right(run.shape);
    for (GraphResult const& result : results) {
        cycles += static_cast<double>(raw(result.end - result.start));
        is_right = is_right && result.is_right(run.shape);
    }
    Sample& sample = run.sample;
    sample.value = nanoseconds_of(cycles / requests);
    sample.operations = requests;
    sample.verified = is_right;
    sample.findings.add("time_by_ideal", cycles / requests / timed.ideal(run.cores.size(), run.shape.envelopes));
    if (run.system.peer == nullptr) sample.findings.add("branch_changes", branch_changes / run.shape.envelopes);
    return {};
}

Result<void> run_streamed(DataflowRun const& run) {
    return run_stream_of(run, [](dataflow::Scheduler const&, RequestPlan const&, double /*seconds*/) {});
}

Result<void> run_mixed(DataflowRun const& run) {
    return run_stream_of(run, [&](dataflow::Scheduler const& scheduler, RequestPlan const& plan, double seconds) {
        Findings& findings = run.sample.findings;
        findings.add("ms_per_request", seconds * 1e3 / static_cast<double>(plan.requests()));
        findings.add("max_active", scheduler.max_active());
        SchedulerCounts const counts(scheduler);
        findings.add("stolen_pct", counts.stolen_percent());
        findings.add("sleeps", static_cast<double>(counts.sleeps));
    });
}

Result<void> run_flood(DataflowRun const& run) {
    std::size_t const count = run.bench.value_at(run.point);
    dataflow::Model model;
    MXK_TRY(run.bench.make_model(model, run.point));
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
    sample.findings.add("max_late", done.max_late);
    bool const is_ordered =
        run.cores.size() != 1 || run.scheduler.discipline != Discipline::Requests || done.out_of_order == 0;
    sample.verified = done.is_right && after <= before && is_ordered;
    return {};
}

Result<void> run_staggered(DataflowRun const& run) {
    dataflow::Model model;
    MXK_TRY(run.bench.make_model(model, run.point));
    auto const scheduler = MXK_TRY(dataflow::Scheduler::create(run.cores, run.scheduler));
    std::array<double, 7> times{}; // cycles of one that is alone
    for (double& time : times) {
        Cycles const start = clock::timestamp();
        MXK_TRY(run_graph(*scheduler, model, run.shape, run.progress,
                          [&](GraphQuery const& query) { time = static_cast<double>(raw(query.done.end - start)); }));
    }
    double const alone = percentile(times, 50);
    std::size_t const count = run.options.requests;
    NodeId const here = Worker::current().node();
    auto queries = MXK_TRY(make_requests<GraphQuery>(count, model, run.shape));
    auto came = MXK_TRY(NodeVector<Cycles>::create(count, here));
    auto took = MXK_TRY(NodeVector<double>::create(count, here));
    auto const interval = static_cast<Cycles>(static_cast<std::uint64_t>(alone * run.options.interval / 100));
    Cycles due = clock::timestamp();
    for (GraphQuery& query : queries) {
        work_until(due);
        came.emplace(due); // what it waits because its core is late is part of it
        scheduler->submit(query);
        due = due + interval;
    }
    MXK_TRY(wait_for_all(queries, run.progress));
    Sample& sample = run.sample;
    sample.verified =
        MXK_TRY(are_all_right(queries, [&](GraphQuery const& query) { return query.done.is_right(run.shape); }));
    for (std::size_t i = 0; i < count; ++i) took.emplace(static_cast<double>(raw(queries[i].done.end - came[i])));
    double const first = percentile(took.span().first(count / 10), 50);
    double const last = percentile(took.span().last(count / 10), 50);
    sample.value = nanoseconds_of(percentile(took.span(), 50));
    sample.operations = count;
    sample.findings.add("alone_us", nanoseconds_of(alone) / 1e3);
    sample.findings.add("first_us", nanoseconds_of(first) / 1e3);
    sample.findings.add("last_us", nanoseconds_of(last) / 1e3);
    sample.findings.add("max_us", nanoseconds_of(percentile(took.span(), 100)) / 1e3);
    sample.findings.add("first_by_alone", first / alone);
    sample.findings.add("max_active", scheduler->max_active());
    return {};
}

void conclude_sizes(TextSink& out, DataflowExperiment const& bench, std::span<Row const> rows) {
    for (std::size_t first = 0; first < rows.size(); first += bench.values().size()) {
        Row const* best = nullptr;
        Row const* recommended = nullptr;
        for (Row const& row : rows.subspan(first, bench.values().size())) {
            if (row.value.n == 0) continue;
            if (best == nullptr || row.value.median > best->value.median) best = &row;
            if (bench.value_at(bench.point_of(row)) == dataflow::recommended_bytes()) recommended = &row;
        }
        if (best == nullptr || recommended == nullptr) continue;
        format(out, "{}: the recommended size does {:.2} of the best one, {} KiB\n",
               bench.name_at(DataflowExperiment::ways_axis, bench.point_of(*best)[DataflowExperiment::ways_axis]),
               recommended->value.median / best->value.median, bench.value_at(bench.point_of(*best)) / KiB);
    }
}

} // namespace mxk::bench

// `bench heap replay`: a recorded trace of allocations (heap_trace.hpp) again. Each core does what one of the trace's
// did, in its order, as fast as it can; only for an object that another core has not allocated yet it waits. Where a
// set has fewer cores, one of them does what several did.
#include <algorithm>
#include <atomic>
#include <span>
#include <string_view>

#include "bench/heap/heap_experiment.hpp"
#include "bench/heap/heap_trace.hpp"

namespace mxk::bench {
namespace {

struct TracePart : ReplayPart {
    NodeVector<ReplayStep> room; // of `steps`
};

// To each core what those of the trace did whose turn it takes.
Result<PerCore<TracePart>> deal(HeapTrace const& trace, std::span<CoreId const> cores,
                                std::span<std::atomic<std::uint64_t*>> objects) {
    auto counts = MXK_TRY(NodeArray<std::size_t>::create_zeroed(cores.size(), Worker::current().node()));
    for (auto const& event : trace.events()) ++counts[event.core % cores.size()];
    auto const fill = [&](TracePart& part, std::size_t place, NodeId node) -> Result<void> {
        part.room = MXK_TRY(NodeVector<ReplayStep>::create(counts[place], node));
        part.objects = objects;
        return {};
    };
    auto parts = MXK_TRY(make_parts<TracePart>(cores, fill));
    for (auto const& event : trace.events()) parts[event.core % cores.size()].room.emplace(event.step);
    for (TracePart& part : parts) part.steps = part.room.span();
    return parts;
}

// Those that the trace leaves live, and where the replay has ended early, those that it has got to.
void free_rest(HeapTrace const& trace, HeapRun const& run, std::span<std::atomic<std::uint64_t*>> objects,
               HeapFindings& found) {
    for (auto const& event : trace.events())
        if (!event.step.is_free)
            free_checked(run,
                         {objects[event.step.object].load(std::memory_order_relaxed),
                          word_of(event.step.object, event.step.bytes)},
                         found);
}

} // namespace

Result<void> replay_trace(HeapTrace const& trace, HeapRun const& run) {
    auto const used = run.cores.first(std::min(run.cores.size(), trace.cores()));
    NodeId const here = Worker::current().node();
    auto objects = MXK_TRY(NodeVector<std::atomic<std::uint64_t*>>::create(trace.allocations(), here));
    for (std::size_t i = 0; i < trace.allocations(); ++i) objects.emplace(nullptr);
    auto parts = MXK_TRY(deal(trace, used, objects.span()));
    // Nothing of resident memory: what reading the trace has touched of the nodes' is in use already, and MXK's, not
    // others'.
    auto const measured = time_parts(used, run.progress, parts, [&](TracePart& part, std::size_t) {
        if (part.at == part.steps.size()) return HeapStep::Ended;
        return run.workloads().replay(part) != 0 ? HeapStep::Moved : HeapStep::Waited;
    });
    free_rest(trace, run, objects.span(), parts[0]);
    return fill_sample(run.samples[0], trace.events().size(), parts, measured);
}

namespace {

constexpr HeapScenario replay_scenario{
    .name = "heap replay",
    .summary = "a recorded trace of allocations",
    .notes = "Example: bench heap replay heap.trace --cores 1,2 --json\n",
    .complete = [](HeapOptions& options, HeapTrace& trace) -> Result<void> {
        if (options.trace.empty()) return Error("expected the name of a trace, such as 'bench heap replay heap.trace'");
        auto read = HeapTrace::read(options.trace, Worker::current().node());
        if (!read) return Error::of("{}: {}", options.trace, read.error().message());
        trace = std::move(read).value();
        return {};
    },
    .run = [](HeapOptions const&, HeapRun const& run) { return replay_trace(*run.trace, run); },
    .print_what =
        [](TextSink& out, HeapOptions const& options, HeapTrace const& trace) {
            format(out,
                   "{}: {} events of {} cores (of a set of N, core K does those of K, K + N, ...; without any it is "
                   "idle), {} allocations, up to {} live bytes",
                   options.trace, trace.events().size(), trace.cores(), trace.allocations(), trace.max_live_bytes());
        },
    .write_what =
        [](JsonWriter& json, HeapOptions const& options, Point const&, HeapTrace const& trace) {
            write_fields(json, {{"trace", options.trace},
                                {"events", trace.events().size()},
                                {"allocations", trace.allocations()},
                                {"trace_cores", trace.cores()},
                                {"max_live_bytes", trace.max_live_bytes()}});
        }};
constexpr auto replay_schema = console::schema<HeapBench<replay_scenario>::Options>(
    console::positional<&HeapChoices::trace>("trace",
                                             "a file, or a module, of lines 'CORE a|f OBJECT BYTES' behind "
                                             "'mxk-heap-trace 1'",
                                             console::file_name),
    heap_option::heaps, core_set_option::cores, run_option::all);
constexpr auto replay_benchmark = heap_benchmark<replay_scenario, replay_schema>();
MXK_REGISTER(mxk_commands, console::Command, replay_benchmark);

} // namespace
} // namespace mxk::bench

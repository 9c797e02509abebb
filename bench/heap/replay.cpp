// `bench heap replay`: a recorded trace of allocations (heap_trace.hpp) again. Each core does what one of the trace's
// did, in its order, as fast as it can; only for an object that another core has not allocated yet it waits. Where a
// set has fewer cores, one of them does what several did.
#include <algorithm>
#include <atomic>
#include <span>
#include <string_view>

#include "bench/heap/heap_experiment.hpp"
#include "bench/heap/heap_trace.hpp"
#include "bench/heap/timed_steps.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

struct Part {
    ReplayPart replay;
    NodeVector<ReplayStep> steps;
};

// To each core what those of the trace did whose turn it takes.
Result<PerCore<Part>> deal(HeapTrace const& trace, std::span<CoreId const> cores) {
    NodeId const here = Worker::current().node();
    auto counts = MXK_TRY(NodeArray<std::size_t>::create_zeroed(cores.size(), here));
    for (auto const& event : trace.events()) ++counts[event.core % cores.size()];
    auto parts = MXK_TRY(PerCore<Part>::with_room(cores.size(), here));
    for (std::size_t place = 0; place < cores.size(); ++place) {
        NodeId const node = workers::of(cores[place]).node();
        Part& part = *MXK_TRY(parts.add(node));
        part.steps = MXK_TRY(NodeVector<ReplayStep>::create(counts[place], node));
    }
    for (auto const& event : trace.events()) parts[event.core % cores.size()].steps.emplace(event.step);
    for (Part& part : parts) part.replay.steps = part.steps.span();
    return parts;
}

// Those that the trace leaves live, and where the replay has ended early, those that it has got to. How many did
// not hold what they had to.
std::uint64_t free_rest(HeapTrace const& trace, HeapRun const& run, std::span<std::atomic<std::uint64_t*>> objects) {
    std::uint64_t wrong = 0;
    for (auto const& event : trace.events()) {
        if (event.step.is_free) continue;
        std::uint64_t* const place = objects[event.step.object].load(std::memory_order_relaxed);
        if (place == nullptr) continue;
        if (!holds_word(place, word_of(event.step.object, event.step.bytes))) ++wrong;
        run.kind.workloads.deallocate(place, event.step.bytes);
    }
    return wrong;
}

} // namespace

Result<void> replay_trace(HeapTrace const& trace, HeapRun const& run) {
    auto const used = run.cores.first(std::min(run.cores.size(), trace.cores()));
    NodeId const here = Worker::current().node();
    auto objects = MXK_TRY(NodeVector<std::atomic<std::uint64_t*>>::create(trace.allocations(), here));
    for (std::size_t i = 0; i < trace.allocations(); ++i) objects.emplace(nullptr);
    auto parts = MXK_TRY(deal(trace, used));
    for (Part& part : parts) part.replay.objects = objects.span();
    run.resident.begin();
    std::atomic<bool> is_over{false}; // for all: one has no memory
    auto const measured = time_turns(used, run.progress, [&](std::size_t place) {
        ReplayPart& part = parts[place].replay;
        if (part.at == part.steps.size() || is_over.load(std::memory_order_relaxed)) return HeapStep::Ended;
        std::size_t const done = run.kind.workloads.replay(part);
        if (part.has_no_memory) is_over.store(true, std::memory_order_relaxed);
        return done != 0 ? HeapStep::Moved : HeapStep::Waited;
    });
    std::uint64_t wrong = free_rest(trace, run, objects.span());
    for (Part const& part : parts) {
        if (part.replay.has_no_memory) return no_memory_for_objects();
        wrong += part.replay.wrong;
    }
    TimeSpan const time = MXK_TRY(measured);
    Sample& sample = run.samples[0];
    sample.value = static_cast<double>(trace.events().size()) / time.seconds();
    sample.operations = trace.events().size();
    sample.verified = wrong == 0;
    return {};
}

namespace {

struct ReplayOptions : HeapOptions {
    std::string_view trace{};
};

constexpr auto replay_schema = console::schema<ReplayOptions>(
    console::positional<&ReplayOptions::trace>("trace", "a file, or a module, of lines 'CORE a|f OBJECT BYTES' behind "
                                                        "'mxk-heap-trace 1'"),
    heap_option::heaps, core_set_option::cores, run_option::repeat, run_option::warm_up, run_option::json);

struct ReplayBench {
    using Options = ReplayOptions;
    static constexpr std::string_view name = "heap replay";
    static constexpr Unit unit = Unit::OperationsPerSecond;

    explicit ReplayBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        if (options.trace.empty()) return Error("expected the name of a trace, such as 'bench heap replay heap.trace'");
        auto read = HeapTrace::read(options.trace, Worker::current().node());
        if (!read) return Error::of("{}: {}", options.trace, read.error().message());
        trace = std::move(read).value();
        return {};
    }
    static constexpr std::size_t points() { return 1; }
    static constexpr std::size_t phases() { return 1; }
    static constexpr std::span<HeapClaim const> claims() { return {}; }
    static bool is_judged(HeapClaim const& /*claim*/, std::size_t /*point*/) { return false; }

    [[nodiscard]] Result<void> run(HeapRun const& run) const { return replay_trace(trace, run); }

    void print_head(TextSink& out) const {
        format(out, "{}: {} events of {} cores, {} allocations, up to {} live bytes", options.trace,
               trace.events().size(), trace.cores(), trace.allocations(), trace.max_live_bytes());
    }
    static void print_heading(TextSink& /*out*/) {}
    static void print_point(TextSink& /*out*/, std::size_t, std::size_t) {}
    void write_point(JsonWriter& json, std::size_t /*point*/, std::size_t /*phase*/) const {
        json.field("trace", options.trace);
        json.field("events", trace.events().size());
        json.field("allocations", trace.allocations());
        json.field("trace_cores", trace.cores());
        json.field("max_live_bytes", trace.max_live_bytes());
    }

    Options options;
    HeapTrace trace;
};
constexpr auto replay_benchmark = benchmark<HeapExperiment<ReplayBench>, replay_schema>(
    {.summary = "a recorded trace of allocations",
     .notes = "Example: bench heap replay heap.trace --cores 1,2 --json\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, replay_benchmark);

} // namespace
} // namespace mxk::bench

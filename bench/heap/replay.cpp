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
    run.resident.begin();
    auto const measured = time_parts(used, run.progress, parts, [&](TracePart& part, std::size_t) {
        if (part.at == part.steps.size()) return HeapStep::Ended;
        return run.workloads().replay(part) != 0 ? HeapStep::Moved : HeapStep::Waited;
    });
    free_rest(trace, run, objects.span(), parts[0]);
    return fill_sample(run.samples[0], trace.events().size(), parts, measured);
}

namespace {

struct ReplayOptions : HeapOptions {
    std::string_view trace{};
};

constexpr auto replay_schema = console::schema<ReplayOptions>(
    console::positional<&ReplayOptions::trace>("trace", "a file, or a module, of lines 'CORE a|f OBJECT BYTES' behind "
                                                        "'mxk-heap-trace 1'"),
    heap_option::heaps, core_set_option::cores, run_option::repeat, run_option::warm_up, run_option::json);

constexpr std::string_view replay_name = "heap replay";

class ReplayBench final : public HeapBench<ReplayOptions, replay_name> {
  public:
    using HeapBench::HeapBench;

  private:
    Result<void> complete() override {
        if (options_.trace.empty())
            return Error("expected the name of a trace, such as 'bench heap replay heap.trace'");
        auto read = HeapTrace::read(options_.trace, Worker::current().node());
        if (!read) return Error::of("{}: {}", options_.trace, read.error().message());
        trace_ = std::move(read).value();
        return {};
    }
    Result<void> run_heap(HeapRun const& run) override { return replay_trace(trace_, run); }

    void print_what(TextSink& out) const override {
        format(out, "{}: {} events of {} cores, {} allocations, up to {} live bytes", options_.trace,
               trace_.events().size(), trace_.cores(), trace_.allocations(), trace_.max_live_bytes());
    }
    void write_what(JsonWriter& json, Point const& /*point*/) const override {
        write_fields(json, {{"trace", options_.trace},
                            {"events", trace_.events().size()},
                            {"allocations", trace_.allocations()},
                            {"trace_cores", trace_.cores()},
                            {"max_live_bytes", trace_.max_live_bytes()}});
    }

    HeapTrace trace_;
};
constexpr auto replay_benchmark =
    benchmark<ReplayBench, replay_schema>({.summary = "a recorded trace of allocations",
                                                .notes = "Example: bench heap replay heap.trace --cores 1,2 --json\n",
                                                .parent = "bench heap",
                                                .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, replay_benchmark);

} // namespace
} // namespace mxk::bench

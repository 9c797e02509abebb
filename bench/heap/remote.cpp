// `bench heap remote`: objects that one core allocates and another one frees, as of a producer and its consumer, or of
// all cores with all others (xmalloc: C. Lever and D. Boreham, malloc() Performance in a Multithreaded Linux
// Environment, 2000). They travel in bounded rings; a core that finds one full, or nothing in those to it, lets its
// other tasks run. On one core the two parts of a pair take turns.
#include <array>
#include <atomic>
#include <span>

#include "bench/heap/heap_experiment.hpp"
#include "bench/heap/timed_steps.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

enum class RemotePattern : std::uint8_t { Pairs, AllToAll };
constexpr auto value_names(RemotePattern) {
    return std::array{console::NamedValue{RemotePattern::Pairs, "pairs"},
                      console::NamedValue{RemotePattern::AllToAll, "all-to-all"}};
}

namespace {

struct RemoteOptions : HeapOptions {
    NameSet<RemotePattern> patterns{};
    console::CountList sizes{64};
    std::uint64_t operations = 1'000'000;
};

constexpr auto remote_schema = console::schema<RemoteOptions>(
    heap_option::heaps, core_set_option::cores,
    console::option<&RemoteOptions::patterns>("pattern", "who frees whose objects (none given: both)"),
    console::option<&RemoteOptions::sizes>("size", "bytes of an object, a row for each",
                                           console::between(min_object_bytes, max_object_bytes)),
    console::option<&RemoteOptions::operations>("ops", "objects from each core that sends any, in a run",
                                                console::between(1, 4'000'000'000)),
    heap_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

constexpr std::array remote_claims{
    HeapClaim{"producers and consumers do 1.2 times as much as with mimalloc, or more", "mimalloc", 1.2, false, true},
};

struct RemoteBench {
    using Options = RemoteOptions;
    static constexpr std::string_view name = "heap remote";
    static constexpr Unit unit = Unit::OperationsPerSecond;

    explicit RemoteBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        if (options.patterns.empty()) options.patterns = {RemotePattern::Pairs, RemotePattern::AllToAll};
        for (auto const& [pattern, its_name] : value_names(RemotePattern{}))
            if (options.patterns.has(pattern)) patterns[pattern_count++] = pattern;
        return {};
    }
    [[nodiscard]] std::size_t points() const { return pattern_count * options.sizes.values().size(); }
    static constexpr std::size_t phases() { return 1; }
    static constexpr std::span<HeapClaim const> claims() { return remote_claims; }
    [[nodiscard]] bool is_judged(HeapClaim const& /*claim*/, std::size_t point) const {
        return pattern(point) == RemotePattern::Pairs;
    }

    Result<void> run(HeapRun const& run) const {
        auto routes = MXK_TRY(make_routes(run));
        std::atomic<bool> is_over{false}; // for all: one has no memory
        run.resident.begin();
        heap::HeapCounts const before = counts_of(run.kind);
        auto const measured = time_turns(run.cores, run.progress, [&](std::size_t place) {
            ExchangePart& part = routes.parts[place].exchange;
            if (part.to_send == 0 && part.to_receive == 0) return HeapStep::Ended;
            if (is_over.load(std::memory_order_relaxed)) return HeapStep::Ended;
            std::size_t const moved = run.kind.workloads.exchange(part);
            if (part.has_no_memory) is_over.store(true, std::memory_order_relaxed);
            return moved != 0 ? HeapStep::Moved : HeapStep::Waited;
        });
        heap::HeapCounts const after = counts_of(run.kind);
        std::uint64_t const objects = routes.objects;
        for (ObjectRing& ring : routes.rings)
            while (std::uint64_t* const place = ring.pop()) run.kind.workloads.deallocate(place, bytes(run.point));
        std::uint64_t wrong = 0;
        for (Part const& part : routes.parts) {
            if (part.exchange.has_no_memory) return no_memory_for_objects();
            wrong += part.exchange.wrong;
        }
        TimeSpan const time = MXK_TRY(measured);
        Sample& sample = run.samples[0];
        sample.value = static_cast<double>(objects) / time.seconds();
        sample.operations = objects;
        sample.verified = wrong == 0;
        if (run.kind.counts != nullptr) {
            sample.findings.add("drains", static_cast<double>(after.drains - before.drains));
            sample.findings.add("max_parked_bytes", static_cast<double>(after.max_parked_bytes));
        }
        return {};
    }

    void print_head(TextSink& out) const {
        format(out, "{} objects from each core that sends, rings of {}", options.operations, ObjectRing::capacity);
    }
    static void print_heading(TextSink& out) { format(out, " {:<10} {:>7}", "pattern", "bytes"); }
    void print_point(TextSink& out, std::size_t point, std::size_t /*phase*/) const {
        format(out, " {:<10} {:7}", name_of(pattern(point)), bytes(point));
    }
    void write_point(JsonWriter& json, std::size_t point, std::size_t /*phase*/) const {
        json.field("pattern", name_of(pattern(point)));
        json.field("bytes", bytes(point));
    }

    [[nodiscard]] RemotePattern pattern(std::size_t point) const { return patterns[point % pattern_count]; }
    [[nodiscard]] std::uint64_t bytes(std::size_t point) const { return options.sizes.values()[point / pattern_count]; }

    Options options;
    std::array<RemotePattern, value_names(RemotePattern{}).size()> patterns{};
    std::size_t pattern_count = 0;

  private:
    struct Part {
        ExchangePart exchange;
        NodeVector<ObjectRing*> out;
        NodeVector<ObjectRing*> in;
    };
    struct Routes {
        NodeVector<ObjectRing> rings;
        PerCore<Part> parts;
        std::uint64_t objects = 0; // of all cores
    };

    // Which core sends to which, and as many objects on each way of a core.
    [[nodiscard]] Result<Routes> make_routes(HeapRun const& run) const {
        std::size_t const cores = run.cores.size();
        bool const all = pattern(run.point) == RemotePattern::AllToAll;
        std::size_t const ways = all && cores > 1 ? cores - 1 : 1; // from one that sends
        std::size_t const rings = all ? cores * ways : (cores + 1) / 2;
        std::uint64_t const of_ring = (options.operations + ways - 1) / ways;
        NodeId const here = Worker::current().node();
        Routes routes;
        routes.objects = of_ring * rings;
        routes.rings = MXK_TRY(NodeVector<ObjectRing>::create(rings, here));
        routes.parts = MXK_TRY(PerCore<Part>::with_room(cores, here));
        for (std::size_t place = 0; place < cores; ++place) {
            NodeId const node = workers::of(run.cores[place]).node();
            Part& part = *MXK_TRY(routes.parts.add(node));
            part.out = MXK_TRY(NodeVector<ObjectRing*>::create(ways, node));
            part.in = MXK_TRY(NodeVector<ObjectRing*>::create(ways, node));
            part.exchange.bytes = bytes(run.point);
        }
        auto const connect = [&](std::size_t from, std::size_t to) {
            ObjectRing& ring = routes.rings.emplace(routes.rings.size(), rings);
            routes.parts[from].out.emplace(&ring);
            routes.parts[from].exchange.to_send += of_ring;
            routes.parts[to].in.emplace(&ring);
            routes.parts[to].exchange.to_receive += of_ring;
        };
        for (std::size_t from = 0; from < cores; from += all ? 1 : 2) {
            if (!all || cores == 1) connect(from, from + 1 < cores ? from + 1 : from);
            for (std::size_t to = 0; all && cores > 1 && to < ways; ++to) connect(from, (from + 1 + to) % cores);
        }
        for (Part& part : routes.parts) {
            part.exchange.out = part.out.span();
            part.exchange.in = part.in.span();
        }
        return routes;
    }
};
constexpr auto remote_benchmark = benchmark<HeapExperiment<RemoteBench>, remote_schema>(
    {.summary = "objects per second that one core allocates and another one frees",
     .notes = "Example: bench heap remote --pattern pairs --size 64,1024 --cores 2,4 --json\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, remote_benchmark);

} // namespace
} // namespace mxk::bench

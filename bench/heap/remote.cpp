// `bench heap remote`: objects that one core allocates and another one frees, as of a producer and its consumer, or of
// all cores with all others (xmalloc: C. Lever and D. Boreham, malloc() Performance in a Multithreaded Linux
// Environment, 2000). They travel in bounded rings; a core that finds one full, or nothing in those to it, lets its
// other tasks run. On one core the two parts of a pair take turns.
#include <array>
#include <span>

#include "bench/heap/heap_experiment.hpp"

namespace mxk::bench {
namespace {

constexpr std::array remote_claims{
    Claim{.statement = "producers and consumers do 1.2 times as much as with mimalloc, or more",
          .bound = Bound::from(1.2),
          .left = {.of = "mxk"},
          .right = {.of = "mimalloc"},
          .on = Claim::On::LastSet,
          .takes_others = true},
};

struct RoutedPart : ExchangePart {
    NodeVector<ObjectRing*> to;   // of `out`
    NodeVector<ObjectRing*> from; // of `in`
};
struct Routes {
    NodeVector<ObjectRing> rings;
    PerCore<RoutedPart> parts;
    std::uint64_t objects = 0; // of all cores
};

// Which core sends to which, and as many objects on each way of a core.
Result<Routes> make_routes(std::span<CoreId const> used, bool all, std::size_t bytes, std::uint64_t operations) {
    std::size_t const cores = used.size();
    std::size_t const ways = all && cores > 1 ? cores - 1 : 1; // from one that sends
    std::size_t const rings = all ? cores * ways : (cores + 1) / 2;
    std::uint64_t const of_ring = (operations + ways - 1) / ways;
    Routes routes;
    routes.objects = of_ring * rings;
    routes.rings = MXK_TRY(NodeVector<ObjectRing>::create(rings, Worker::current().node()));
    auto const fill = [&](RoutedPart& part, std::size_t, NodeId node) -> Result<void> {
        part.to = MXK_TRY(NodeVector<ObjectRing*>::create(ways, node));
        part.from = MXK_TRY(NodeVector<ObjectRing*>::create(ways, node));
        part.bytes = bytes;
        return {};
    };
    routes.parts = MXK_TRY(make_parts<RoutedPart>(used, fill));
    auto const connect = [&](std::size_t from, std::size_t to) {
        ObjectRing& ring = routes.rings.emplace(routes.rings.size(), rings);
        routes.parts[from].to.emplace(&ring);
        routes.parts[from].to_send += of_ring;
        routes.parts[to].from.emplace(&ring);
        routes.parts[to].to_receive += of_ring;
    };
    for (std::size_t from = 0; from < cores; from += all ? 1 : 2) {
        if (!all || cores == 1) connect(from, from + 1 < cores ? from + 1 : from);
        for (std::size_t to = 0; all && cores > 1 && to < ways; ++to) connect(from, (from + 1 + to) % cores);
    }
    for (RoutedPart& part : routes.parts) {
        part.out = part.to.span();
        part.in = part.from.span();
    }
    return routes;
}

RemotePattern pattern_at(HeapOptions const& options, Point const& point) {
    return chosen_at(options.remote_patterns, point[HeapScenario::ways_axis]);
}

Result<void> run_remote(HeapOptions const& options, HeapRun const& run) {
    std::size_t const bytes = options.sizes.values()[run.point[HeapScenario::ways_axis + 1]];
    auto routes = MXK_TRY(
        make_routes(run.cores, pattern_at(options, run.point) == RemotePattern::AllToAll, bytes, options.operations));
    run.resident.begin();
    heap::HeapCounts const before = counts_of(run.kind);
    auto const measured = time_parts(run.cores, run.progress, routes.parts, [&](RoutedPart& part, std::size_t) {
        if (part.to_send == 0 && part.to_receive == 0) return HeapStep::Ended;
        return run.workloads().exchange(part) != 0 ? HeapStep::Moved : HeapStep::Waited;
    });
    heap::HeapCounts const after = counts_of(run.kind);
    for (ObjectRing& ring : routes.rings)
        while (std::uint64_t* const place = ring.pop()) run.workloads().deallocate(place, bytes);
    Sample& sample = run.samples[0];
    MXK_TRY(fill_sample(sample, routes.objects, routes.parts, measured));
    if (run.kind.counts != nullptr) {
        sample.findings.add("drains", static_cast<double>(after.drains - before.drains));
        sample.findings.add("max_parked_bytes", static_cast<double>(after.max_parked_bytes));
    }
    return {};
}

constexpr HeapScenario remote_scenario{
    .name = "heap remote",
    .summary = "objects per second that one core allocates and another one frees",
    .notes = "Example: bench heap remote --pattern pairs --size 64,1024 --cores 2,4 --json\n",
    .claims = remote_claims,
    .is_judged = [](HeapOptions const& options,
                    Point const& point) { return pattern_at(options, point) == RemotePattern::Pairs; },
    .choices = {.sizes = {64}, .operations = 1'000'000},
    .ways = HeapScenario::Ways::RemotePattern,
    .run = &run_remote,
    .print_what =
        [](TextSink& out, HeapOptions const& options, HeapTrace const&) {
            format(out, "{} objects from each core that sends, rings of {}", options.operations, ObjectRing::capacity);
            if (options.returned_to != ReturnedTo::Blocks)
                format(out, "; those that come home go to: {}", name_of(options.returned_to));
        },
    .write_what = [](JsonWriter& json, HeapOptions const& options, Point const&,
                     HeapTrace const&) { json.field("returned_to", name_of(options.returned_to)); }};
constexpr auto remote_schema = heap_schema<remote_scenario>(
    core_set_option::cores,
    console::option<&HeapChoices::remote_patterns>("pattern", "who frees whose objects (none given: both)"),
    heap_option::sizes,
    console::option<&HeapChoices::returned_to>(
        "returned-to", "where MXK's heap puts what comes home: blocks; stack, as if it were hot; neighbours, the stack "
                       "if a core that shares a cache has freed it"),
    console::option<&HeapChoices::operations>("ops", "objects from each core that sends any, in a run",
                                              console::between(1, 4'000'000'000)));
constexpr auto remote_benchmark = heap_benchmark<remote_scenario, remote_schema>();
MXK_REGISTER(mxk_commands, console::Command, remote_benchmark);

} // namespace
} // namespace mxk::bench

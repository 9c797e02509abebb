// `bench heap larson`: a server's memory, by P. Larson and M. Krishnan (Memory Allocation for Long-Running Server
// Applications, ISMM 1998). Each core replaces random ones of an array of objects by others of random sizes; after a
// round the array goes to the next core, which frees what others have allocated.
#include <array>
#include <atomic>
#include <span>

#include "bench/heap/heap_experiment.hpp"

namespace mxk::bench {
namespace {

constexpr std::array larson_claims{
    Claim{.statement = "Larson: 1.1 times as much as with the best of four others, or more",
          .bound = Bound::from(1.1),
          .left = {.of = "mxk"},
          .right = {.of = best_of},
          .on = Claim::On::LastSet,
          .takes_others = true},
};

struct LarsonPart : ReplacePart {
    std::uint64_t left = 0;  // of the core's round
    std::uint64_t round = 0; // the core's
    NodeArray<LiveObject> array;
    alignas(cache_line_bytes) std::atomic<std::uint64_t> rounds_done{0}; // with the array
};

Result<void> run_larson(HeapOptions const& options, HeapRun const& run) {
    std::size_t const cores = run.cores.size();
    auto const fill = [&](LarsonPart& part, std::size_t place, NodeId node) -> Result<void> {
        part.array = MXK_TRY(NodeArray<LiveObject>::create_zeroed(options.objects, node));
        part.min_bytes = options.min_bytes;
        part.max_bytes = options.max_bytes;
        part.numbers = ObjectNumbers(place, cores);
        part.random = Random(options.seed + place);
        return {};
    };
    auto parts = MXK_TRY(make_parts<LarsonPart>(run.cores, fill));
    auto const replace = run.workloads().replace;
    run.resident.begin();
    auto const filled = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
        LarsonPart& part = parts[place];
        for (std::size_t i = 0; i < options.objects && !part.has_no_memory; ++i)
            replace(part, part.array.span().subspan(i, 1), 1);
        return Step::Done;
    });
    auto const measured = time_parts(run.cores, run.progress, parts, [&](LarsonPart& part, std::size_t place) {
        if (part.has_no_memory) return HeapStep::Ended;
        LarsonPart& lent = parts[(place + part.round) % cores];
        if (part.left == 0) {
            if (part.round == options.rounds) return HeapStep::Ended;
            // acquire: pairs with the store below, by the core that has had the array before
            if (lent.rounds_done.load(std::memory_order_acquire) != part.round) return HeapStep::Waited;
            part.left = options.replacements;
        }
        std::uint64_t const now = std::min<std::uint64_t>(part.left, 1000);
        replace(part, lent.array.span(), now);
        part.left -= now;
        if (part.left == 0) lent.rounds_done.store(++part.round, std::memory_order_release);
        return HeapStep::Moved;
    });
    // Each core frees an array that it does not know.
    auto freed = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
        for (LiveObject const& object : parts[(place + 1) % cores].array.span())
            free_checked(run, object, parts[place]);
        return Step::Done;
    });
    std::uint64_t const all = std::uint64_t{options.rounds} * options.replacements * cores;
    MXK_TRY(fill_sample(run.samples[0], all, parts, measured));
    MXK_TRY(filled);
    return freed;
}

constexpr HeapScenario larson_scenario{
    .name = "heap larson",
    .summary = "a server's memory: random objects are replaced, often those of other cores",
    .notes = "Example: bench heap larson --cores 1,2,4 --json\n",
    .claims = larson_claims,
    .choices = {.objects = 1000, .rounds = 60, .replacements = 10'000},
    .run = &run_larson,
    .print_what =
        [](TextSink& out, HeapOptions const& options, HeapTrace const&) {
            format(out, "arrays of {} objects of {} to {} bytes, {} rounds of {} replacements", options.objects,
                   options.min_bytes, options.max_bytes, options.rounds, options.replacements);
        },
    .write_what =
        [](JsonWriter& json, HeapOptions const& options, Point const&, HeapTrace const&) {
            write_fields(json, {{"objects", options.objects},
                                {"min_bytes", options.min_bytes},
                                {"max_bytes", options.max_bytes},
                                {"rounds", options.rounds},
                                {"replacements", options.replacements}});
        }};
constexpr auto larson_schema = heap_schema<larson_scenario>(
    core_set_option::cores,
    console::option<&HeapChoices::objects>("objects", "in each core's array", console::between(1, 10'000'000)),
    console::option<&HeapChoices::min_bytes>("min", "bytes of an object", heap_option::object_bytes),
    console::option<&HeapChoices::max_bytes>("max", "bytes of an object", heap_option::object_bytes),
    console::option<&HeapChoices::rounds>("rounds", "after each of which arrays go to the next core",
                                          console::between(1, 1'000'000)),
    console::option<&HeapChoices::replacements>("replacements", "of each core in a round",
                                                console::between(1, 100'000'000)));
constexpr auto larson_benchmark = heap_benchmark<larson_scenario, larson_schema>();
MXK_REGISTER(mxk_commands, console::Command, larson_benchmark);

} // namespace
} // namespace mxk::bench

// `bench heap cache-thrash` and `bench heap cache-scratch`: whether an allocator lets several cores share a cache line
// (E. Berger et al., Hoard: A Scalable Memory Allocator for Multithreaded Applications, ASPLOS 2000). Thrash: each core
// allocates a small object, writes to it many times, and frees it, again and again. Scratch: first one core allocates
// an object for each core, side by side. Each core frees its own one, and does the same as in thrash: an allocator that
// reuses the object on the core that freed it makes cores share the line.
#include <span>

#include "bench/heap/heap_experiment.hpp"

namespace mxk::bench {
namespace {

struct LinePart : WritePart {
    void* handed = nullptr;
};

template <bool hands_out> Result<void> run_lines(HeapOptions const& options, HeapRun const& run) {
    auto const fill = [&](LinePart& part, std::size_t, NodeId) -> Result<void> {
        part.bytes = options.bytes;
        part.writes = options.writes;
        return {};
    };
    auto parts = MXK_TRY(make_parts<LinePart>(run.cores, fill));
    auto const& workloads = run.workloads();
    run.resident.begin();
    if (hands_out)
        MXK_TRY(run_steps(run.cores.first(1), run.progress, [&](Worker&, std::size_t) {
            for (LinePart& part : parts) {
                part.handed = workloads.allocate(options.bytes);
                part.has_no_memory = part.handed == nullptr;
            }
            return Step::Done;
        }));
    auto const measured = time_on(run.cores, run.progress, [&](std::size_t place) {
        LinePart& part = parts[place];
        if (part.handed != nullptr) workloads.deallocate(part.handed, options.bytes);
        for (std::uint64_t left = options.operations; left != 0 && !run.progress.interrupted();) {
            std::uint64_t const now = std::min<std::uint64_t>(left, 1000);
            workloads.write(part, now);
            left -= now;
            if (part.has_no_memory) return;
        }
    });
    return fill_sample(run.samples[0], options.operations * run.cores.size(), parts, measured);
}

void print_lines(TextSink& out, HeapOptions const& options, HeapTrace const&) {
    format(out, "{} objects of {} bytes of each core, {} writes to each", options.operations, options.bytes,
           options.writes);
}
void write_lines(JsonWriter& json, HeapOptions const& options, Point const&, HeapTrace const&) {
    write_fields(json, {{"bytes", options.bytes}, {"writes", options.writes}});
}

constexpr HeapChoices line_choices{.bytes = 8, .writes = 1000, .operations = 50'000};
constexpr HeapScenario thrash_scenario{.name = "heap cache-thrash",
                                       .summary =
                                           "small objects of several cores, written to: whether they share cache lines",
                                       .notes = "Example: bench heap cache-thrash --cores 1,2 --size 8 --json\n",
                                       .choices = line_choices,
                                       .run = &run_lines<false>,
                                       .print_what = &print_lines,
                                       .write_what = &write_lines};
constexpr HeapScenario scratch_scenario{.name = "heap cache-scratch",
                                        .summary = "the same after each core has freed an object of the first one's",
                                        .notes = "Example: bench heap cache-scratch --cores 1,2 --size 8 --json\n",
                                        .choices = line_choices,
                                        .run = &run_lines<true>,
                                        .print_what = &print_lines,
                                        .write_what = &write_lines};

template <HeapScenario const& scenario>
constexpr auto cache_line_schema = heap_schema<scenario>(
    core_set_option::cores,
    console::option<&HeapChoices::bytes>("size", "bytes of an object", heap_option::object_bytes),
    console::option<&HeapChoices::writes>("writes", "to each object", console::between(1, 100'000'000)),
    console::option<&HeapChoices::operations>("ops", "objects of each core in a run",
                                              console::between(1, 4'000'000'000)));
constexpr auto thrash_benchmark = heap_benchmark<thrash_scenario, cache_line_schema<thrash_scenario>>();
MXK_REGISTER(mxk_commands, console::Command, thrash_benchmark);
constexpr auto scratch_benchmark = heap_benchmark<scratch_scenario, cache_line_schema<scratch_scenario>>();
MXK_REGISTER(mxk_commands, console::Command, scratch_benchmark);

} // namespace
} // namespace mxk::bench

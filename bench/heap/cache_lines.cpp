// `bench heap cache-thrash` and `bench heap cache-scratch`: whether an allocator gives parts of one cache line to
// several cores (E. Berger et al., Hoard: A Scalable Memory Allocator for Multithreaded Applications, ASPLOS 2000).
// Thrash: each core allocates small objects, writes to each many times, and frees it. Scratch: before that it frees one
// that the first core has allocated together with those of the others, and an allocator that gives it out again there
// has cores share lines that they never shared of their own accord.
#include <array>
#include <span>

#include "bench/frame/steps.hpp"
#include "bench/heap/heap_experiment.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

struct CacheLineOptions : HeapOptions {
    std::uint32_t bytes = 8;
    std::uint32_t writes = 1000;
    std::uint64_t operations = 50'000;
};

constexpr auto line_schema = console::schema<CacheLineOptions>(
    heap_option::heaps, core_set_option::cores,
    console::option<&CacheLineOptions::bytes>("size", "bytes of an object",
                                              console::between(min_object_bytes, max_object_bytes)),
    console::option<&CacheLineOptions::writes>("writes", "to each object", console::between(1, 100'000'000)),
    console::option<&CacheLineOptions::operations>("ops", "objects of each core in a run",
                                                   console::between(1, 4'000'000'000)),
    heap_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

template <bool hands_out> struct LineBench {
    using Options = CacheLineOptions;
    static constexpr std::string_view name = hands_out ? "heap cache-scratch" : "heap cache-thrash";
    static constexpr Unit unit = Unit::OperationsPerSecond;

    explicit LineBench(Options const& its_options)
        : options(its_options) {}
    static Result<void> prepare() { return {}; }
    static constexpr std::size_t points() { return 1; }
    static constexpr std::size_t phases() { return 1; }
    static constexpr std::span<HeapClaim const> claims() { return {}; }
    static bool is_judged(HeapClaim const& /*claim*/, std::size_t /*point*/) { return false; }

    Result<void> run(HeapRun const& run) const {
        auto parts = MXK_TRY(PerCore<Part>::with_room(run.cores.size(), Worker::current().node()));
        for (CoreId const core : run.cores) {
            Part& part = *MXK_TRY(parts.add(workers::of(core).node()));
            part.write.bytes = options.bytes;
            part.write.writes = options.writes;
        }
        auto const& workloads = run.kind.workloads;
        run.resident.begin();
        if (hands_out && !run_on(run.cores.first(1), [&](Worker&, std::size_t) {
                for (Part& part : parts) part.handed = workloads.allocate(options.bytes);
                return Step::Done;
            }))
            return no_memory_for_steps();
        auto const measured = time_on(run.cores, run.progress, [&](std::size_t place) {
            Part& part = parts[place];
            if (part.handed != nullptr) workloads.deallocate(part.handed, options.bytes);
            for (std::uint64_t left = options.operations; left != 0 && !run.progress.interrupted();) {
                std::uint64_t const now = std::min<std::uint64_t>(left, 1000);
                workloads.write(part.write, now);
                left -= now;
                if (part.write.has_no_memory) return;
            }
        });
        std::uint64_t wrong = 0;
        for (Part const& part : parts) {
            if (part.write.has_no_memory || (hands_out && part.handed == nullptr)) return no_memory_for_objects();
            wrong += part.write.wrong;
        }
        TimeSpan const time = MXK_TRY(measured);
        std::uint64_t const all = options.operations * run.cores.size();
        Sample& sample = run.samples[0];
        sample.value = static_cast<double>(all) / time.seconds();
        sample.operations = all;
        sample.verified = wrong == 0;
        return {};
    }

    void print_head(TextSink& out) const {
        format(out, "{} objects of {} bytes of each core, {} writes to each", options.operations, options.bytes,
               options.writes);
    }
    static void print_heading(TextSink& /*out*/) {}
    static void print_point(TextSink& /*out*/, std::size_t, std::size_t) {}
    void write_point(JsonWriter& json, std::size_t /*point*/, std::size_t /*phase*/) const {
        json.field("bytes", options.bytes);
        json.field("writes", options.writes);
    }

    Options options;

  private:
    struct Part {
        WritePart write;
        void* handed = nullptr;
    };
};
constexpr auto thrash_benchmark = benchmark<HeapExperiment<LineBench<false>>, line_schema>(
    {.summary = "small objects of several cores, written to: whether they share cache lines",
     .notes = "Example: bench heap cache-thrash --cores 1,2 --size 8 --json\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, thrash_benchmark);
constexpr auto scratch_benchmark = benchmark<HeapExperiment<LineBench<true>>, line_schema>(
    {.summary = "the same after each core has freed an object of the first one's",
     .notes = "Example: bench heap cache-scratch --cores 1,2 --size 8 --json\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, scratch_benchmark);

} // namespace
} // namespace mxk::bench

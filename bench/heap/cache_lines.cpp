// `bench heap cache-thrash` and `bench heap cache-scratch`: whether an allocator lets several cores share a cache line
// (E. Berger et al., Hoard: A Scalable Memory Allocator for Multithreaded Applications, ASPLOS 2000). Thrash: each core
// allocates a small object, writes to it many times, and frees it, again and again. Scratch: first one core allocates
// an object for each core, side by side. Each core frees its own one, and does the same as in thrash: an allocator that
// reuses the object on the core that freed it makes cores share the line.
#include <span>

#include "bench/frame/steps.hpp"
#include "bench/heap/heap_experiment.hpp"

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

struct LinePart : WritePart {
    void* handed = nullptr;
};

class LineBench : public HeapExperiment {
  public:
    using Options = CacheLineOptions;

  protected:
    LineBench(std::string_view name, Options const& options, bool hands_out)
        : HeapExperiment(name, options_)
        , options_(options)
        , hands_out_(hands_out) {}
    ~LineBench() = default;

  private:
    Result<void> run_heap(HeapRun const& run) final {
        auto const fill = [&](LinePart& part, std::size_t, NodeId) -> Result<void> {
            part.bytes = options_.bytes;
            part.writes = options_.writes;
            return {};
        };
        auto parts = MXK_TRY(make_parts<LinePart>(run.cores, fill));
        auto const& workloads = run.workloads();
        run.resident.begin();
        if (hands_out_)
            MXK_TRY(run_steps(run.cores.first(1), run.progress, [&](Worker&, std::size_t) {
                for (LinePart& part : parts) {
                    part.handed = workloads.allocate(options_.bytes);
                    part.has_no_memory = part.handed == nullptr;
                }
                return Step::Done;
            }));
        auto const measured = time_on(run.cores, run.progress, [&](std::size_t place) {
            LinePart& part = parts[place];
            if (part.handed != nullptr) workloads.deallocate(part.handed, options_.bytes);
            for (std::uint64_t left = options_.operations; left != 0 && !run.progress.interrupted();) {
                std::uint64_t const now = std::min<std::uint64_t>(left, 1000);
                workloads.write(part, now);
                left -= now;
                if (part.has_no_memory) return;
            }
        });
        return fill_sample(run.samples[0], options_.operations * run.cores.size(), parts, measured);
    }
    void print_what(TextSink& out) const final {
        format(out, "{} objects of {} bytes of each core, {} writes to each", options_.operations, options_.bytes,
               options_.writes);
    }
    void write_what(JsonWriter& json, Point const& /*point*/) const final {
        write_fields(json, {{"bytes", options_.bytes}, {"writes", options_.writes}});
    }

    Options options_;
    bool hands_out_;
};

struct ThrashBench final : LineBench {
    static constexpr std::string_view name = "heap cache-thrash";
    explicit ThrashBench(Options const& options)
        : LineBench(name, options, false) {}
};
struct ScratchBench final : LineBench {
    static constexpr std::string_view name = "heap cache-scratch";
    explicit ScratchBench(Options const& options)
        : LineBench(name, options, true) {}
};
constexpr auto thrash_benchmark = benchmark<ThrashBench, line_schema>(
    {.summary = "small objects of several cores, written to: whether they share cache lines",
     .notes = "Example: bench heap cache-thrash --cores 1,2 --size 8 --json\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, thrash_benchmark);
constexpr auto scratch_benchmark = benchmark<ScratchBench, line_schema>(
    {.summary = "the same after each core has freed an object of the first one's",
     .notes = "Example: bench heap cache-scratch --cores 1,2 --size 8 --json\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, scratch_benchmark);

} // namespace
} // namespace mxk::bench

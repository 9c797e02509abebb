// `bench heap larson`: a server's memory, by P. Larson and M. Krishnan (Memory Allocation for Long-Running Server
// Applications, ISMM 1998). Each core replaces random ones of an array of objects by others of random sizes; after a
// round the array goes to the next core, which frees what others have allocated.
#include <array>
#include <atomic>
#include <span>

#include "bench/heap/heap_experiment.hpp"
#include "bench/heap/timed_steps.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

struct LarsonOptions : HeapOptions {
    std::uint32_t objects = 1000;
    std::uint32_t min_bytes = 16;
    std::uint32_t max_bytes = 512;
    std::uint32_t rounds = 60;
    std::uint32_t replacements = 10'000;
};

constexpr auto larson_schema = console::schema<LarsonOptions>(
    heap_option::heaps, core_set_option::cores,
    console::option<&LarsonOptions::objects>("objects", "in each core's array", console::between(1, 10'000'000)),
    console::option<&LarsonOptions::min_bytes>("min", "bytes of an object",
                                               console::between(min_object_bytes, max_object_bytes)),
    console::option<&LarsonOptions::max_bytes>("max", "bytes of an object",
                                               console::between(min_object_bytes, max_object_bytes)),
    console::option<&LarsonOptions::rounds>("rounds", "after each of which arrays go to the next core",
                                            console::between(1, 1'000'000)),
    console::option<&LarsonOptions::replacements>("replacements", "of each core in a round",
                                                  console::between(1, 100'000'000)),
    heap_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

constexpr std::array larson_claims{
    HeapClaim{"Larson: 1.1 times as much as with the best of four others, or more", "", 1.1, false, true},
};

struct LarsonBench {
    using Options = LarsonOptions;
    static constexpr std::string_view name = "heap larson";
    static constexpr Unit unit = Unit::OperationsPerSecond;

    explicit LarsonBench(Options const& its_options)
        : options(its_options) {}
    [[nodiscard]] Result<void> prepare() const {
        if (options.min_bytes > options.max_bytes)
            return Error::of("expected --min up to --max {}, got {}", options.max_bytes, options.min_bytes);
        return {};
    }
    static constexpr std::size_t points() { return 1; }
    static constexpr std::size_t phases() { return 1; }
    static constexpr std::span<HeapClaim const> claims() { return larson_claims; }
    static bool is_judged(HeapClaim const& /*claim*/, std::size_t /*point*/) { return true; }

    Result<void> run(HeapRun const& run) const {
        std::size_t const cores = run.cores.size();
        auto parts = MXK_TRY(PerCore<Part>::with_room(cores, Worker::current().node()));
        for (std::size_t place = 0; place < cores; ++place) {
            NodeId const node = workers::of(run.cores[place]).node();
            Part& part = *MXK_TRY(parts.add(node));
            part.array = MXK_TRY(NodeArray<LiveObject>::create_zeroed(options.objects, node));
            part.replace.min_bytes = options.min_bytes;
            part.replace.max_bytes = options.max_bytes;
            part.replace.numbers = ObjectNumbers(place, cores);
            part.replace.random = Random(options.seed + place);
        }
        auto const& workloads = run.kind.workloads;
        run.resident.begin();
        auto const filled = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
            Part& part = parts[place];
            for (std::size_t i = 0; i < options.objects && !part.replace.has_no_memory; ++i)
                workloads.replace(part.replace, part.array.span().subspan(i, 1), 1);
            return Step::Done;
        });
        std::atomic<bool> is_over{false}; // for all: one has no memory
        auto const measured = time_turns(run.cores, run.progress, [&](std::size_t place) {
            Part& part = parts[place];
            if (part.replace.has_no_memory) is_over.store(true, std::memory_order_relaxed);
            if (is_over.load(std::memory_order_relaxed)) return HeapStep::Ended;
            Part& lent = parts[(place + part.round) % cores];
            if (part.left == 0) {
                if (part.round == options.rounds) return HeapStep::Ended;
                // acquire: pairs with the store below, by the core that has had the array before
                if (lent.rounds_done.load(std::memory_order_acquire) != part.round) return HeapStep::Waited;
                part.left = options.replacements;
            }
            std::uint64_t const now = std::min<std::uint64_t>(part.left, 1000);
            workloads.replace(part.replace, lent.array.span(), now);
            part.left -= now;
            if (part.left == 0) lent.rounds_done.store(++part.round, std::memory_order_release);
            return HeapStep::Moved;
        });
        // Each core frees an array that it does not know.
        auto const freed = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
            for (LiveObject const& object : parts[(place + 1) % cores].array.span()) {
                if (object.place == nullptr) continue;
                if (!holds_word(object.place, object.word)) ++parts[place].replace.wrong;
                workloads.deallocate(object.place, object.bytes());
            }
            return Step::Done;
        });
        std::uint64_t wrong = 0;
        for (Part const& part : parts) {
            if (part.replace.has_no_memory) return no_memory_for_objects();
            wrong += part.replace.wrong;
        }
        MXK_TRY(filled);
        MXK_TRY(freed);
        TimeSpan const time = MXK_TRY(measured);
        std::uint64_t const all = std::uint64_t{options.rounds} * options.replacements * cores;
        Sample& sample = run.samples[0];
        sample.value = static_cast<double>(all) / time.seconds();
        sample.operations = all;
        sample.verified = wrong == 0;
        return {};
    }

    void print_head(TextSink& out) const {
        format(out, "arrays of {} objects of {} to {} bytes, {} rounds of {} replacements", options.objects,
               options.min_bytes, options.max_bytes, options.rounds, options.replacements);
    }
    static void print_heading(TextSink& /*out*/) {}
    static void print_point(TextSink& /*out*/, std::size_t, std::size_t) {}
    void write_point(JsonWriter& json, std::size_t /*point*/, std::size_t /*phase*/) const {
        json.field("objects", options.objects);
        json.field("min_bytes", options.min_bytes);
        json.field("max_bytes", options.max_bytes);
        json.field("rounds", options.rounds);
        json.field("replacements", options.replacements);
    }

    Options options;

  private:
    struct Part {
        ReplacePart replace;
        std::uint64_t left = 0;  // of the core's round
        std::uint64_t round = 0; // the core's
        NodeArray<LiveObject> array;
        alignas(cache_line_bytes) std::atomic<std::uint64_t> rounds_done{0}; // with the array
    };
};
constexpr auto larson_benchmark = benchmark<HeapExperiment<LarsonBench>, larson_schema>(
    {.summary = "a server's memory: random objects are replaced, often those of other cores",
     .notes = "Example: bench heap larson --cores 1,2,4 --json\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, larson_benchmark);

} // namespace
} // namespace mxk::bench

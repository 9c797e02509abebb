// `bench heap micro`: cycles of an allocation and a free of an object on the core that allocated it, by size and by the
// order in which objects are freed. After the measured part a core does some of the same again, and looks which
// addresses come back, and how far apart neighbours lie.
#include <algorithm>
#include <array>
#include <span>

#include "bench/frame/steps.hpp"
#include "bench/heap/heap_experiment.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

struct MicroOptions : HeapOptions {
    NameSet<MicroPattern> patterns{};
    console::CountList sizes{16, 32, 64, 128, 256, 512};
    std::uint32_t live = 1000;
    std::uint64_t operations = 500'000;
};

constexpr auto micro_schema = console::schema<MicroOptions>(
    heap_option::heaps, core_set_option::cores,
    console::option<&MicroOptions::sizes>("size", "bytes of an object, a row for each",
                                          console::between(min_object_bytes, max_object_bytes)),
    console::option<&MicroOptions::patterns>("pattern", "in which order objects are freed (none given: all four)"),
    console::option<&MicroOptions::live>("live", "objects that live at once, on each core; of lifo, random, sawtooth",
                                         console::between(8, 10'000'000)),
    console::option<&MicroOptions::operations>("ops", "allocations by each core in a run",
                                               console::between(1, 4'000'000'000)),
    heap_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

constexpr std::array micro_claims{
    HeapClaim{"an own object of 16 to 512 bytes takes 0.8 of mimalloc's time or less", "mimalloc", 0.8, true, false},
};

// Bytes from one object to the next, where some lie side by side: its own, and what the allocator adds.
std::size_t stride_of(HeapKind const& kind, std::size_t bytes) {
    std::array<std::byte*, 64> places{};
    std::size_t count = 0;
    while (count < places.size() && count * bytes < 2 * MiB) {
        auto* const place = static_cast<std::byte*>(kind.workloads.allocate(bytes));
        if (place == nullptr) break;
        places[count++] = place;
    }
    for (std::size_t i = 0; i < count; ++i) kind.workloads.deallocate(places[i], bytes);
    auto const taken = std::span(places).first(count);
    std::sort(taken.begin(), taken.end());
    std::size_t stride = 0;
    for (std::size_t i = 1; i < count; ++i) {
        auto const distance = static_cast<std::size_t>(taken[i] - taken[i - 1]);
        if (stride == 0 || distance < stride) stride = distance;
    }
    return stride;
}

struct MicroBench {
    using Options = MicroOptions;
    static constexpr std::string_view name = "heap micro";
    static constexpr Unit unit = Unit::CyclesPerOperation;

    explicit MicroBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        if (options.patterns.empty())
            options.patterns = {MicroPattern::Pair, MicroPattern::Lifo, MicroPattern::Random, MicroPattern::Sawtooth};
        for (auto const& [pattern, its_name] : value_names(MicroPattern{}))
            if (options.patterns.has(pattern)) patterns[pattern_count++] = pattern;
        return {};
    }
    [[nodiscard]] std::size_t points() const { return pattern_count * options.sizes.values().size(); }
    static constexpr std::size_t phases() { return 1; }
    static constexpr std::span<HeapClaim const> claims() { return micro_claims; }
    [[nodiscard]] bool is_judged(HeapClaim const& /*claim*/, std::size_t point) const {
        return bytes(point) >= 16 && bytes(point) <= 512;
    }

    struct Part {
        MicroPart micro;
        NodeArray<LiveObject> objects;
        Cycles elapsed{};
    };

    Result<void> run(HeapRun const& run) const {
        auto parts = MXK_TRY(make_parts(run));
        auto const& workloads = run.kind.workloads;
        run.resident.begin();
        // What is live all the time, and a tenth of the work for warm-up.
        auto const warmed = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
            workloads.micro(parts[place].micro, options.operations / 10 + 1);
            return Step::Done;
        });
        heap::HeapCounts const before = counts_of(run.kind);
        auto const measured = time_on(run.cores, run.progress, [&](std::size_t place) {
            Part& part = parts[place];
            Cycles const start = clock::timestamp();
            std::uint64_t const first = part.micro.pairs;
            constexpr std::uint64_t at_once = 65'536;
            for (std::uint64_t done = 0; done < options.operations && !run.progress.interrupted();
                 done = part.micro.pairs - first) {
                workloads.micro(part.micro, std::min(at_once, options.operations - done));
                if (part.micro.has_no_memory) break;
            }
            part.micro.pairs -= first;
            part.elapsed = clock::timestamp() - start;
        });
        heap::HeapCounts const after = counts_of(run.kind);
        RecentFrees recent;
        std::size_t const stride = MXK_TRY(look(run, parts, recent));
        MXK_TRY(warmed); // now that nothing is left
        MXK_TRY(measured);

        Sample& sample = run.samples[0];
        double cycles = 0;
        std::uint64_t wrong = 0;
        for (Part const& part : parts) {
            if (part.micro.has_no_memory) return no_memory_for_objects();
            cycles += static_cast<double>(raw(part.elapsed)) / static_cast<double>(part.micro.pairs);
            sample.operations += part.micro.pairs;
            wrong += part.micro.wrong;
        }
        sample.value = cycles / static_cast<double>(parts.size());
        sample.verified = wrong == 0;
        sample.findings.add("stride_bytes", static_cast<double>(stride));
        auto const asked = static_cast<double>(bytes(run.point));
        sample.findings.add("waste_pct", stride == 0 ? 0 : 100 * (static_cast<double>(stride) - asked) / asked);
        sample.findings.add("hot_reuse_pct", recent.reuse_percent());
        if (run.kind.counts != nullptr) {
            std::uint64_t const chains = after.chains_pushed - before.chains_pushed;
            std::uint64_t const objects = after.chain_objects - before.chain_objects;
            sample.findings.add("chain_length",
                                chains == 0 ? 0 : static_cast<double>(objects) / static_cast<double>(chains));
        }
        return {};
    }

    void print_head(TextSink& out) const {
        format(out, "{} live objects, {} allocations by each core", options.live, options.operations);
    }
    static void print_heading(TextSink& out) { format(out, " {:<8} {:>7}", "pattern", "bytes"); }
    void print_point(TextSink& out, std::size_t point, std::size_t /*phase*/) const {
        format(out, " {:<8} {:7}", name_of(pattern(point)), bytes(point));
    }
    void write_point(JsonWriter& json, std::size_t point, std::size_t /*phase*/) const {
        json.field("pattern", name_of(pattern(point)));
        json.field("bytes", bytes(point));
        json.field("live", options.live);
    }

    [[nodiscard]] MicroPattern pattern(std::size_t point) const { return patterns[point % pattern_count]; }
    [[nodiscard]] std::uint64_t bytes(std::size_t point) const { return options.sizes.values()[point / pattern_count]; }

    Options options;
    std::array<MicroPattern, value_names(MicroPattern{}).size()> patterns{};
    std::size_t pattern_count = 0;

  private:
    [[nodiscard]] Result<PerCore<Part>> make_parts(HeapRun const& run) const {
        auto parts = MXK_TRY(PerCore<Part>::with_room(run.cores.size(), Worker::current().node()));
        for (std::size_t place = 0; place < run.cores.size(); ++place) {
            NodeId const node = workers::of(run.cores[place]).node();
            Part& part = *MXK_TRY(parts.add(node));
            part.objects = MXK_TRY(NodeArray<LiveObject>::create_zeroed(options.live, node));
            part.micro.pattern = pattern(run.point);
            part.micro.bytes = bytes(run.point);
            part.micro.objects = part.objects.span();
            part.micro.numbers = ObjectNumbers(place, run.cores.size());
            part.micro.random = Random(options.seed + place);
        }
        return parts;
    }

    // On the first core, what the others' objects cannot change; then everything is freed, on its own core.
    [[nodiscard]] Result<std::size_t> look(HeapRun const& run, PerCore<Part>& parts, RecentFrees& recent) const {
        std::size_t stride = 0;
        auto const& workloads = run.kind.workloads;
        MXK_TRY(run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
            MicroPart& part = parts[place].micro;
            std::uint64_t const pairs = part.pairs;
            if (place == 0 && !part.has_no_memory) {
                part.recent = &recent;
                workloads.micro_watched(part, std::min<std::uint64_t>(options.operations, 20'000));
                part.pairs = pairs;
                stride = stride_of(run.kind, part.bytes);
            }
            for (LiveObject const& object : part.objects.first(part.live)) {
                if (!holds_word(object.place, object.word)) ++part.wrong;
                workloads.deallocate(object.place, object.bytes());
            }
            return Step::Done;
        }));
        return stride;
    }
};
constexpr auto micro_benchmark = benchmark<HeapExperiment<MicroBench>, micro_schema>(
    {.summary = "cycles of an allocation and a free of one's own objects",
     .notes = "Example: bench heap micro --size 16,64,512 --pattern lifo,random --cores 1 --json\n"
              "Example: bench heap micro --size 64Ki,200Ki --live 100 --ops 20K\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, micro_benchmark);

} // namespace
} // namespace mxk::bench

// `bench heap micro`: cycles of an allocation and a free of an object on the core that allocated it, by size and by the
// order in which objects are freed. After the measured part a core does some of the same again, and looks which
// addresses come back, and how far apart neighbours lie.
#include <algorithm>
#include <array>
#include <span>

#include "bench/frame/steps.hpp"
#include "bench/heap/heap_experiment.hpp"

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
    Claim{.statement = "an own object of 16 to 512 bytes takes 0.8 of mimalloc's time or less",
          .bound = Bound::up_to(0.8),
          .left = {.of = "mxk"},
          .right = {.of = "mimalloc"},
          .on = Claim::On::FirstSet},
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

struct TimedMicroPart : MicroPart {
    NodeArray<LiveObject> memory; // of `objects`
    Cycles elapsed{};
};

constexpr std::string_view micro_name = "heap micro";

class MicroBench final : public HeapBench<MicroOptions, micro_name> {
  public:
    using HeapBench::HeapBench;
    [[nodiscard]] Unit unit() const override { return Unit::CyclesPerOperation; }

  private:
    static constexpr std::size_t pattern_axis = first_axis;
    static constexpr std::size_t bytes_axis = first_axis + 1;

    void add_axes() override {
        options_.patterns = or_all(options_.patterns);
        add(Axis::chosen("pattern", 8, options_.patterns));
        add(Axis::of("bytes", 7, options_.sizes.values()));
    }
    [[nodiscard]] std::span<Claim const> claims() const override { return micro_claims; }
    [[nodiscard]] bool is_judged(Claim const& /*claim*/, Point const& point) const override {
        return bytes(point) >= 16 && bytes(point) <= 512;
    }

    Result<void> run_heap(HeapRun const& run) override {
        auto const fill = [&](TimedMicroPart& part, std::size_t place, NodeId node) -> Result<void> {
            part.memory = MXK_TRY(NodeArray<LiveObject>::create_zeroed(options_.live, node));
            part.objects = part.memory.span();
            part.pattern = chosen_at(options_.patterns, run.point[pattern_axis]);
            part.bytes = bytes(run.point);
            part.numbers = ObjectNumbers(place, run.cores.size());
            part.random = Random(options_.seed + place);
            return {};
        };
        auto parts = MXK_TRY(make_parts<TimedMicroPart>(run.cores, fill));
        run.resident.begin();
        // What is live all the time, and a tenth of the work for warm-up.
        auto const warmed = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
            run.workloads().micro(parts[place], options_.operations / 10 + 1);
            return Step::Done;
        });
        heap::HeapCounts const before = counts_of(run.kind);
        auto const measured = time_on(run.cores, run.progress, [&](std::size_t place) {
            TimedMicroPart& part = parts[place];
            Cycles const start = clock::timestamp();
            std::uint64_t const first = part.pairs;
            constexpr std::uint64_t at_once = 65'536;
            for (std::uint64_t done = 0; done < options_.operations && !run.progress.interrupted();
                 done = part.pairs - first) {
                run.workloads().micro(part, std::min(at_once, options_.operations - done));
                if (part.has_no_memory) break;
            }
            part.pairs -= first;
            part.elapsed = clock::timestamp() - start;
        });
        heap::HeapCounts const after = counts_of(run.kind);
        RecentFrees recent;
        auto const stride = static_cast<double>(MXK_TRY(look(run, parts, recent)));
        MXK_TRY(warmed); // now that nothing is left
        Sample& sample = run.samples[0];
        MXK_TRY(fill_sample(sample, 0, parts, measured));
        sample.value = 0;
        for (TimedMicroPart const& part : parts) {
            sample.value += static_cast<double>(raw(part.elapsed)) / static_cast<double>(part.pairs) /
                            static_cast<double>(parts.size());
            sample.operations += part.pairs;
        }
        auto const asked = static_cast<double>(bytes(run.point));
        sample.findings.add("stride_bytes", stride);
        sample.findings.add("waste_pct", stride == 0 ? 0 : 100 * (stride - asked) / asked);
        sample.findings.add("hot_reuse_pct", recent.reuse_percent());
        if (run.kind.counts != nullptr) {
            std::uint64_t const chains = after.chains_pushed - before.chains_pushed;
            std::uint64_t const objects = after.chain_objects - before.chain_objects;
            sample.findings.add("chain_length",
                                chains == 0 ? 0 : static_cast<double>(objects) / static_cast<double>(chains));
        }
        return {};
    }

    // On the first core, what the others' objects cannot change; then everything is freed, on its own core.
    [[nodiscard]] Result<std::size_t> look(HeapRun const& run, PerCore<TimedMicroPart>& parts,
                                           RecentFrees& recent) const {
        std::size_t stride = 0;
        MXK_TRY(run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
            MicroPart& part = parts[place];
            std::uint64_t const pairs = part.pairs;
            if (place == 0 && !part.has_no_memory) {
                part.recent = &recent;
                run.workloads().micro_watched(part, std::min<std::uint64_t>(options_.operations, 20'000));
                part.pairs = pairs;
                stride = stride_of(run.kind, part.bytes);
            }
            for (LiveObject const& object : part.objects.first(part.live)) free_checked(run, object, part);
            return Step::Done;
        }));
        return stride;
    }

    void print_what(TextSink& out) const override {
        format(out, "{} live objects, {} allocations by each core", options_.live, options_.operations);
    }
    void write_what(JsonWriter& json, Point const& /*point*/) const override { json.field("live", options_.live); }
    [[nodiscard]] std::uint32_t bytes(Point const& point) const { return options_.sizes.values()[point[bytes_axis]]; }
};
constexpr auto micro_benchmark = benchmark<MicroBench, micro_schema>(
    {.summary = "cycles of an allocation and a free of one's own objects",
     .notes = "Example: bench heap micro --size 16,64,512 --pattern lifo,random --cores 1 --json\n"
              "Example: bench heap micro --size 64Ki,200Ki --live 100 --ops 20K\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, micro_benchmark);

} // namespace
} // namespace mxk::bench

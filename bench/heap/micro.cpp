// `bench heap micro`: cycles of an allocation and a free of an object on the core that allocated it, by size and by the
// order in which objects are freed. After the measured part a core does some of the same again, and looks which
// addresses come back, and how far apart neighbours lie.
#include <algorithm>
#include <array>
#include <span>

#include "bench/heap/heap_experiment.hpp"

namespace mxk::bench {
namespace {

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

std::uint32_t bytes_at(HeapOptions const& options, Point const& point) {
    return options.sizes.values()[point[HeapScenario::ways_axis + 1]];
}

// On the first core, what the others' objects cannot change; then everything is freed, on its own core.
Result<std::size_t> look(HeapOptions const& options, HeapRun const& run, PerCore<TimedMicroPart>& parts,
                         RecentFrees& recent) {
    std::size_t stride = 0;
    MXK_TRY(run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
        MicroPart& part = parts[place];
        std::uint64_t const pairs = part.pairs;
        if (place == 0 && !part.has_no_memory) {
            part.recent = &recent;
            run.workloads().micro_watched(part, std::min<std::uint64_t>(options.operations, 20'000));
            part.pairs = pairs;
            stride = stride_of(run.kind, part.bytes);
        }
        for (LiveObject const& object : part.objects.first(part.live)) free_checked(run, object, part);
        return Step::Done;
    }));
    return stride;
}

Result<void> run_micro(HeapOptions const& options, HeapRun const& run) {
    auto const fill = [&](TimedMicroPart& part, std::size_t place, NodeId node) -> Result<void> {
        part.memory = MXK_TRY(NodeArray<LiveObject>::create_zeroed(options.objects, node));
        part.objects = part.memory.span();
        part.pattern = chosen_at(options.micro_patterns, run.point[HeapScenario::ways_axis]);
        part.bytes = bytes_at(options, run.point);
        part.numbers = ObjectNumbers(place, run.cores.size());
        part.random = Random(options.seed + place);
        return {};
    };
    auto parts = MXK_TRY(make_parts<TimedMicroPart>(run.cores, fill));
    run.resident.begin();
    // What is live all the time, and a tenth of the work for warm-up.
    auto const warmed = run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
        run.workloads().micro(parts[place], options.operations / 10 + 1);
        return Step::Done;
    });
    heap::HeapCounts const before = counts_of(run.kind);
    auto const measured = time_on(run.cores, run.progress, [&](std::size_t place) {
        TimedMicroPart& part = parts[place];
        Cycles const start = clock::timestamp();
        std::uint64_t const first = part.pairs;
        constexpr std::uint64_t at_once = 65'536;
        for (std::uint64_t done = 0; done < options.operations && !run.progress.interrupted();
             done = part.pairs - first) {
            run.workloads().micro(part, std::min(at_once, options.operations - done));
            if (part.has_no_memory) break;
        }
        part.pairs -= first;
        part.elapsed = clock::timestamp() - start;
    });
    heap::HeapCounts const after = counts_of(run.kind);
    RecentFrees recent;
    auto const stride = static_cast<double>(MXK_TRY(look(options, run, parts, recent)));
    MXK_TRY(warmed); // now that nothing is left
    Sample& sample = run.samples[0];
    MXK_TRY(fill_sample(sample, 0, parts, measured));
    sample.value = 0;
    for (TimedMicroPart const& part : parts) {
        sample.value += static_cast<double>(raw(part.elapsed)) / static_cast<double>(part.pairs) /
                        static_cast<double>(parts.size());
        sample.operations += part.pairs;
    }
    auto const asked = static_cast<double>(bytes_at(options, run.point));
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

constexpr HeapScenario micro_scenario{
    .name = "heap micro",
    .summary = "cycles of an allocation and a free of one's own objects",
    .notes = "Example: bench heap micro --size 16,64,512 --pattern lifo,random --cores 1 --json\n"
             "Example: bench heap micro --size 64Ki,200Ki --live 100 --ops 20K\n",
    .unit = Unit::CyclesPerOperation,
    .claims = micro_claims,
    .is_judged = [](HeapOptions const& options,
                    Point const& point) { return bytes_at(options, point) >= 16 && bytes_at(options, point) <= 512; },
    .choices = {.sizes = {16, 32, 64, 128, 256, 512}, .objects = 1000, .operations = 500'000},
    .ways = HeapScenario::Ways::MicroPattern,
    .run = &run_micro,
    .print_what =
        [](TextSink& out, HeapOptions const& options, HeapTrace const&) {
            format(out, "{} live objects, {} allocations by each core", options.objects, options.operations);
            if (options.purges) out.write("; blocks that become empty leave the stack at once");
        },
    .write_what =
        [](JsonWriter& json, HeapOptions const& options, Point const&, HeapTrace const&) {
            write_fields(json, {{"live", options.objects}, {"purge", options.purges}});
        }};
constexpr auto micro_schema = heap_schema<micro_scenario>(
    core_set_option::cores, heap_option::sizes,
    console::option<&HeapChoices::micro_patterns>("pattern", "in which order objects are freed (none given: all four)"),
    console::option<&HeapChoices::objects>("live", "objects that live at once, on each core; of lifo, random, sawtooth",
                                           console::between(8, 10'000'000)),
    console::flag<&HeapChoices::purges>("purge", "MXK's blocks that become empty leave the stack of chains at once"),
    console::option<&HeapChoices::operations>("ops", "allocations by each core in a run",
                                              console::between(1, 4'000'000'000)));
constexpr auto micro_benchmark = heap_benchmark<micro_scenario, micro_schema>();
MXK_REGISTER(mxk_commands, console::Command, micro_benchmark);

} // namespace
} // namespace mxk::bench

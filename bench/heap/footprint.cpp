// `bench heap footprint`: what an allocator keeps. Release: objects of random sizes up to a peak, then 90 % of them
// freed, at random. Ping-pong: one object, the first of a new superblock, is freed and allocated again and again, which
// must not take and give back the superblock each time. Large: many objects that are too large for superblocks live at
// once. On one core. (Z. Falt's thesis on Bobox, Prague 2010, 8.1.2, 8.1.3, 8.3, 8.4.)
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "bench/heap/heap_experiment.hpp"

namespace mxk::bench {
namespace {

constexpr std::array footprint_claims{
    Claim{.statement = "at a superblock's boundary none is taken or given back",
          .bound = Bound::exactly(0, Bound::As::Count),
          .left = {.of = "mxk", .finding = "superblock_calls"}},
};

double in_mebibytes(std::uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(MiB);
}

std::uint32_t default_large(std::uint32_t bytes) {
    std::uint64_t memory = 0;
    for (std::size_t node = 0; node < memory::node_count(); ++node) memory += memory::use(node_id(node)).total;
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(memory / 4 / bytes, 1, 1000));
}

// Only what is between start() and stop() counts.
class StopWatch {
  public:
    void start() { start_ = clock::timestamp(); }
    void stop() { elapsed_ = elapsed_ + (clock::timestamp() - start_); }
    [[nodiscard]] double nanoseconds() const { return seconds_of(elapsed_) * 1e9; }

  private:
    Cycles start_{};
    Cycles elapsed_{};
};

// What a run has done and found.
struct Footprint : HeapFindings {
    StopWatch watch;
    std::uint64_t operations = 0;
    std::size_t live = 0; // objects, at the maximum
    Findings findings{};
};

FootprintPart part_at(HeapOptions const& options, Point const& point) {
    return chosen_at(options.parts, point[HeapScenario::ways_axis]);
}

constexpr std::size_t ping_pong_bytes = 24 * MiB; // enough to pass from one superblock to another one

std::size_t objects_of(HeapOptions const& options, FootprintPart part) {
    switch (part) {
    case FootprintPart::Release: return options.mebibytes * MiB * 2 / (options.min_bytes + options.max_bytes) + 1;
    case FootprintPart::PingPong: return ping_pong_bytes / options.bytes + 2;
    case FootprintPart::Large: break;
    }
    return *options.large;
}

bool allocate(HeapRun const& run, LiveObject& object, std::size_t bytes, std::size_t number, Footprint& done) {
    auto* const place = static_cast<std::uint64_t*>(run.workloads().allocate(bytes));
    ++done.operations;
    if (place == nullptr) {
        done.has_no_memory = true;
        return false;
    }
    object = {place, word_of(number, bytes)};
    write_word(place, object.word);
    ++done.live;
    return true;
}
void free(HeapRun const& run, std::span<LiveObject const> objects, Footprint& done) {
    for (LiveObject const& object : objects) {
        if (object.place != nullptr) ++done.operations;
        free_checked(run, object, done);
    }
}

void release(HeapOptions const& options, HeapRun const& run, std::span<LiveObject> objects, Footprint& done) {
    Random random(options.seed);
    std::uint64_t bytes = 0;
    done.watch.start();
    for (std::size_t i = 0; i < objects.size() && !run.progress.interrupted(); ++i) {
        std::size_t const size = options.min_bytes + random.below(options.max_bytes - options.min_bytes + 1);
        if (!allocate(run, objects[i], size, i, done)) break;
        bytes += size;
    }
    done.watch.stop();
    heap::HeapCounts const full = counts_of(run.kind);
    for (std::size_t i = objects.size(); i > 1; --i) std::swap(objects[i - 1], objects[random.below(i)]);
    std::size_t const kept = objects.size() / 10;
    done.watch.start();
    free(run, objects.subspan(kept), done);
    done.watch.stop();
    std::uint64_t left = 0;
    for (LiveObject const& object : objects.first(kept)) left += object.bytes();
    heap::HeapCounts const released = counts_of(run.kind);
    auto const resident = run.resident.now();
    done.watch.start();
    free(run, objects.first(kept), done);
    done.watch.stop();

    done.findings.add("live_mib", in_mebibytes(bytes));
    done.findings.add("left_mib", in_mebibytes(left));
    if (run.kind.counts != nullptr) {
        done.findings.add("held_at_peak_mib", in_mebibytes(full.held_bytes));
        done.findings.add("held_mib", in_mebibytes(released.held_bytes));
        done.findings.add("held_at_end_mib", in_mebibytes(counts_of(run.kind).held_bytes));
        std::uint64_t const held = released.superblocks_held;
        std::uint64_t const each = held == 0 ? 1 : std::max<std::uint64_t>(1, released.held_bytes / held);
        std::uint64_t const min = held == 0 ? 0 : (released.live_bytes + each - 1) / each; // for what lives
        done.findings.add("superblocks_held", static_cast<double>(held));
        done.findings.add("superblocks_min", static_cast<double>(min));
    }
    if (resident) done.findings.add("resident_mib", *resident);
}

// An allocator that does not tell gets as many objects as make ours pass a boundary, or more.
void ping_pong(HeapOptions const& options, HeapRun const& run, std::span<LiveObject> objects, Footprint& done) {
    std::size_t live = 0;
    heap::HeapCounts before = counts_of(run.kind);
    while (live < objects.size() && allocate(run, objects[live], options.bytes, live, done)) {
        std::uint64_t const calls = std::exchange(before, counts_of(run.kind)).superblock_calls;
        if (++live > 1 && before.superblock_calls != calls) break; // the last one is the first of another superblock
    }
    if (live != 0 && !done.has_no_memory) {
        LiveObject& last = objects[live - 1];
        done.operations = 0;
        done.watch.start();
        for (std::uint32_t i = 0; i < options.rounds && !run.progress.interrupted(); ++i) {
            free(run, {&last, 1}, done);
            last.place = nullptr;
            if (!allocate(run, last, options.bytes, live + i, done)) break;
        }
        done.watch.stop();
    }
    if (run.kind.counts != nullptr)
        done.findings.add("superblock_calls",
                          static_cast<double>(counts_of(run.kind).superblock_calls - before.superblock_calls));
    std::uint64_t const operations = done.operations;
    free(run, objects.first(live), done);
    done.operations = operations;
}

void hold_large(HeapOptions const& options, HeapRun const& run, std::span<LiveObject> objects, Footprint& done) {
    done.watch.start();
    for (std::size_t i = 0; i < objects.size() && !run.progress.interrupted(); ++i)
        if (!allocate(run, objects[i], options.large_bytes, i, done)) break;
    free(run, objects, done);
    done.watch.stop();
    done.findings.add("live_objects", static_cast<double>(done.live));
}

Result<void> run_footprint(HeapOptions const& options, HeapRun const& run) {
    FootprintPart const its_part = part_at(options, run.point);
    std::size_t const count = objects_of(options, its_part);
    auto objects = MXK_TRY(NodeArray<LiveObject>::create_zeroed(count, workers::of(run.cores[0]).node()));
    run.resident.begin();
    Footprint done;
    MXK_TRY(time_on(run.cores.first(1), run.progress, [&](std::size_t) {
        switch (its_part) {
        case FootprintPart::Release: return release(options, run, objects.span(), done);
        case FootprintPart::PingPong: return ping_pong(options, run, objects.span(), done);
        case FootprintPart::Large: break;
        }
        hold_large(options, run, objects.span(), done);
    }));
    if (done.has_no_memory) return Error::of("out of memory: {} of {} objects were live", done.live, count);
    run.samples[0] = {.value = done.watch.nanoseconds() / static_cast<double>(done.operations),
                      .operations = done.operations,
                      .findings = done.findings,
                      .verified = done.wrong == 0};
    return {};
}

constexpr HeapScenario footprint_scenario{
    .name = "heap footprint",
    .summary = "what is held after a peak; at a superblock's boundary; many large objects",
    .notes = "The process' memory (resident_mib, resident_max_mib) is an allocator's only where it is the only one:\n"
             "with one --heap, in a program that has done nothing before. 'tools/mxk heap-peaks' does so for each.\n"
             "Example: bench heap footprint --heap mxk --mib 256 --json\n"
             "Example: bench heap footprint --part large --large 100K --large-size 512Ki\n",
    .unit = Unit::NanosecondsPerOperation,
    .claims = footprint_claims,
    .is_judged = [](HeapOptions const& options,
                    Point const& point) { return part_at(options, point) == FootprintPart::PingPong; },
    .choices = {.bytes = 20'000, .max_bytes = 1024, .rounds = 10'000, .mebibytes = 64, .large_bytes = 520 * 1024},
    .ways = HeapScenario::Ways::Part,
    .has_one_core = true,
    .complete = [](HeapOptions& options, HeapTrace&) -> Result<void> {
        if (!options.large) options.large = default_large(options.large_bytes);
        return {};
    },
    .run = &run_footprint,
    .print_what =
        [](TextSink& out, HeapOptions const& options, HeapTrace const&) {
            format(out, "a peak of {} MiB of {} to {} bytes; {} bytes {} times; {} objects of {} bytes",
                   options.mebibytes, options.min_bytes, options.max_bytes, options.bytes, options.rounds,
                   *options.large, options.large_bytes);
        },
    .write_what =
        [](JsonWriter& json, HeapOptions const& options, Point const& point, HeapTrace const&) {
            switch (part_at(options, point)) {
            case FootprintPart::Release:
                return write_fields(json, {{"peak_mib", options.mebibytes},
                                           {"min_bytes", options.min_bytes},
                                           {"max_bytes", options.max_bytes}});
            case FootprintPart::PingPong:
                return write_fields(json, {{"bytes", options.bytes}, {"rounds", options.rounds}});
            case FootprintPart::Large: break;
            }
            write_fields(json, {{"bytes", options.large_bytes}, {"objects", *options.large}});
        }};
constexpr auto footprint_schema = heap_schema<footprint_scenario>(
    console::option<&CoreSetOptions::cores>("cores", "of which the first one is used (none given: core 0)"),
    console::option<&HeapChoices::parts>("part", "what is measured (none given: all three)"),
    console::option<&HeapChoices::mebibytes>("mib", "of objects at the peak, of release",
                                             console::between(1, 1024 * 1024)),
    console::option<&HeapChoices::min_bytes>("min", "bytes of an object, of release", heap_option::object_bytes),
    console::option<&HeapChoices::max_bytes>("max", "bytes of an object, of release", heap_option::object_bytes),
    console::option<&HeapChoices::bytes>("size", "bytes of an object, of ping-pong", heap_option::object_bytes),
    console::option<&HeapChoices::rounds>("rounds", "of ping-pong", console::between(1, 1'000'000'000)),
    console::option<&HeapChoices::large>("large",
                                         "live large objects (none given: 1000, or what a quarter of the "
                                         "memory has room for)",
                                         console::between(1, 10'000'000)),
    console::option<&HeapChoices::large_bytes>("large-size", "bytes of a large object",
                                               console::between(min_object_bytes, 1024 * 1024 * 1024)));
constexpr auto footprint_benchmark = heap_benchmark<footprint_scenario, footprint_schema>();
MXK_REGISTER(mxk_commands, console::Command, footprint_benchmark);

} // namespace
} // namespace mxk::bench

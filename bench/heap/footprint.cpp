// `bench heap footprint`: what an allocator keeps. Release: objects of random sizes up to a peak, then 90 % of them
// freed, at random. Ping-pong: one object, the first of a new superblock, is freed and allocated again and again, which
// must not take and give back the superblock each time. Large: many objects that are too large for superblocks live at
// once. On one core. (Z. Falt's thesis on Bobox, Prague 2010, 8.1.2, 8.1.3, 8.3, 8.4.)
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "bench/frame/steps.hpp"
#include "bench/heap/heap_experiment.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {

enum class FootprintPart : std::uint8_t { Release, PingPong, Large };
constexpr auto value_names(FootprintPart) {
    using Named = console::NamedValue<FootprintPart>;
    return std::array{Named{FootprintPart::Release, "release"}, Named{FootprintPart::PingPong, "ping-pong"},
                      Named{FootprintPart::Large, "large"}};
}

namespace {

struct FootprintOptions : HeapOptions {
    NameSet<FootprintPart> parts{};
    std::uint32_t mebibytes = 64;
    std::uint32_t min_bytes = 16;
    std::uint32_t max_bytes = 1024;
    std::uint32_t block_bytes = 20'000;
    std::uint32_t rounds = 10'000;
    std::optional<std::uint32_t> large{};
    std::uint32_t large_bytes = 520 * 1024;
};

constexpr auto footprint_schema = console::schema<FootprintOptions>(
    heap_option::heaps,
    console::option<&FootprintOptions::cores>("cores", "of which the first one is used (none given: core 0)"),
    console::option<&FootprintOptions::parts>("part", "what is measured (none given: all three)"),
    console::option<&FootprintOptions::mebibytes>("mib", "of objects at the peak, of release",
                                                  console::between(1, 1024 * 1024)),
    console::option<&FootprintOptions::min_bytes>("min", "bytes of an object, of release",
                                                  console::between(min_object_bytes, max_object_bytes)),
    console::option<&FootprintOptions::max_bytes>("max", "bytes of an object, of release",
                                                  console::between(min_object_bytes, max_object_bytes)),
    console::option<&FootprintOptions::block_bytes>("size", "bytes of an object, of ping-pong",
                                                    console::between(min_object_bytes, max_object_bytes)),
    console::option<&FootprintOptions::rounds>("rounds", "of ping-pong", console::between(1, 1'000'000'000)),
    console::option<&FootprintOptions::large>("large",
                                              "live large objects (none given: 1000, or what a quarter of the "
                                              "memory has room for)",
                                              console::between(1, 10'000'000)),
    console::option<&FootprintOptions::large_bytes>("large-size", "bytes of a large object",
                                                    console::between(min_object_bytes, 1024 * 1024 * 1024)),
    heap_option::seed, run_option::repeat, run_option::warm_up, run_option::json);

constexpr std::array footprint_claims{
    HeapClaim{.statement = "at a superblock's boundary none is taken or given back", .is_zero = "superblock_calls"},
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
    [[nodiscard]] double nanoseconds() const { return static_cast<double>(raw(clock::to_nanoseconds(elapsed_))); }

  private:
    Cycles start_{};
    Cycles elapsed_{};
};

struct FootprintBench {
    using Options = FootprintOptions;
    static constexpr std::string_view name = "heap footprint";
    static constexpr Unit unit = Unit::NanosecondsPerOperation;

    explicit FootprintBench(Options const& its_options)
        : options(its_options) {}
    Result<void> prepare() {
        if (options.min_bytes > options.max_bytes)
            return Error::of("expected --min up to --max {}, got {}", options.max_bytes, options.min_bytes);
        if (options.parts.empty())
            options.parts = {FootprintPart::Release, FootprintPart::PingPong, FootprintPart::Large};
        for (auto const& [part, its_name] : value_names(FootprintPart{}))
            if (options.parts.has(part)) parts[part_count++] = part;
        if (!options.large) options.large = default_large(options.large_bytes);
        options.cores = first_core_of(options.cores);
        return {};
    }
    [[nodiscard]] std::size_t points() const { return part_count; }
    static constexpr std::size_t phases() { return 1; }
    static constexpr std::span<HeapClaim const> claims() { return footprint_claims; }
    [[nodiscard]] bool is_judged(HeapClaim const& /*claim*/, std::size_t point) const {
        return parts[point] == FootprintPart::PingPong;
    }

    Result<void> run(HeapRun const& run) const {
        std::size_t const count = objects_of(parts[run.point]);
        NodeId const node = workers::of(run.cores[0]).node();
        auto objects = MXK_TRY(NodeArray<LiveObject>::create_zeroed(count, node));
        run.resident.begin();
        Did did;
        MXK_TRY(time_on(run.cores.first(1), run.progress, [&](std::size_t) {
            switch (parts[run.point]) {
            case FootprintPart::Release: return release(run, objects.span(), did);
            case FootprintPart::PingPong: return ping_pong(run, objects.span(), did);
            case FootprintPart::Large: break;
            }
            hold_large(run, objects.span(), did);
        }));
        if (did.has_no_memory) return Error::of("out of memory: {} of {} objects were live", did.live, count);
        Sample& sample = run.samples[0];
        sample.value = did.watch.nanoseconds() / static_cast<double>(did.operations);
        sample.operations = did.operations;
        sample.verified = did.wrong == 0;
        sample.findings = did.findings;
        return {};
    }

    void print_head(TextSink& out) const {
        format(out, "a peak of {} MiB of {} to {} bytes; {} bytes {} times; {} objects of {} bytes", options.mebibytes,
               options.min_bytes, options.max_bytes, options.block_bytes, options.rounds, *options.large,
               options.large_bytes);
    }
    static void print_heading(TextSink& out) { format(out, " {:<10}", "part"); }
    void print_point(TextSink& out, std::size_t point, std::size_t /*phase*/) const {
        format(out, " {:<10}", name_of(parts[point]));
    }
    void write_point(JsonWriter& json, std::size_t point, std::size_t /*phase*/) const {
        json.field("part", name_of(parts[point]));
        switch (parts[point]) {
        case FootprintPart::Release:
            json.field("peak_mib", options.mebibytes);
            json.field("min_bytes", options.min_bytes);
            json.field("max_bytes", options.max_bytes);
            return;
        case FootprintPart::PingPong:
            json.field("bytes", options.block_bytes);
            json.field("rounds", options.rounds);
            return;
        case FootprintPart::Large: break;
        }
        json.field("bytes", options.large_bytes);
        json.field("objects", *options.large);
    }

    Options options;
    std::array<FootprintPart, value_names(FootprintPart{}).size()> parts{};
    std::size_t part_count = 0;

  private:
    // What a run has done and found.
    struct Did {
        StopWatch watch;
        std::uint64_t operations = 0;
        std::uint64_t wrong = 0;
        std::size_t live = 0; // objects, at the maximum
        bool has_no_memory = false;
        Findings findings{};
    };

    static constexpr std::size_t ping_pong_bytes = 24 * MiB; // enough to pass from one superblock to another one

    [[nodiscard]] std::size_t objects_of(FootprintPart part) const {
        switch (part) {
        case FootprintPart::Release: return options.mebibytes * MiB * 2 / (options.min_bytes + options.max_bytes) + 1;
        case FootprintPart::PingPong: return ping_pong_bytes / options.block_bytes + 2;
        case FootprintPart::Large: break;
        }
        return *options.large;
    }

    static bool allocate(HeapRun const& run, LiveObject& object, std::size_t bytes, std::size_t number, Did& did) {
        auto* const place = static_cast<std::uint64_t*>(run.kind.workloads.allocate(bytes));
        ++did.operations;
        if (place == nullptr) {
            did.has_no_memory = true;
            return false;
        }
        object = {place, word_of(number, bytes)};
        write_word(place, object.word);
        ++did.live;
        return true;
    }
    static void free(HeapRun const& run, std::span<LiveObject const> objects, Did& did) {
        for (LiveObject const& object : objects) {
            if (object.place == nullptr) continue;
            if (!holds_word(object.place, object.word)) ++did.wrong;
            run.kind.workloads.deallocate(object.place, object.bytes());
            ++did.operations;
        }
    }

    void release(HeapRun const& run, std::span<LiveObject> objects, Did& did) const {
        Random random(options.seed);
        std::uint64_t bytes = 0;
        did.watch.start();
        for (std::size_t i = 0; i < objects.size() && !run.progress.interrupted(); ++i) {
            std::size_t const size = options.min_bytes + random.below(options.max_bytes - options.min_bytes + 1);
            if (!allocate(run, objects[i], size, i, did)) break;
            bytes += size;
        }
        did.watch.stop();
        heap::HeapCounts const full = counts_of(run.kind);
        for (std::size_t i = objects.size(); i > 1; --i) std::swap(objects[i - 1], objects[random.below(i)]);
        std::size_t const kept = objects.size() / 10;
        did.watch.start();
        free(run, objects.subspan(kept), did);
        did.watch.stop();
        std::uint64_t left = 0;
        for (LiveObject const& object : objects.first(kept)) left += object.bytes();
        heap::HeapCounts const released = counts_of(run.kind);
        auto const resident = run.resident.now();
        did.watch.start();
        free(run, objects.first(kept), did);
        did.watch.stop();

        did.findings.add("live_mib", in_mebibytes(bytes));
        did.findings.add("left_mib", in_mebibytes(left));
        if (run.kind.counts != nullptr) {
            did.findings.add("held_at_peak_mib", in_mebibytes(full.held_bytes));
            did.findings.add("held_mib", in_mebibytes(released.held_bytes));
            did.findings.add("held_at_end_mib", in_mebibytes(counts_of(run.kind).held_bytes));
            std::uint64_t const held = released.superblocks_held;
            std::uint64_t const each = held == 0 ? 1 : std::max<std::uint64_t>(1, released.held_bytes / held);
            std::uint64_t const min = held == 0 ? 0 : (released.live_bytes + each - 1) / each; // for what lives
            did.findings.add("superblocks_held", static_cast<double>(held));
            did.findings.add("superblocks_min", static_cast<double>(min));
        }
        if (resident) did.findings.add("resident_mib", *resident);
    }

    // An allocator that does not tell gets as many objects as make ours pass a boundary, or more.
    void ping_pong(HeapRun const& run, std::span<LiveObject> objects, Did& did) const {
        std::size_t live = 0;
        heap::HeapCounts before = counts_of(run.kind);
        while (live < objects.size() && allocate(run, objects[live], options.block_bytes, live, did)) {
            std::uint64_t const calls = std::exchange(before, counts_of(run.kind)).superblock_calls;
            if (++live > 1 && before.superblock_calls != calls)
                break; // the last one is the first of another superblock
        }
        if (live != 0 && !did.has_no_memory) {
            LiveObject& last = objects[live - 1];
            did.operations = 0;
            did.watch.start();
            for (std::uint32_t i = 0; i < options.rounds && !run.progress.interrupted(); ++i) {
                free(run, {&last, 1}, did);
                last.place = nullptr;
                if (!allocate(run, last, options.block_bytes, live + i, did)) break;
            }
            did.watch.stop();
        }
        if (run.kind.counts != nullptr)
            did.findings.add("superblock_calls",
                             static_cast<double>(counts_of(run.kind).superblock_calls - before.superblock_calls));
        std::uint64_t const operations = did.operations;
        free(run, objects.first(live), did);
        did.operations = operations;
    }

    void hold_large(HeapRun const& run, std::span<LiveObject> objects, Did& did) const {
        did.watch.start();
        for (std::size_t i = 0; i < objects.size() && !run.progress.interrupted(); ++i)
            if (!allocate(run, objects[i], options.large_bytes, i, did)) break;
        free(run, objects, did);
        did.watch.stop();
        did.findings.add("live_objects", static_cast<double>(did.live));
    }
};
constexpr auto footprint_benchmark = benchmark<HeapExperiment<FootprintBench>, footprint_schema>(
    {.summary = "what is held after a peak; at a superblock's boundary; many large objects",
     .notes = "The process' memory (resident_mib, resident_max_mib) is an allocator's only where it is the only one:\n"
              "with one --heap, in a program that has done nothing before. 'tools/mxk heap-peaks' does so for each.\n"
              "Example: bench heap footprint --heap mxk --mib 256 --json\n"
              "Example: bench heap footprint --part large --large 100K --large-size 512Ki\n",
     .parent = "bench heap",
     .more_help = &print_heap_kinds});
MXK_REGISTER(mxk_commands, console::Command, footprint_benchmark);

} // namespace
} // namespace mxk::bench
